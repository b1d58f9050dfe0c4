"""Which baseline a gate compares with: that of the revision before the change.

Prompt and baseline change in one commit, so the file in the tree already describes the edit. The
baseline of the revision before it is read from git:

    --since REV                     that revision
    prompt or set not committed     HEAD
    on a branch                     the merge base with the branch it will be merged into
    nothing ahead of that branch    the parent of the commit that last changed the prompt
    outside git, or never changed   the file in the tree
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.baseline.git import Repository
from evals_pipeline.core.errors import RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionChoice:
    """The revision to read the baseline at, and why; None is the file in the tree.

    ``is_committed`` says that the change is, so that the baseline in the tree should describe it.
    ``is_asked_for``: the revision was named, so that no other will do.
    """

    revision: str | None
    why: str
    is_committed: bool = False
    is_asked_for: bool = False

    @property
    def name(self) -> str:
        """The choice for people: ``1a2b3c4 (HEAD, since the prompt is not committed)``."""
        return self.why if self.revision is None else f"{self.revision[:7]} ({self.why})"


def choose_revision(
    repository: Repository | None,
    *,
    since: str | None,
    watched: Sequence[Path],
    anchor: Path,
) -> RevisionChoice:
    """The revision before the change.

    Args:
        repository: Where the project lies; None outside git.
        since: A revision that was asked for.
        watched: What counts as the change: the prompt, and the set's schema, documents, labels.
        anchor: The file whose last commit is the change where no branch tells: the prompt, else
            the predictions, else the baseline.

    Raises:
        RefusedError: The revision is not in this repository, or history is cut off before it.
    """
    if repository is None:
        if since is not None:
            raise RefusedError(f"--since {since}: the project lies in no git repository. Drop it.")
        return RevisionChoice(revision=None, why="the file in the tree, outside git")
    if since is not None:
        return _asked_for(repository, since, watched)
    head = repository.commit_of("HEAD")
    if head is None:
        return RevisionChoice(revision=None, why="the file in the tree, before the first commit")
    if repository.is_dirty(watched):
        return RevisionChoice(revision=head, why="HEAD, the change is not committed")
    for upstream in repository.upstreams():
        base = repository.merge_base(upstream)
        if base is not None and base != head:
            name = upstream.removeprefix("refs/remotes/").removeprefix("refs/heads/")
            why = f"the merge base with {name}"
            return RevisionChoice(revision=base, why=why, is_committed=True)
    return _before_last_change(repository, anchor)


def _asked_for(repository: Repository, since: str, watched: Sequence[Path]) -> RevisionChoice:
    revision = repository.commit_of(since)
    if revision is None:
        raise RefusedError(f"--since {since}: no commit here has that name. {_fetch(repository)}")
    return RevisionChoice(
        revision=revision,
        why=f"--since {since}",
        is_committed=not repository.is_dirty(watched),
        is_asked_for=True,
    )


def _before_last_change(repository: Repository, anchor: Path) -> RevisionChoice:
    changed_by = repository.last_change(anchor)
    if changed_by is None:
        return RevisionChoice(
            revision=None, why=f"the file in the tree, {anchor.name} was never committed"
        )
    before = repository.commit_of(f"{changed_by}^")
    if before is not None:
        why = f"before {changed_by[:7]}, which last changed {anchor.name}"
        return RevisionChoice(revision=before, why=why, is_committed=True)
    if repository.is_shallow():
        raise RefusedError(
            f"this clone is shallow and holds nothing before {changed_by[:7]}, so the revision "
            f"before the change to {anchor.name} is not here. {_fetch(repository)}"
        )
    why = f"the file in the tree, {anchor.name} never changed since {changed_by[:7]}"
    return RevisionChoice(revision=None, why=why)


def _fetch(repository: Repository) -> str:
    if repository.is_shallow():
        return 'The clone is shallow: run "git fetch --unshallow" (in CI: fetch-depth 0).'
    return 'Name a commit, branch or tag that "git log" knows, or fetch it.'

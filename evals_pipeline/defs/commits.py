"""What git says of the files that a sensor watches, in the few words that a run is tagged with.

Git runs as a subprocess that takes no locks, asks nothing and is given up after a few seconds. A
folder outside git, or a git that does not answer, has no tags; that never keeps a run from
starting.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT_S = 10
_LONGEST_TAG = 200
_SEPARATOR = "\x1f"
# Set by git around its hooks; they would turn every question to another repository.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The commit that last changed some files, and how many commits changed them since a look.

    ``is_dirty``: they differ from what is committed. ``n_covered`` is None where history does not
    tell (it was amended away, or the clone is shallow).
    """

    commit: str | None
    author: str | None
    subject: str | None
    is_dirty: bool
    n_covered: int | None

    def tags(self) -> dict[str, str]:
        """The change as tags of a run."""
        stated = {
            "evals/commit": self.commit,
            "evals/author": self.author,
            "evals/subject": self.subject,
            "evals/dirty": "true" if self.is_dirty else "false",
            "evals/commits": None if self.n_covered is None else str(self.n_covered),
        }
        return {name: value[:_LONGEST_TAG] for name, value in stated.items() if value}


def head_of(root: Path) -> str | None:
    """The commit that is checked out; None outside git or before the first commit."""
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD")


def dirty_paths(root: Path, paths: Sequence[Path]) -> frozenset[Path]:
    """Those of the paths that have changes, or are new, and are not committed; none outside git."""
    return frozenset(path for path in paths if _git(root, "status", "--porcelain", "--", str(path)))


def last_change(root: Path, paths: Sequence[Path], *, since: str | None) -> Change | None:
    """What git knows of the latest change of some files; None outside git."""
    if head_of(root) is None or not paths:
        return None
    places = [str(path) for path in paths]
    form = f"--format=%H{_SEPARATOR}%an{_SEPARATOR}%s"
    found = _git(root, "log", "-1", form, "--", *places) or ""
    commit, author, subject = (*found.split(_SEPARATOR), "", "", "")[:3]
    return Change(
        commit=commit or None,
        author=author or None,
        subject=subject or None,
        is_dirty=bool(dirty_paths(root, paths)),
        n_covered=_covered(root, since, places),
    )


def _covered(root: Path, since: str | None, places: Sequence[str]) -> int | None:
    if since is None:
        return None
    counted = _git(root, "rev-list", "--count", f"{since}..HEAD", "--", *places)
    return int(counted) if counted and counted.isdigit() else None


def _git(root: Path, *arguments: str) -> str | None:
    """Git's answer without the end of line; None when there is none."""
    environ = {name: text for name, text in os.environ.items() if name not in _HOOK_VARIABLES}
    quiet = {**environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        found = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_S,
            env=quiet,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None

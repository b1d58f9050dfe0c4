"""What git knows of a project: revisions, files at them, messages, and what is not committed.

Git runs as a subprocess that takes no locks, asks for no password and is stopped after a while. A
repository that git refuses to read is an error with git's own words; only a folder that lies in no
repository is "outside git".
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core.errors import RefusedError

TIMEOUT_S = 30.0
MAIN_BRANCHES = ("main", "master", "trunk")
# Set by git around hooks; they would turn every question to another repository or index.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit's full id and its message."""

    sha: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A commit as a history lists it: its full id, its day and the first line of its message."""

    sha: str
    day: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The git repository that a project lies in; ``root`` may be above the project."""

    root: Path

    @classmethod
    def containing(cls, folder: Path) -> "Repository | None":
        """The repository around ``folder``; None when there is none.

        Raises:
            RefusedError: There is one, and git cannot or will not read it.
        """
        start = folder.resolve()
        try:
            result = _run(start, ["rev-parse", "--show-toplevel"])
        except FileNotFoundError:
            if any((parent / ".git").exists() for parent in (start, *start.parents)):
                raise RefusedError(
                    f"{start} lies in a git repository and git is not installed, so the baseline "
                    "before the change cannot be read. Install git."
                ) from None
            return None
        if result.returncode == 0:
            return cls(root=Path(result.stdout.strip()).resolve())
        if "not a git repository" in result.stderr:
            return None
        raise RefusedError(f"git cannot read the repository around {start}: {_words(result)}")

    def commit_of(self, revision: str) -> str | None:
        """The full id of the commit that ``revision`` names; None when it names none here."""
        if revision.startswith("-"):
            return None
        return self._line("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")

    def bytes_at(self, revision: str, path: Path) -> bytes | None:
        """A file's bytes at a revision, from wherever it lay then; None when it was not there."""
        place = self._inside(path)
        if place is None:
            return None
        found = self._blob(revision, place)
        if found is None and (earlier := self._earlier_place(revision, place)) is not None:
            found = self._blob(revision, earlier)
        return found

    def is_dirty(self, paths: Sequence[Path]) -> bool:
        """Whether a path has changes that are not committed, or new files that are not ignored."""
        places = self._places(paths)
        status = ("status", "--porcelain", "--untracked-files=all", "-z", "--")
        return bool(places) and bool(self._checked(*status, *places))

    def has_changed(self, revision: str, paths: Sequence[Path]) -> bool:
        """Whether the files under the paths differ from those at the revision."""
        places = self._places(paths)
        if not places:
            return False
        result = self._git("diff", "--quiet", "--no-ext-diff", revision, "--", *places)
        if result.returncode > 1:
            raise RefusedError(f"git cannot compare with {revision}: {_words(result)}")
        return result.returncode == 1

    def merge_base(self, revision: str) -> str | None:
        """The last commit that HEAD and the revision share; None when none is here."""
        return self._line("merge-base", "HEAD", revision)

    def upstreams(self) -> tuple[str, ...]:
        """Branches that HEAD is meant to be merged into, the likeliest first.

        A branch that tracks its own copy on the remote is not merged into that copy, so the
        remote's default branch comes before it. Where no remote tells, it is the main branch here.
        """
        tracked = self._line("rev-parse", "--symbolic-full-name", "@{upstream}")
        default = self._line("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
        branch = self._line("symbolic-ref", "--quiet", "--short", "HEAD")
        is_own_copy = tracked is not None and tracked.endswith(f"/{branch}")
        order = (default, tracked) if is_own_copy else (tracked, default)
        known = tuple(dict.fromkeys(name for name in order if name is not None))
        return known or self._main_branches(branch)

    def _main_branches(self, branch: str | None) -> tuple[str, ...]:
        """The local branches that are main ones by their name, but for the one checked out."""
        names = (self._line("config", "init.defaultBranch"), *MAIN_BRANCHES)
        places = (f"refs/heads/{name}" for name in names if name and name != branch)
        return tuple(place for place in dict.fromkeys(places) if self.commit_of(place))

    def last_change(self, path: Path) -> str | None:
        """The commit that last changed a file; None when none did."""
        place = self._inside(path)
        return None if place is None else self._line("log", "-1", "--format=%H", "--", place)

    def log(self, path: Path | None = None, *, limit: int) -> tuple[LogEntry, ...]:
        """The last commits on HEAD, or those that changed a file, the newest first."""
        place = None if path is None else self._inside(path)
        if path is not None and place is None:
            return ()
        form = f"--max-count={limit}", "-z", "--format=%H%n%cs%n%s"
        result = self._git("log", *form, *(() if place is None else ("--", place)))
        entries = (entry.split("\n", 2) for entry in result.stdout.split("\0") if entry)
        return tuple(LogEntry(sha=sha, day=day, subject=subject) for sha, day, subject in entries)

    def is_shallow(self) -> bool:
        """Whether history is cut off, as in most CI checkouts."""
        return self._line("rev-parse", "--is-shallow-repository") == "true"

    def commits_since(self, revision: str) -> tuple[Commit, ...]:
        """The commits on HEAD that are not on the revision, the newest first."""
        log = self._checked("log", "-z", "--format=%H%n%B", f"{revision}..HEAD")
        entries = (entry.partition("\n") for entry in log.split("\0") if entry)
        return tuple(Commit(sha=sha, message=message) for sha, _, message in entries)

    def count_hunks(self, revision: str, path: Path) -> int:
        """In how many separate places a file differs from what it was at the revision."""
        place = self._inside(path)
        if place is None:
            return 0
        earlier = self._earlier_place(revision, place)
        places = [place] if earlier is None else [place, earlier]
        diff = self._git(
            "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
            "--find-renames", revision, "--", *places,
        )  # fmt: skip
        return sum(line.startswith("@@ ") for line in diff.stdout.splitlines())

    def _blob(self, revision: str, place: str) -> bytes | None:
        result = _run_bytes(self.root, ["cat-file", "blob", f"{revision}:{place}"])
        return result.stdout if result.returncode == 0 else None

    def _earlier_place(self, revision: str, place: str) -> str | None:
        """Where a file that was renamed since the revision lay then."""
        renames = self._git(
            "diff", "--name-status", "--find-renames", "--diff-filter=R", "-z", revision
        ).stdout.split("\0")  # R100, old, new, and so on
        return dict(zip(renames[2::3], renames[1::3], strict=False)).get(place)

    def _places(self, paths: Sequence[Path]) -> list[str]:
        return [place for path in paths if (place := self._inside(path)) is not None]

    def _inside(self, path: Path) -> str | None:
        """A path as git names it from the root; None for one that lies outside the repository."""
        absolute = path.parent.resolve() / path.name
        if not absolute.is_relative_to(self.root):
            return None
        return absolute.relative_to(self.root).as_posix()

    def _line(self, *arguments: str) -> str | None:
        result = self._git(*arguments)
        return result.stdout.strip() or None if result.returncode == 0 else None

    def _checked(self, *arguments: str) -> str:
        result = self._git(*arguments)
        if result.returncode:
            raise RefusedError(f"git {arguments[0]} failed: {_words(result)}")
        return result.stdout

    def _git(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return _run(self.root, arguments)


def _run(folder: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    result = _run_bytes(folder, arguments)
    return subprocess.CompletedProcess(
        result.args,
        result.returncode,
        result.stdout.decode("utf-8", "replace"),
        result.stderr.decode("utf-8", "replace"),
    )


def _run_bytes(folder: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    environment = {k: v for k, v in os.environ.items() if k not in _HOOK_VARIABLES}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", "--no-pager", "--literal-pathspecs", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RefusedError(
            f"git {arguments[0]} took longer than {TIMEOUT_S:g} s in {folder} and was stopped. "
            "See why git is slow there, or name the baseline's revision with --since."
        ) from error


def _words(result: "subprocess.CompletedProcess[str]") -> str:
    return " ".join(result.stderr.split()) or f"exit status {result.returncode}"

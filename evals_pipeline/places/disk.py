"""The storage in a folder of a file system, of this machine or shared by several.

Writing: a file of another name in the same folder, flushed to the disk, renamed, the folder
flushed. A writer that is killed leaves a temporary file and nothing else.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals_pipeline.places.place import Place

TEMPORARY_SUFFIX = ".tmp"


@dataclass(frozen=True, slots=True)
class DiskPlace:
    """A path."""

    path: Path

    @property
    def name(self) -> str:
        """The last step of the path."""
        return self.path.name

    @property
    def here(self) -> Path:
        """The path itself."""
        return self.path

    @property
    def file_systems(self) -> tuple[Any, ...]:
        """None: DuckDB reads files by itself."""
        return ()

    def __str__(self) -> str:
        return str(self.path)

    def __truediv__(self, step: str) -> "DiskPlace":
        return DiskPlace(self.path / step)

    def resolved(self) -> "DiskPlace":
        """The absolute path, symbolic links followed."""
        return DiskPlace(self.path.resolve())

    def read_bytes(self) -> bytes:
        """The file's content."""
        return self.path.read_bytes()

    def exists(self) -> bool:
        """Whether there is such a file."""
        return self.path.exists()

    def put(self, content: bytes) -> None:
        """Puts a file in place by a rename; on return it is on the disk."""
        with self.new_file() as temporary:
            temporary.write_bytes(content)

    @contextlib.contextmanager
    def new_file(self) -> Iterator[Path]:
        """A path in the same folder, renamed to this one at the end."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(self.path)
        try:
            yield temporary
            put_in_place(temporary, self.path)
        finally:
            temporary.unlink(missing_ok=True)

    @contextlib.contextmanager
    def opened(self) -> Iterator[Path]:
        """The path itself: a file that is open stays what it is when another takes its name."""
        yield self.path

    def remove(self) -> None:
        """Removes the file, if it is there."""
        self.path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        """The names in the folder, sorted."""
        try:
            return sorted(path.name for path in self.path.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def found(self, steps: Sequence[str | None]) -> list[tuple[str, ...]]:
        """The files below whose path takes these steps."""
        pattern = "/".join("*" if step is None else _literal_glob(step) for step in steps)
        n_before = len(self.path.parts)
        return [found.parts[n_before:] for found in self.path.glob(pattern)]


def as_place(where: Path | Place) -> Place:
    """A path as a place; a place as it is."""
    return DiskPlace(where) if isinstance(where, Path) else where


def make_unversioned(folder: Path) -> None:
    """Makes a folder that git passes over; one that is there stays as it is.

    Whoever made it may want to commit what is in it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    (folder / ".gitignore").write_text("*\n", encoding="ascii")


def temporary_beside(path: Path) -> Path:
    """A name for writing ``path`` under, which no other process uses."""
    unique = f"{os.getpid()}-{secrets.token_hex(6)}"
    return path.with_name(f"{path.name}.{unique}{TEMPORARY_SUFFIX}")


def put_in_place(temporary: Path, path: Path) -> None:
    """Flushes a finished file to the disk and gives it its name."""
    _flush(temporary)
    temporary.replace(path)
    _flush(path.parent)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _literal_glob(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)

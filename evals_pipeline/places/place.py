"""What the storage is asked for, wherever it lies.

Two things have it: ``DiskPlace``, a path of a file system, and ``ObjectPlace``, a key in an object
store. Both put a file in place whole and at once, so that nothing above needs a lock to be safe:
a reader sees the old content or the new, and of two writers the later one wins.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol


class StoreRefusedError(OSError):
    """An object store could not be reached, or refused; what is stored is as it was."""


class Place(Protocol):
    """A file or a folder of the storage. Making one touches nothing; ``str`` says where it is."""

    @property
    def name(self) -> str:
        """The last step of where it is."""
        ...

    @property
    def path(self) -> Path | None:
        """Its path on a file system; None in an object store."""
        ...

    @property
    def here(self) -> Path:
        """What belongs to it on this machine alone: locks, the catalogue, files being written.

        On a file system it is the place itself, in an object store a folder of the user's cache.
        """
        ...

    @property
    def file_systems(self) -> tuple[Any, ...]:
        """What DuckDB has to be given, by ``register_filesystem``, to read it by its name."""
        ...

    def __truediv__(self, step: str) -> "Place":
        """A place in this folder."""
        ...

    def resolved(self) -> "Place":
        """The same place by a name that holds in any working folder."""
        ...

    def read_bytes(self) -> bytes:
        """The file's content.

        Raises:
            FileNotFoundError: there is none.
            OSError: it cannot be read.
        """
        ...

    def exists(self) -> bool:
        """Whether there is such a file."""
        ...

    def put(self, content: bytes) -> None:
        """Puts a file in place, whole or not at all; on return it lasts.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def new_file(self) -> AbstractContextManager[Path]:
        """A path to write the file under; it is put in place when the block ends without an error.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def opened(self) -> AbstractContextManager[Path]:
        """A path to read the file under, its content that of one moment.

        Raises:
            FileNotFoundError: there is none.
            OSError: it cannot be read.
        """
        ...

    def remove(self) -> None:
        """Removes the file, if it is there."""
        ...

    def names(self) -> list[str]:
        """The names of what lies directly in the folder, sorted; none where there is no folder."""
        ...

    def found(self, steps: Sequence[str | None]) -> list[tuple[str, ...]]:
        """The files below whose path takes these steps, each a name or None for any name."""
        ...

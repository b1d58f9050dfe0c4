"""Says what to do when the disk, a file's permissions or a damaged file stops the store."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from evals_pipeline.core.errors import EvalsError, SetupError
from evals_pipeline.places import Place, StoreRefusedError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class StorageError(SetupError):
    """The storage folder cannot be written or read; the message says what mends it."""


class ReadOnlyError(StorageError):
    """The storage folder can be read and not written."""


class DamagedFileError(StorageError):
    """A stored file is not the Parquet file it should be."""


@contextmanager
def writing(path: Path | Place) -> Iterator[None]:
    """Turns what can go wrong while writing ``path`` into a StorageError with its remedy."""
    try:
        yield
    except EvalsError:
        raise
    except (OSError, duckdb.Error) as error:
        kind = ReadOnlyError if _is_read_only(error) else StorageError
        raise kind(f"{path}: cannot be written: {_why_not_written(error)}") from error


@contextmanager
def reading(path: Place) -> Iterator[None]:
    """Turns what can go wrong while reading ``path`` into a StorageError with its remedy.

    A file that is not there is the caller's business: FileNotFoundError passes.
    """
    try:
        yield
    except (EvalsError, FileNotFoundError):
        raise
    except PermissionError as error:
        raise StorageError(
            f"{path}: cannot be read: permission denied. Give yourself read access to the "
            "storage folder."
        ) from error
    except StoreRefusedError as error:
        raise StorageError(
            f"{path}: cannot be read: {_first_line(error)}. Nothing was changed."
        ) from error
    except (OSError, duckdb.Error, pa.ArrowException) as error:
        raise DamagedFileError(
            f"{path}: is damaged: {_first_line(error)}. Nothing else depends on this file: delete "
            "it and materialise its partition again."
        ) from error


def _why_not_written(error: Exception) -> str:
    """The cause in words; DuckDB passes the system's message on inside its own text."""
    code = error.errno if isinstance(error, OSError) else None
    text = _first_line(error)
    if _is_read_only(error):
        return (
            f"the storage folder is read-only ({text}). Give yourself write access, or name "
            "another folder as `storage` under [tool.evals] in pyproject.toml."
        )
    if code in _FULL or "no space left" in text.lower() or "quota exceeded" in text.lower():
        return "the disk is full. Free some space and run again; what was stored before is whole."
    return f"{text}. What was stored before is whole."


def _is_read_only(error: Exception) -> bool:
    code = error.errno if isinstance(error, OSError) else None
    text = _first_line(error).lower()
    return code in _READ_ONLY or "read-only file system" in text or "permission denied" in text


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")

"""The storage in an object store, through fsspec.

An object is put in place whole by its store, with one PUT or one completed upload of several parts:
what takes a temporary name and a rename on a disk takes neither here. Keys and addresses come from
the environment, as the store's own client reads them, and are neither kept nor shown.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals_pipeline.places.disk import temporary_beside
from evals_pipeline.places.place import StoreRefusedError


@dataclass(frozen=True, slots=True)
class ObjectPlace:
    """A key, or the folder that keys of one beginning make up.

    ``system`` is the file system of fsspec, ``root`` the storage's own folder in it.
    """

    system: Any
    scheme: str
    root: str
    steps: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last step of the key."""
        return self._key.rpartition("/")[2]

    @property
    def path(self) -> None:
        """None: it is on no file system."""
        return

    @property
    def here(self) -> Path:
        """A folder of the user's cache, one for each storage."""
        address = f"{self.scheme}://{self.root.strip('/')}"
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", address).strip("-.")[:60]
        own = f"{slug}-{hashlib.sha256(address.encode('utf-8')).hexdigest()[:8]}"
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(cache, "evals-pipeline", "storage", own, *self.steps)

    @property
    def file_systems(self) -> tuple[Any, ...]:
        """The file system, which speaks to DuckDB too."""
        return (self.system,)

    @property
    def _key(self) -> str:
        return "/".join((self.root, *self.steps))

    def __str__(self) -> str:
        return f"{self.scheme}://{self._key.lstrip('/')}"

    def __truediv__(self, step: str) -> "ObjectPlace":
        return ObjectPlace(self.system, self.scheme, self.root, (*self.steps, *step.split("/")))

    def resolved(self) -> "ObjectPlace":
        """The place itself."""
        return self

    def read_bytes(self) -> bytes:
        """The object's content, in one request."""
        with _as_os_error(self):
            content: bytes = self.system.cat_file(self._key)
            return content

    def exists(self) -> bool:
        """Whether there is such an object."""
        try:
            with _as_os_error(self):
                self.system.info(self._key)
        except FileNotFoundError:
            return False
        return True

    def put(self, content: bytes) -> None:
        """Puts an object in place; on return the store has it."""
        with _as_os_error(self):
            self.system.pipe_file(self._key, content)

    @contextlib.contextmanager
    def new_file(self) -> Iterator[Path]:
        """A path in the cache, sent to the store at the end."""
        with self._own_file() as temporary:
            yield temporary
            with _as_os_error(self):
                self.system.put_file(str(temporary), self._key)

    @contextlib.contextmanager
    def opened(self) -> Iterator[Path]:
        """A copy in the cache, fetched in one request, so that it is of one moment."""
        with self._own_file() as temporary:
            with _as_os_error(self):
                self.system.get_file(self._key, str(temporary))
            yield temporary

    @contextlib.contextmanager
    def _own_file(self) -> Iterator[Path]:
        folder = ObjectPlace(self.system, self.scheme, self.root).here
        folder.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(folder / self.name)
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the object, if it is there."""
        with contextlib.suppress(FileNotFoundError), _as_os_error(self):
            self.system.rm_file(self._key)

    def names(self) -> list[str]:
        """The next steps of all keys below, sorted."""
        try:
            with _as_os_error(self):
                found = self.system.ls(self._key, detail=False)
        except FileNotFoundError:
            return []
        below = {one.rstrip("/")[len(self._key) + 1 :] for one in found}
        return sorted(name for name in below if name)

    def found(self, steps: Sequence[str | None]) -> list[tuple[str, ...]]:
        """The objects below whose key takes these steps: one listing of what begins like them."""
        stated = list(steps)
        start = stated[: stated.index(None)] if None in stated else stated[:-1]
        folder = "/".join([self._key, *(step for step in start if step is not None)])
        try:
            with _as_os_error(self):
                keys = self.system.find(folder)
        except FileNotFoundError:
            return []
        paths = [tuple(key[len(self._key) + 1 :].split("/")) for key in keys]
        return [path for path in paths if _takes(path, stated)]


def _takes(path: Sequence[str], steps: Sequence[str | None]) -> bool:
    return len(path) == len(steps) and all(
        step in (None, name) for name, step in zip(path, steps, strict=True)
    )


@contextlib.contextmanager
def _as_os_error(place: ObjectPlace) -> Iterator[None]:
    """Makes one error of whatever the client raises, but for a missing object or missing rights."""
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # each store's client raises what it likes
        raise StoreRefusedError(f"{place.scheme}: {error}") from error

"""One lock file a key, so that two processes never pay for the same answer.

The lock is the operating system's own (it ends with the process, even a killed one) and is taken
without blocking the event loop. The file is removed while the lock is held, so that none stay
behind; whoever was waiting on the removed file notices that it is no longer the one at the path.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.25


@contextlib.asynccontextmanager
async def key_lock(path: Path) -> AsyncIterator[None]:
    """Holds the lock at ``path``; waits for whoever holds it, in this process or another."""
    pause_s = FIRST_PAUSE_S
    while (descriptor := _try_lock(path)) is None:
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
    try:
        yield
    finally:
        _unlock(path, descriptor)


@contextlib.contextmanager
def key_lock_if_free(path: Path) -> Iterator[bool]:
    """Holds the lock at ``path`` when nobody else does; says whether it does."""
    descriptor = _try_lock(path)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            _unlock(path, descriptor)


def _unlock(path: Path, descriptor: int) -> None:
    # Windows refuses to remove an open file; there the file stays, which harms nothing.
    with contextlib.suppress(OSError):
        path.unlink()
    unlock_descriptor(descriptor)
    os.close(descriptor)


def _try_lock(path: Path) -> int | None:
    """The locked descriptor of the file now at ``path``; None while somebody else holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    is_mine = False
    try:
        is_mine = lock_descriptor(descriptor, blocking=False) and _is_at(path, descriptor)
    finally:
        if not is_mine:
            os.close(descriptor)
    return descriptor if is_mine else None


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one at the path, not one that was removed meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False

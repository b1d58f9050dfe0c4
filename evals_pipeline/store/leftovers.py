"""Removes what killed writers left behind."""

import time
from pathlib import Path

from evals_pipeline.places.disk import TEMPORARY_SUFFIX

OLD_ENOUGH_S = 3600.0


def sweep(root: Path, *, older_than_s: float = OLD_ENOUGH_S, now_s: float | None = None) -> int:
    """Removes temporary files that nothing has written to for an hour; says how many.

    A file that another process removes first, or that may not be removed, is left alone: a sweep
    never stops the work it runs before.
    """
    limit = (time.time() if now_s is None else now_s) - older_than_s
    n_removed = 0
    for leftover in root.rglob(f"*{TEMPORARY_SUFFIX}"):
        try:
            if leftover.is_file() and leftover.stat().st_mtime < limit:
                leftover.unlink()
                n_removed += 1
        except OSError:
            continue
    return n_removed

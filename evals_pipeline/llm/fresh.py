"""Sampling anew, resumably: a fresh sampling has a label, and keeps it until it is complete.

Answers of a fresh sampling are recorded under its label; inside it no other answer counts, outside
it they are the newest and count before older ones. A killed fresh run leaves its label behind, so
that the same command goes on with it instead of paying for everything again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.places import Place, as_place


@contextmanager
def sampling(root: Path | Place, *, scope: str, now: datetime, fresh: bool) -> Iterator[str]:
    """The label to ask under: that of a fresh sampling, which ends with the block, or none.

    A block that fails leaves its sampling unfinished, so that the next one goes on with it.
    """
    label = begin_fresh(root, scope=scope, now=now) if fresh else ""
    yield label
    if fresh:
        end_fresh(root, scope=scope)


def begin_fresh(root: Path | Place, *, scope: str, now: datetime) -> str:
    """The label of the unfinished fresh sampling of a scope, else a new one.

    Args:
        root: The folder of the record of answers.
        scope: What is sampled, in words that the same command gives again: sets, models, runs.
        now: Names a new sampling.
    """
    place = _place(root, scope)
    try:
        return place.read_bytes().decode("utf-8").strip()
    except FileNotFoundError:
        label = now.strftime("fresh-%Y%m%dT%H%M%S.%fZ")
        place.put(f"{label}\n".encode())
        return label


def end_fresh(root: Path | Place, *, scope: str) -> None:
    """Marks a fresh sampling as complete; the next one is a new one."""
    _place(root, scope).remove()


def _place(root: Path | Place, scope: str) -> Place:
    return as_place(root) / ".fresh" / f"{digest_parts(scope)[:32]}.txt"

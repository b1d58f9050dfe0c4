"""What the sensors decide, without Dagster, files or git: cursor and snapshot in, changes out.

A cursor remembers the digest of everything that a sensor watches. What counts is the content: a
file that was touched, or edited and put back, changes nothing, and however many edits were made
while nobody looked, they are one change. Every decision that requests anything has a number, the
generation: a run key made of it is new each time, so that going back to an earlier content is a
change as well.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

CURSOR_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One watched thing as it is now: its digest, or the ``problem`` that keeps it from one.

    ``is_dirty``: it differs from the commit that is checked out.
    """

    digest: str | None
    problem: str | None = None
    is_dirty: bool = False


Snapshot: TypeAlias = Mapping[str, Mapping[str, Seen]]
"""By set and by the name of what is watched: a model version's prompt, the documents, the gold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What changed, by set, and the cursor to keep; ``reasons`` say why other things do not count.

    ``before`` is the commit that was checked out when the sensor last looked.
    """

    cursor: str
    generation: int
    changed: Mapping[str, tuple[str, ...]]
    reasons: tuple[str, ...]
    before: str | None


def decide(
    cursor: str | None,
    snapshot: Snapshot,
    *,
    head: str | None = None,
    waits_for_commit: bool = False,
) -> Decision:
    """What changed since the cursor was written.

    What is seen for the first time is noted and requests nothing: a fresh clone pays for no call.
    What cannot be read keeps its earlier digest, so that putting it back is no change.
    """
    earlier, reasons = _read_cursor(cursor)
    seen = {name: dict(digests) for name, digests in earlier.seen.items()}
    changed: dict[str, tuple[str, ...]] = {}
    noted: list[str] = []
    for set_name, things in snapshot.items():
        known = seen.setdefault(set_name, {})
        for name, now in things.items():
            is_waiting = waits_for_commit and now.is_dirty
            if now.digest is None:
                reasons.append(f"{set_name}: {name}: {now.problem or 'cannot be read'}")
                known.setdefault(name, None)
            elif name not in known:
                noted.append(f"{set_name} {name}")
                # What waits for its commit at the first look is not yet what ran.
                known[name] = None if is_waiting else now.digest
            elif known[name] != now.digest and is_waiting:
                reasons.append(f"{set_name}: {name} has changed and waits for its commit")
            elif known[name] != now.digest:
                changed[set_name] = (*changed.get(set_name, ()), name)
                known[name] = now.digest
    if noted:
        reasons.append(f"seen for the first time, to run when it changes: {', '.join(noted)}")
    generation = earlier.generation + bool(changed)
    state = {"version": CURSOR_VERSION, "generation": generation, "head": head, "seen": seen}
    return Decision(
        cursor=json.dumps(state, sort_keys=True),
        generation=generation,
        changed=changed,
        reasons=tuple(reasons),
        before=earlier.head,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cursor:
    generation: int = 0
    head: str | None = None
    seen: Mapping[str, Mapping[str, str | None]]


def _read_cursor(text: str | None) -> tuple[_Cursor, list[str]]:
    """The cursor, or an empty one with the reason; a cursor is never a cause to fail."""
    if not text:
        return _Cursor(seen={}), []
    try:
        state = json.loads(text)
        if state["version"] != CURSOR_VERSION:
            raise ValueError
        cursor = _Cursor(
            generation=int(state["generation"]),
            head=_text_or_none(state["head"]),
            seen={
                str(set_name): {str(name): _text_or_none(one) for name, one in digests.items()}
                for set_name, digests in state["seen"].items()
            },
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return _Cursor(seen={}), ["the cursor cannot be read; everything is noted anew"]
    return cursor, []


def _text_or_none(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError


# --- from what changed to the cells of the grids ------------------------------------------------


class Watched(StrEnum):
    """What is watched of a set beside prompts; the last two as ``question <model version>``."""

    DOCUMENTS = "documents"
    GOLD = "gold"
    PREDICTIONS = "predictions"
    QUESTION = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRequest:
    """One cell of a grid to run; ``extracts`` False: the stored extraction is judged again."""

    set_name: str
    model_version: str
    run_index: int
    extracts: bool


def cells_of_prompts(
    changed: Mapping[str, Sequence[str]], runs: Sequence[int]
) -> Iterator[CellRequest]:
    """The cells that a change of prompts makes stale: those of the model versions it is sent to."""
    for set_name, models in changed.items():
        for model_version in models:
            for run_index in runs:
                yield CellRequest(
                    set_name=set_name,
                    model_version=model_version,
                    run_index=run_index,
                    extracts=True,
                )


def cells_of_sets(
    changed: Mapping[str, Sequence[str]],
    models: Mapping[str, Sequence[str]],
    runs: Sequence[int],
) -> Iterator[CellRequest]:
    """The cells that a change of a set makes stale.

    Changed documents stale every extraction of the set; changed predictions, or another question,
    those of their model version; a changed label only what was judged from it.
    """
    for set_name, names in changed.items():
        for model_version in models.get(set_name, ()):
            own = {f"{one} {model_version}" for one in (Watched.PREDICTIONS, Watched.QUESTION)}
            extracts = Watched.DOCUMENTS in names or not own.isdisjoint(names)
            if not extracts and Watched.GOLD not in names:
                continue
            for run_index in runs:
                yield CellRequest(
                    set_name=set_name,
                    model_version=model_version,
                    run_index=run_index,
                    extracts=extracts,
                )

"""Committed answers: a folder of JSONL files that stand in for the network.

One line a key, sorted by set, label and run, so that a diff shows which documents were answered
anew and two branches that record different documents merge. Lines are indexed by key on first use
and read when asked for, so that a large folder costs memory for its keys only.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.llm.answers import AnswerFile


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    path: Path
    offset: int
    line: int


class Recordings:
    """One folder of committed answers; a folder that is not there holds none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index: dict[str, _Place] | None = None

    def read(self, key: str) -> AnswerFile | None:
        """What is recorded under a key; None when nothing is.

        Raises:
            InputError: a line of the folder is faulty; all faulty lines are named.
        """
        place = self._places().get(key)
        if place is None:
            return None
        with place.path.open("rb") as handle:
            handle.seek(place.offset)
            text = handle.readline().decode("utf-8")
        try:
            return record_json.from_text(AnswerFile, text)
        except InputError as error:
            raise InputError.one(
                str(place.path), f"not a recorded answer: {error}", line=place.line
            ) from None

    def keys(self) -> tuple[str, ...]:
        """All keys of the folder."""
        return tuple(self._places())

    def keys_of(self, path: Path) -> tuple[str, ...]:
        """The keys of one file of the folder."""
        return tuple(key for key, place in self._places().items() if place.path == path)

    def _places(self) -> dict[str, _Place]:
        if self._index is None:
            self._index = _index(self.folder)
        return self._index


def _index(folder: Path) -> dict[str, _Place]:
    """Where each key's line begins."""
    places: dict[str, _Place] = {}
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        offset = 0
        with path.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                here = _Place(path=path, offset=offset, line=number)
                offset += len(line)
                if line.strip():
                    _place_line(line, here, places, faults)
    if faults:
        raise InputError(faults)
    return places


def _place_line(line: bytes, here: _Place, places: dict[str, _Place], faults: list[Fault]) -> None:
    """Adds a line to the index, or the fault that keeps it out."""
    where = str(here.path)
    key = _key_of(line)
    if key is None:
        faults.append(
            Fault(
                where=where,
                line=here.line,
                problem="not a recorded answer",
                remedy="Record the folder anew with `evals answers export`.",
            )
        )
    elif key in places:
        other = places[key]
        faults.append(
            Fault(
                where=where,
                line=here.line,
                problem=f"key {key[:12]}… stands here and at {other.path}:{other.line}",
                remedy="Keep one of the two lines.",
            )
        )
    else:
        places[key] = here


def _key_of(line: bytes) -> str | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    key = value.get("key") if isinstance(value, dict) else None
    return key if isinstance(key, str) else None

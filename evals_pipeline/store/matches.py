"""Judged cases and judged fields as rows, and back."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import FieldOutcome, Presence
from evals_pipeline.core.run_records import (
    FieldMatch,
    InputDigests,
    JudgedCase,
    JudgedClaim,
    JudgedGold,
    NearMiss,
    PartitionKey,
    Provenance,
    RunStamp,
)
from evals_pipeline.places import Place
from evals_pipeline.store.parquet import Columns, Header, opened, write_rows
from evals_pipeline.store.rows import batches_of, json_text, partition_of
from evals_pipeline.store.tables import CASES, CLAIM_MATCHES, FIELD_MATCHES

_CASES_A_BATCH = 500
_FIELDS_A_BATCH = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCases:
    """The judged cases of one partition, in the order they were written."""

    cases: tuple[JudgedCase, ...]
    digests: InputDigests
    stamp: RunStamp


# --- claims -------------------------------------------------------------------------------------


def write_judged_cases(
    root: Place,
    key: PartitionKey,
    cases: Sequence[JudgedCase],
    provenance: Mapping[str, Provenance],
    header: Header,
) -> None:
    """Stores a partition's judged cases; the rows of ``claim_matches`` are written last."""
    partition = partition_of(key)
    whole = (_case_columns(batch) for batch in batches_of(cases, _CASES_A_BATCH))
    write_rows(root, CASES, partition, whole, header)
    batches = (_match_columns(batch, provenance) for batch in batches_of(cases, _CASES_A_BATCH))
    write_rows(root, CLAIM_MATCHES, partition, batches, header)


def read_judged_cases(root: Place, key: PartitionKey) -> StoredCases | None:
    """A partition's judged cases; None when it has none stored."""
    with opened(root, CASES, partition_of(key)) as file:
        if file is None:
            return None
        rows = file.rows(["payload"], batch=_CASES_A_BATCH)
        return StoredCases(
            cases=tuple(record_json.from_text(JudgedCase, text) for (text,) in rows),
            digests=file.digests,
            stamp=file.header.stamp,
        )


def _case_columns(cases: Sequence[JudgedCase]) -> Columns:
    return {
        "fixture_id": [case.case_id for case in cases],
        "status": [case.status.value for case in cases],
        "reason": [case.reason for case in cases],
        "n_claims": [len(case.claims) for case in cases],
        "n_gold": [len(case.gold) for case in cases],
        "payload": [record_json.to_text(case) for case in cases],
    }


def _match_columns(cases: Sequence[JudgedCase], provenance: Mapping[str, Provenance]) -> Columns:
    rows = [
        row | _origin(provenance.get(case.case_id)) | {"fixture_id": case.case_id}
        for case in cases
        for row in (
            *(_claim_row(position, claim) for position, claim in enumerate(case.claims)),
            *(_gold_row(position, gold) for position, gold in enumerate(case.gold)),
        )
    ]
    return {column.name: [row.get(column.name) for row in rows] for column in CLAIM_MATCHES.columns}


def _claim_row(position: int, judged: JudgedClaim) -> dict[str, Any]:
    return {
        "side": "claim",
        "position": position,
        "content": judged.claim.content,
        "outcome": judged.outcome.value,
        "matched_position": judged.gold_index,
        "similarity": judged.similarity,
        "confidence": judged.claim.confidence,
        "suspect": json_text(judged.suspect),
        "rendering": judged.rendering,
        "near": _near_text(judged.near),
        "note": judged.note,
    }


def _gold_row(position: int, judged: JudgedGold) -> dict[str, Any]:
    return {
        "side": "gold",
        "position": position,
        "content": judged.gold.content,
        "outcome": judged.outcome.value,
        "matched_position": judged.claim_index,
        "similarity": judged.similarity,
        "confidence_min": judged.gold.confidence_min,
        "required": judged.gold.required,
        "near": _near_text(judged.near),
    }


def _near_text(near: Sequence[NearMiss]) -> str:
    return json_text([{"content": one.content, "similarity": one.similarity} for one in near])


def _origin(provenance: Provenance | None) -> dict[str, Any]:
    if provenance is None:
        return {}
    return {"extractor": provenance.extractor, "answer_key": provenance.answer_key}


# --- fields -------------------------------------------------------------------------------------

# A match's attributes in the order of its constructor; each is a column of the same name, except
# the run index, which is the partition's.
_ATTRIBUTES = FieldMatch._fields
_STORED = tuple(name for name in _ATTRIBUTES if name != "run_index")
_OUTCOMES = {outcome.value: outcome for outcome in FieldOutcome}
_PRESENCES: dict[str | None, Presence | None] = {
    None: None,
    **{presence.value: presence for presence in Presence},
}


def write_field_matches(
    root: Place,
    key: PartitionKey,
    matches: Iterable[FieldMatch],
    provenance: Mapping[str, Provenance],
    header: Header,
) -> None:
    """Stores a partition's judged fields as they stream by."""
    batches = (_field_columns(batch, provenance) for batch in batches_of(matches, _FIELDS_A_BATCH))
    write_rows(root, FIELD_MATCHES, partition_of(key), batches, header)


def iter_field_matches(
    root: Place, key: PartitionKey, expected: InputDigests | None
) -> Iterator[FieldMatch]:
    """A partition's judged fields one by one, in bounded memory; none when it has none stored.

    Raises:
        RefusedError: the rows were not made from ``expected``, where that is given.
    """
    with opened(root, FIELD_MATCHES, partition_of(key)) as file:
        if file is None:
            return
        if expected is not None and file.digests != expected:
            raise RefusedError(
                f"storage: the matches of {partition_of(key)} were made anew from other inputs "
                "while they were about to be read. Run again."
            )
        for row in file.rows(_STORED, batch=_FIELDS_A_BATCH):
            values = dict(zip(_STORED, row, strict=True))
            values["outcome"] = _OUTCOMES[values["outcome"]]
            values["presence"] = _PRESENCES[values["presence"]]
            values["trace"] = _steps_of(values["trace"])
            yield FieldMatch(run_index=key.run_index, **values)


def _field_columns(matches: Sequence[FieldMatch], provenance: Mapping[str, Provenance]) -> Columns:
    columns: dict[str, list[Any]] = {name: list(map(attrgetter(name), matches)) for name in _STORED}
    columns["outcome"] = [outcome.value for outcome in columns["outcome"]]
    columns["presence"] = [presence and presence.value for presence in columns["presence"]]
    columns["trace"] = [json_text(trace) if trace else None for trace in columns["trace"]]
    origins = [provenance.get(fixture_id) for fixture_id in columns["fixture_id"]]
    columns["extractor"] = [origin and origin.extractor for origin in origins]
    columns["answer_key"] = [origin and origin.answer_key for origin in origins]
    return columns


def _steps_of(text: str | None) -> tuple[str, ...]:
    return () if text is None else tuple(json.loads(text))

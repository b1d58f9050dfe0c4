"""Extractions as rows, and back.

The file of ``extractions`` is written last and holds whole records, so that a reader never mixes
two writes; ``claims`` and ``field_values`` are the same content laid out for SQL.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from evals_pipeline.core import record_json
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import (
    Claim,
    Extraction,
    FieldValue,
    InputDigests,
    PartitionKey,
    RunStamp,
)
from evals_pipeline.places import Place
from evals_pipeline.store.parquet import Columns, Header, StoredFile, opened, write_rows
from evals_pipeline.store.rows import batches_of, json_text, partition_of
from evals_pipeline.store.tables import CLAIMS, EXTRACTIONS, FIELD_VALUES

_BATCH = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExtractions:
    """The extractions of one partition, in the order they were written."""

    extractions: tuple[Extraction, ...]
    digests: InputDigests
    stamp: RunStamp


def write_extractions(
    root: Place,
    key: PartitionKey,
    extractions: Sequence[Extraction],
    fixtures: Mapping[str, Fixture],
    header: Header,
) -> None:
    """Stores a partition's extractions; ``fixtures`` are by fixture id."""
    partition = partition_of(key)
    write_rows(root, CLAIMS, partition, _claim_batches(extractions), header)
    write_rows(root, FIELD_VALUES, partition, _value_batches(extractions), header)
    batches = (_columns(batch, fixtures) for batch in batches_of(extractions, _BATCH))
    write_rows(root, EXTRACTIONS, partition, batches, header)


def read_extractions(root: Place, key: PartitionKey) -> StoredExtractions | None:
    """A partition's extractions; None when it has none stored."""
    with opened(root, EXTRACTIONS, partition_of(key)) as file:
        if file is None:
            return None
        return StoredExtractions(
            extractions=tuple(_extractions_in(file)),
            digests=file.digests,
            stamp=file.header.stamp,
        )


def iter_extractions(root: Place, key: PartitionKey) -> Iterator[Extraction]:
    """A partition's extractions one by one, in bounded memory; none when it has none stored."""
    with opened(root, EXTRACTIONS, partition_of(key)) as file:
        if file is not None:
            yield from _extractions_in(file)


def _extractions_in(file: StoredFile) -> Iterator[Extraction]:
    for (text,) in file.rows(["payload"], batch=_BATCH):
        yield record_json.from_text(Extraction, text)


def _columns(batch: Sequence[Extraction], fixtures: Mapping[str, Fixture]) -> Columns:
    origins = [extraction.provenance for extraction in batch]
    usages = [origin.usage for origin in origins]
    costs = [origin.cost for origin in origins]
    known = [fixtures.get(extraction.fixture_id) for extraction in batch]
    return {
        "fixture_id": [extraction.fixture_id for extraction in batch],
        "fixture_name": [fixture and fixture.name for fixture in known],
        "fixture_sha256": [fixture and fixture.sha256 for fixture in known],
        "status": [extraction.status.value for extraction in batch],
        "reason": [extraction.reason for extraction in batch],
        "recovered": [extraction.recovered for extraction in batch],
        "repaired": [extraction.repaired for extraction in batch],
        "n_claims": [len(extraction.claims) for extraction in batch],
        "n_fields": [len(extraction.fields) for extraction in batch],
        "extractor": [origin.extractor for origin in origins],
        "prompt_sha256": [origin.prompt_sha256 for origin in origins],
        "answer_key": [origin.answer_key for origin in origins],
        "provider_model": [origin.provider_model for origin in origins],
        "system_fingerprint": [origin.system_fingerprint for origin in origins],
        "finish_reason": [origin.finish_reason for origin in origins],
        "input_tokens": [usage and usage.input_tokens for usage in usages],
        "cached_input_tokens": [usage and usage.cached_input_tokens for usage in usages],
        "output_tokens": [usage and usage.output_tokens for usage in usages],
        "cost_usd": [None if cost is None or cost.usd is None else str(cost.usd) for cost in costs],
        "price_table": [cost and cost.price_table for cost in costs],
        "cost_is_new": [cost and cost.is_new for cost in costs],
        "retries": [origin.retries for origin in origins],
        "duration_s": [origin.duration_s for origin in origins],
        "payload": [record_json.to_text(extraction) for extraction in batch],
    }


def _claim_batches(extractions: Iterable[Extraction]) -> Iterator[Columns]:
    rows = chain.from_iterable(
        ((extraction.fixture_id, index, claim) for index, claim in enumerate(extraction.claims))
        for extraction in extractions
    )
    for batch in batches_of(rows, _BATCH):
        claims: list[Claim] = [claim for _, _, claim in batch]
        yield {
            "fixture_id": [fixture_id for fixture_id, _, _ in batch],
            "claim_index": [index for _, index, _ in batch],
            "content": [claim.content for claim in claims],
            "confidence": [claim.confidence for claim in claims],
            "confidence_flag": [claim.confidence_flag for claim in claims],
            "subjects": [json_text(claim.subjects) for claim in claims],
            "properties": [json_text(claim.properties) for claim in claims],
        }


def _value_batches(extractions: Iterable[Extraction]) -> Iterator[Columns]:
    rows = chain.from_iterable(
        ((extraction.fixture_id, name, value) for name, value in extraction.fields.items())
        for extraction in extractions
    )
    for batch in batches_of(rows, _BATCH):
        values: list[FieldValue] = [value for _, _, value in batch]
        yield {
            "fixture_id": [fixture_id for fixture_id, _, _ in batch],
            "field": [name for _, name, _ in batch],
            "value": [json_text(value.value) for value in values],
            "presence": [value.presence.value for value in values],
            "confidence": [value.confidence for value in values],
            "confidence_flag": [value.confidence_flag for value in values],
            "note": [value.note for value in values],
        }

"""What was spent: one row for every answer that was paid for, in the run that paid.

The table only grows. An answer served from the record costs nothing new and gets no row here; what
it cost at first stands beside its extraction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from evals_pipeline.core.run_records import Cost, PartitionKey, Usage
from evals_pipeline.places import Place
from evals_pipeline.store.layout import partitions_of
from evals_pipeline.store.parquet import Columns, Header, opened, write_rows
from evals_pipeline.store.rows import partition_of
from evals_pipeline.store.tables import COSTS


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEntry:
    """One answer that was paid for; ``purpose`` is ``extraction`` or ``judge``."""

    purpose: str
    label: str
    answer_key: str | None
    provider_model: str | None
    usage: Usage | None
    cost: Cost
    retries: int = 0
    duration_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentCost:
    """A stored cost entry with the cell and the run that paid for it; ``recorded_at`` is UTC."""

    key: PartitionKey
    entry: CostEntry
    run_id: str
    recorded_at: datetime


def write_costs(
    root: Place, key: PartitionKey, entries: Sequence[CostEntry], header: Header
) -> int:
    """Adds the entries whose cost is new; says how many those were."""
    new = [entry for entry in entries if entry.cost.is_new]
    if new:
        moment = header.stamp.at.strftime("%Y%m%dT%H%M%S%f")
        part = f"{moment}-{header.stamp.run_id}-{new[0].purpose}"
        write_rows(root, COSTS, partition_of(key, part), [_columns(new)], header)
    return len(new)


def iter_costs(root: Place, set_name: str | None = None) -> Iterator[SpentCost]:
    """Everything that was ever paid for, or what was paid for one set, run by run."""
    for partition in partitions_of(root, COSTS, set_name):
        key = PartitionKey(
            set_name=partition.set_name,
            model_version=partition.model_version or "",
            run_index=partition.run_index or 0,
        )
        with opened(root, COSTS, partition) as file:
            for row in file.rows(_READ) if file is not None else ():
                values = dict(zip(_READ, row, strict=True))
                run_id, recorded_at = values.pop("run_id"), values.pop("recorded_at")
                yield SpentCost(
                    key=key,
                    entry=_entry(values),
                    run_id=run_id,
                    recorded_at=recorded_at.replace(tzinfo=UTC),
                )


_READ = (*(column.name for column in COSTS.columns), "run_id", "recorded_at")


def _entry(values: dict[str, Any]) -> CostEntry:
    usage = Usage(
        input_tokens=values.pop("input_tokens"),
        cached_input_tokens=values.pop("cached_input_tokens"),
        output_tokens=values.pop("output_tokens"),
    )
    amount, price_table = values.pop("cost_usd"), values.pop("price_table")
    cost = Cost(usd=None if amount is None else Decimal(amount), price_table=price_table)
    return CostEntry(usage=None if usage == Usage() else usage, cost=cost, **values)


def _columns(entries: Sequence[CostEntry]) -> Columns:
    usages = [entry.usage for entry in entries]
    amounts = [entry.cost.usd for entry in entries]
    return {
        "purpose": [entry.purpose for entry in entries],
        "label": [entry.label for entry in entries],
        "answer_key": [entry.answer_key for entry in entries],
        "provider_model": [entry.provider_model for entry in entries],
        "input_tokens": [usage and usage.input_tokens for usage in usages],
        "cached_input_tokens": [usage and usage.cached_input_tokens for usage in usages],
        "output_tokens": [usage and usage.output_tokens for usage in usages],
        "cost_usd": [None if amount is None else str(amount) for amount in amounts],
        "price_table": [entry.cost.price_table for entry in entries],
        "retries": [entry.retries for entry in entries],
        "duration_s": [entry.duration_s for entry in entries],
    }

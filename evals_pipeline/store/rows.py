"""What every table's rows have in common: batches, and a grid's cell as a partition."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.store.layout import Partition

T = TypeVar("T")


def partition_of(key: PartitionKey, part: str | None = None) -> Partition:
    """A cell of a set's grid as a partition of a table."""
    return Partition(
        set_name=key.set_name,
        model_version=key.model_version,
        run_index=key.run_index,
        part=part,
    )


def batches_of(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """The rows in lists of at most ``size``."""
    batch: list[T] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def json_text(value: object) -> str:
    """A nested part of a row as strict JSON; a Decimal is a number with all of its digits.

    Raises:
        RefusedError: a number is NaN or infinite, or a text is no text.
    """
    try:
        return strict_json.dumps(value)
    except (TypeError, ValueError) as error:
        raise RefusedError(f"storage: {error}; nothing was stored.") from None

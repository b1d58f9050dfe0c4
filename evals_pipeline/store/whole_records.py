"""Whole records in parts: exact, streamed, and as large as they come.

A set of a hundred thousand documents has figures of millions of tallies. One JSON text of it would
be held in memory several times over, so the long tuples of the known records are stored apart, a
few thousand items a row, in the order in which they are read back.
"""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from evals_pipeline.core import record_json
from evals_pipeline.core.figures import ClaimFigures, FieldFigures, GateReport, SetFigures
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.parquet import Columns, Header, opened, write_rows
from evals_pipeline.store.rows import batches_of
from evals_pipeline.store.storage_errors import DamagedFileError
from evals_pipeline.store.tables import RECORDS

T = TypeVar("T")

_APART: dict[type[Any], tuple[str, ...]] = {
    SetFigures: ("fields", "slices"),
    FieldFigures: ("documents", "misses"),
    ClaimFigures: ("cases",),
    HarnessFigures: ("cases",),
    ResolutionFigures: ("subjects",),
    GateReport: ("fields", "newly_failing", "newly_passing", "not_gated"),
}
_ITEMS_A_ROW = 2_000
_ROWS_A_BATCH = 50


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Generic[T]):
    """A record with what it was made from and by whom."""

    record: T
    digests: InputDigests
    stamp: RunStamp


def write_record(root: Place, partition: Partition, record: Any, header: Header) -> None:
    """Stores a record of a set and a model version under the partition's ``part``."""
    kind = type(record).__name__
    own = dataclasses.replace(header, extras={**header.extras, "kind": kind})
    batches = (_columns(kind, batch) for batch in batches_of(_parts(record, ""), _ROWS_A_BATCH))
    write_rows(root, RECORDS, partition, batches, own)


def read_record(root: Place, partition: Partition, *kinds: type[T]) -> Stored[T] | None:
    """The record that stands in a partition, one of ``kinds``; None when there is none.

    Raises:
        DamagedFileError: the file holds another kind of record, or one of an older version whose
            fields do not fit any more.
    """
    with opened(root, RECORDS, partition) as file:
        if file is None:
            return None
        stamp = file.header.stamp
        by_name = {kind.__name__: kind for kind in kinds}
        kind = by_name.get(file.header.extras.get("kind", ""))
        if kind is None:
            raise DamagedFileError(
                f"storage: {partition}: is no {' or '.join(by_name)}. Materialise it again."
            )
        rows = _Rows(file.rows(["place", "payload"], batch=_ROWS_A_BATCH))
        try:
            record = _assemble(rows, kind, "")
        except (record_json.RecordJsonError, ValueError, LookupError) as error:
            raise DamagedFileError(
                f"storage: {partition}: was written by version {stamp.package_version} and does "
                f"not read any more ({error}). Materialise it again."
            ) from None
        return Stored(record=record, digests=file.digests, stamp=stamp)


def _columns(kind: str, batch: list[tuple[str, str]]) -> Columns:
    return {
        "kind": [kind] * len(batch),
        "place": [place for place, _ in batch],
        "payload": [text for _, text in batch],
    }


def _parts(record: Any, place: str) -> Iterator[tuple[str, str]]:
    """The record without its long tuples, then each of those in turn."""
    apart = _APART.get(type(record), ())
    yield place, record_json.to_text(dataclasses.replace(record, **dict.fromkeys(apart, ())))
    for name in apart:
        items = getattr(record, name)
        if _item_type(type(record), name) in _APART:
            for index, item in enumerate(items):
                yield from _parts(item, f"{place}{name}/{index}/")
        else:
            for chunk in batches_of(items, _ITEMS_A_ROW):
                yield f"{place}{name}/", f"[{','.join(map(record_json.to_text, chunk))}]"


class _Rows:
    """Rows with a look at the next one."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self.next: tuple[str, str] | None = next(rows, None)

    def take(self) -> tuple[str, str]:
        row = self.next
        if row is None:
            raise LookupError("it ends early")
        self.next = next(self._rows, None)
        return row


def _assemble(rows: _Rows, cls: Any, place: str) -> Any:
    head = record_json.from_text(cls, rows.take()[1])
    taken: dict[str, tuple[Any, ...]] = {}
    for name in _APART.get(cls, ()):
        item_type = _item_type(cls, name)
        items: list[Any] = []
        while rows.next is not None and rows.next[0].startswith(f"{place}{name}/"):
            if item_type in _APART:
                items.append(_assemble(rows, item_type, rows.next[0]))
            else:
                chunk = json.loads(rows.take()[1])
                items.extend(record_json.decode(item_type, item) for item in chunk)
        taken[name] = tuple(items)
    return dataclasses.replace(head, **taken)


def _item_type(cls: type[Any], name: str) -> Any:
    """The type of the items of a tuple attribute."""
    return get_args(get_type_hints(cls)[name])[0]

"""Figures beside the grid, as rows of ``metrics`` and whole: harness suites, subject resolution.

The resolver is no model version, and no extractor has a part in what it does; its rows stand under
the name ``resolver``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evals_pipeline.core.harness_records import HarnessFigures, HarnessRate
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.metrics import spread_of, status_rows
from evals_pipeline.store.parquet import Header, write_rows
from evals_pipeline.store.tables import METRICS
from evals_pipeline.store.whole_records import Stored, read_record, write_record

RESOLVER = "resolver"
_HARNESS, _RESOLUTION = "harness", "resolution"
Row = dict[str, Any]


def write_harness(root: Place, figures: HarnessFigures, header: Header) -> None:
    """Stores the figures of a harness suite and a model version: as rows, then whole."""
    partition = Partition(set_name=figures.set_name, model_version=figures.model_version)
    runs = len(figures.run_indices)
    _write(root, partition, [row | {"n_runs_used": runs} for row in _harness_rows(figures)], header)
    write_record(root, replace(partition, part=_HARNESS), figures, header)


def read_harness(root: Place, set_name: str, model_version: str) -> Stored[HarnessFigures] | None:
    """The figures that were stored last; None when there are none."""
    partition = Partition(set_name=set_name, model_version=model_version, part=_HARNESS)
    return read_record(root, partition, HarnessFigures)


def write_resolution(root: Place, figures: ResolutionFigures, header: Header) -> None:
    """Stores how a suite's gold subjects were resolved: as rows, then whole."""
    partition = Partition(set_name=figures.set_name, model_version=RESOLVER)
    _write(root, partition, list(_resolution_rows(figures)), header)
    write_record(root, replace(partition, part=_RESOLUTION), figures, header)


def read_resolution(root: Place, set_name: str) -> Stored[ResolutionFigures] | None:
    """The resolution that was stored last; None when there is none."""
    partition = Partition(set_name=set_name, model_version=RESOLVER, part=_RESOLUTION)
    return read_record(root, partition, ResolutionFigures)


def _write(root: Place, partition: Partition, rows: list[Row], header: Header) -> None:
    columns = {column.name: [row.get(column.name) for row in rows] for column in METRICS.columns}
    write_rows(root, METRICS, partition, [columns], header)


def _harness_rows(figures: HarnessFigures) -> Iterator[Row]:
    for rate in figures.rates:
        yield _rate_row(rate, rate.name)
    for one in figures.classes:
        yield _rate_row(one.precision, f"precision.{one.name}")
        yield _rate_row(one.recall, f"recall.{one.name}")
    for cell in figures.confusion:
        name = f"confusion.{cell.expected}.{cell.emitted}"
        yield {"scope": "set", "metric": name, "value": float(cell.n), "count": cell.n}
    aligned = figures.n_aligned / figures.n_labels if figures.n_labels else None
    yield {
        "scope": "set",
        "metric": "aligned",
        "value": aligned,
        "reason": None if figures.n_labels else "there is no label",
        "n": figures.n_labels,
        "count": figures.n_aligned,
    }
    yield from status_rows(figures.statuses)


def _rate_row(rate: HarnessRate, name: str) -> Row:
    own = {"scope": "set", "metric": name, "n": rate.n, "count": rate.count}
    return own | spread_of(rate.figure)


def _resolution_rows(figures: ResolutionFigures) -> Iterator[Row]:
    for name in ("accuracy", "wrong_ref", "bare_local"):
        value = getattr(figures, name)
        yield {
            "scope": "set",
            "metric": f"resolution_{name}",
            "value": value,
            "reason": figures.reason if value is None else None,
            "n": figures.n_resolved,
        }
    yield {
        "scope": "set",
        "metric": "count.resolution_outages",
        "value": float(figures.n_outages),
        "count": figures.n_outages,
    }

"""Figures as rows of ``metrics``: one row a figure, with its counts or the reason it is absent."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evals_pipeline.core.figures import (
    CalibrationFigures,
    ClaimFigures,
    FieldFigures,
    Figure,
    SetFigures,
)
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.parquet import Header, write_rows
from evals_pipeline.store.rows import batches_of, json_text
from evals_pipeline.store.tables import METRICS
from evals_pipeline.store.whole_records import Stored, read_record, write_record

_PART = "figures"
_BATCH = 5_000
Row = dict[str, Any]


def write_metrics(
    root: Place,
    figures: SetFigures | ClaimFigures,
    header: Header,
    *,
    n_runs_expected: int | None,
) -> None:
    """Stores the figures of a set and a model version: as rows, then whole."""
    runs = {"n_runs_used": len(figures.run_indices), "n_runs_expected": n_runs_expected}
    rows = _claim_rows(figures) if isinstance(figures, ClaimFigures) else _set_rows(figures)
    batches = (
        {
            column.name: [(row | runs).get(column.name) for row in batch]
            for column in METRICS.columns
        }
        for batch in batches_of(rows, _BATCH)
    )
    partition = Partition(set_name=figures.set_name, model_version=figures.model_version)
    write_rows(root, METRICS, partition, batches, header)
    write_record(root, replace(partition, part=_PART), figures, header)


def read_figures(
    root: Place, set_name: str, model_version: str
) -> Stored[SetFigures | ClaimFigures] | None:
    """The figures that were stored last, equal to what was written; None when there are none."""
    kinds: tuple[type[SetFigures | ClaimFigures], ...] = (SetFigures, ClaimFigures)
    partition = Partition(set_name=set_name, model_version=model_version, part=_PART)
    return read_record(root, partition, *kinds)


def _claim_rows(figures: ClaimFigures) -> Iterator[Row]:
    for name, figure in figures.metrics.items():
        yield {"scope": "set", "metric": name} | spread_of(figure)
    for name, count in figures.counts.items():
        yield {"scope": "set", "metric": f"count.{name}", "value": float(count), "count": count}
    yield from status_rows(figures.statuses)
    yield from _calibration_rows(figures.calibration, "calibration", {"scope": "set"})
    yield from _calibration_rows(
        figures.calibration_semantic, "calibration_semantic", {"scope": "set"}
    )


def _set_rows(figures: SetFigures) -> Iterator[Row]:
    for field in figures.fields:
        yield from _field_rows(field)
    for part in figures.slices:
        where = {"scope": "slice", "slice": part.slice, "field": part.field}
        yield where | {"metric": "accuracy"} | _share(part.correct, part.n)
    yield {"scope": "set", "metric": "accuracy"} | _share(figures.correct, figures.n)
    yield from status_rows(figures.statuses)


def _field_rows(field: FieldFigures) -> Iterator[Row]:
    where = {"scope": "field", "field": field.field}
    by_run = [value for value in field.accuracy_by_run if value is not None]
    yield {
        **where,
        "metric": "accuracy",
        "value": field.accuracy,
        "reason": _reason(field.accuracy, "no document was planned"),
        "n": field.n,
        "count": field.correct,
        "ci_low": field.ci_low,
        "ci_high": field.ci_high,
        "min": min(by_run, default=None),
        "max": max(by_run, default=None),
        "values_by_run": json_text(field.accuracy_by_run),
    }
    for metric, value, n, absent in (
        ("value_recall", field.value_recall, field.n_values, "no document has a labelled value"),
        ("invention_rate", field.invention_rate, field.n_absences, "no labelled absence"),
        ("disagreement", field.disagreement, field.n_compared, "no document has two valid runs"),
    ):
        row = {"metric": metric, "value": value, "reason": _reason(value, absent), "n": n}
        yield where | row
    for outcome, count in field.outcomes.items():
        yield where | {"metric": f"outcome.{outcome.value}"} | _share(count, field.n)
    if field.calibration is not None:
        yield from _calibration_rows(field.calibration, "calibration", where)


def status_rows(statuses: StatusCounts) -> Iterator[Row]:
    """How the extractions ended, one row a status."""
    for name in ("ok", "declined", "error", "truncated", "unparsable", "absent"):
        count = getattr(statuses, name)
        yield {"scope": "set", "metric": f"status.{name}"} | _share(count, statuses.planned)


def _calibration_rows(figures: CalibrationFigures, prefix: str, where: Row) -> Iterator[Row]:
    for metric, value in (
        ("ece", figures.ece),
        ("ece_adaptive", figures.ece_adaptive),
        ("brier", figures.brier),
        ("auroc", figures.auroc),
    ):
        absent = figures.reason or "not defined for these confidences"
        yield where | {
            "metric": f"{prefix}.{metric}",
            "value": value,
            "reason": _reason(value, absent),
            "n": figures.n,
        }


def spread_of(figure: Figure) -> Row:
    """The columns of a figure over runs."""
    return {
        "value": figure.mean,
        "reason": figure.reason,
        "min": figure.min,
        "max": figure.max,
        "stdev": figure.stdev,
        "values_by_run": json_text(figure.values),
    }


def _share(count: int, n: int) -> Row:
    value = count / n if n else None
    return {"value": value, "reason": _reason(value, "nothing to count"), "n": n, "count": count}


def _reason(value: float | None, absent: str) -> str | None:
    return absent if value is None else None

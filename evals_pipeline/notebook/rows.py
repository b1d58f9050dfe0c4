"""Rows of the frames, as plain values by column."""

from collections.abc import Iterator
from typing import Any

from evals_pipeline.core.claim_text import case_without_text
from evals_pipeline.core.figures import CalibrationFigures, ClaimFigures
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.run_records import JudgedCase
from evals_pipeline.core.similarity import clamped
from evals_pipeline.pipeline.scoring import AnyFigures


def head(figures: AnyFigures) -> dict[str, Any]:
    """What every row begins with."""
    return {"set": figures.set_name, "model_version": figures.model_version}


def figure_rows(figures: AnyFigures, *, is_outdated: bool) -> list[dict[str, Any]]:
    """One row a field, or a metric."""
    if isinstance(figures, ClaimFigures):
        return [
            {
                **head(figures),
                "metric": name,
                "mean": one.mean,
                "min": one.min,
                "max": one.max,
                "range": one.range,
                "stdev": one.stdev,
                "n_runs": len(one.values),
                "reason": one.reason,
                "is_outdated": is_outdated,
            }
            for name, one in figures.metrics.items()
        ]
    same = (
        "field", "kind", "n", "correct", "accuracy", "ci_low", "ci_high", "value_recall",
        "n_values", "invention_rate", "n_absences", "disagreement", "n_compared", "is_unstable",
    )  # fmt: skip
    return [
        {
            **head(figures),
            **{name: getattr(one, name) for name in same},
            "calibration_error": None if one.calibration is None else one.calibration.ece,
            "n_misses": len(one.misses),
            "is_outdated": is_outdated,
        }
        for one in figures.fields
    ]


def values_by_run(figures: AnyFigures) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    """The name of every field or metric with its values in the order of the runs."""
    if isinstance(figures, ClaimFigures):
        for name, one in figures.metrics.items():
            yield name, one.values
    else:
        for field in figures.fields:
            yield field.field, field.accuracy_by_run


def calibrations(figures: AnyFigures) -> Iterator[tuple[str, CalibrationFigures]]:
    """What has a reliability diagram, by name."""
    if isinstance(figures, ClaimFigures):
        yield "matched in full", figures.calibration
        yield "semantic match", figures.calibration_semantic
        return
    for one in figures.fields:
        if one.calibration is not None:
            yield one.field, one.calibration


def claim_rows(case: JudgedCase, *, with_text: bool) -> Iterator[dict[str, Any]]:
    """The emitted claims of one case in one run, then its gold claims."""
    case = case if with_text else case_without_text(case)
    place = {"case_id": case.case_id, "run_index": case.run_index}
    for claim in case.claims:
        gold = None if claim.gold_index is None else case.gold[claim.gold_index].gold
        yield {
            **place,
            "side": "claim",
            "outcome": claim.outcome.value,
            "content": claim.claim.content if with_text else None,
            "matched": None if gold is None else gold.content,
            "similarity": clamped(claim.similarity),
            "confidence": claim.claim.confidence,
            "confidence_min": None if gold is None else gold.confidence_min,
            "required": None if gold is None else gold.required,
            "suspect": list(claim.suspect),
            "note": claim.note,
        }
    for one in case.gold:
        claim_text = None
        if one.claim_index is not None and with_text:
            claim_text = case.claims[one.claim_index].claim.content
        yield {
            **place,
            "side": "gold",
            "outcome": one.outcome.value,
            "content": one.gold.content,
            "matched": claim_text,
            "similarity": clamped(one.similarity),
            "confidence_min": one.gold.confidence_min,
            "required": one.gold.required,
            "suspect": [],
        }


def harness_rows(figures: HarnessFigures, *, is_outdated: bool) -> Iterator[dict[str, Any]]:
    """A row for each rate of a harness suite, then one for each cell of its confusion table."""
    head_of = {
        "set": figures.set_name,
        "model_version": figures.model_version,
        "harness": figures.kind.value,
        "is_outdated": is_outdated,
    }
    for rate in figures.rates:
        figure = rate.figure
        yield head_of | {
            "rate": rate.name,
            "mean": figure.mean,
            "min": figure.min,
            "max": figure.max,
            "range": figure.range,
            "stdev": figure.stdev,
            "count": rate.count,
            "n": rate.n,
            "reason": figure.reason,
        }
    for cell in figures.confusion:
        yield head_of | {"rate": f"confusion.{cell.expected}.{cell.emitted}", "count": cell.n}

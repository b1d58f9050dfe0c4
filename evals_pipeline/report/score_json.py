"""Figures of suites and golden sets as JSON, an interface that other tools read; ``docs/json.md``.

Strict and sorted. What is unmeasured is null, with the reason beside it.
"""

from evals_pipeline.core.claim_text import case_without_text
from evals_pipeline.core.figures import (
    ClaimFigures,
    FieldFigures,
    Figure,
    SetFigures,
)
from evals_pipeline.core.json_interface import JSON_VERSION
from evals_pipeline.core.judge_settings import JudgedBy
from evals_pipeline.core.outcomes import GoldOutcome
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import JudgedCase, JudgedClaim, JudgedGold
from evals_pipeline.core.similarity import clamped
from evals_pipeline.report.calibration_table import stated_json
from evals_pipeline.report.gate_json import miss_json, status_json

_JUDGED_BY = ("judge", "judge_model", "threshold", "asked_from", "assignment", "guards")


def fields_json(figures: SetFigures) -> dict[str, JsonValue]:
    """The figures of a golden set for one model version."""
    return {
        **_head(figures, "fields"),
        "fields": [_field(one) for one in figures.fields],
        "overall": {
            "n": figures.n,
            "correct": figures.correct,
            "accuracy": figures.correct / figures.n if figures.n else None,
        },
        "counts": status_json(figures.statuses),
        "slices": [
            {"slice": one.slice, "field": one.field, "n": one.n, "correct": one.correct}
            for one in figures.slices
        ],
    }


def claims_json(figures: ClaimFigures, *, with_claim_text: bool = True) -> dict[str, JsonValue]:
    """The figures of a suite for one model version.

    Without ``with_claim_text`` the content and subjects of emitted claims are null, and of flags
    and remarks the kind alone is said, for settings that keep the text of fixtures out of files;
    the suite's own gold claims stay.
    """
    return {
        **_head(figures, "claims"),
        "set_version": figures.set_version,
        **_judged_by_json(figures.judged_by),
        "metrics": {name: _figure(figure) for name, figure in figures.metrics.items()},
        "counts": {**status_json(figures.statuses), **figures.counts},
        "calibration": {
            "full_match": stated_json(figures.calibration),
            "semantic": stated_json(figures.calibration_semantic),
        },
        "cases": [_case(one, with_claim_text=with_claim_text) for one in figures.cases],
    }


def _head(figures: SetFigures | ClaimFigures, kind: str) -> dict[str, JsonValue]:
    return {
        "version": JSON_VERSION,
        "set": figures.set_name,
        "kind": kind,
        "model_version": figures.model_version,
        "runs": len(figures.run_indices),
        "run_indices": list(figures.run_indices),
        "notes": list(figures.notes),
    }


def _judged_by_json(judged: JudgedBy | None) -> dict[str, JsonValue]:
    """Who judged the claims and how they were paired; null where that was not noted."""
    if judged is None:
        return dict.fromkeys(_JUDGED_BY)
    found = (
        judged.judge,
        judged.model,
        judged.threshold,
        judged.low,
        judged.assignment,
        judged.guards,
    )
    return dict(zip(_JUDGED_BY, found, strict=True))


def _field(one: FieldFigures) -> dict[str, JsonValue]:
    return {
        "field": one.field,
        "kind": one.kind,
        "weight": one.weight,
        "n": one.n,
        "correct": one.correct,
        "accuracy": one.accuracy,
        "accuracy_by_run": list(one.accuracy_by_run),
        "ci_low": one.ci_low,
        "ci_high": one.ci_high,
        "value_recall": one.value_recall,
        "values": one.n_values,
        "invention_rate": one.invention_rate,
        "absences": one.n_absences,
        "disagreement": one.disagreement,
        "compared": one.n_compared,
        "unstable": one.is_unstable,
        "outcomes": {outcome.value: count for outcome, count in one.outcomes.items()},
        "misses": [miss_json(miss) for miss in one.misses],
        "calibration": None if one.calibration is None else stated_json(one.calibration),
        "lone_miss": one.lone_miss,
    }


def _figure(figure: Figure) -> dict[str, JsonValue]:
    return {
        "mean": figure.mean,
        "min": figure.min,
        "max": figure.max,
        "range": figure.range,
        "stdev": figure.stdev,
        "values": list(figure.values),
        "reason": figure.reason,
    }


def _case(case: JudgedCase, *, with_claim_text: bool) -> dict[str, JsonValue]:
    case = case if with_claim_text else case_without_text(case)
    missed = (GoldOutcome.MISSED, GoldOutcome.UNJUDGED)
    return {
        "case_id": case.case_id,
        "run_index": case.run_index,
        "status": case.status.value,
        "reason": case.reason,
        "claims": [_claim(one, case, with_text=with_claim_text) for one in case.claims],
        "missed": [_missed(one) for one in case.gold if one.outcome in missed],
    }


def _claim(one: JudgedClaim, case: JudgedCase, *, with_text: bool) -> dict[str, JsonValue]:
    matched = None if one.gold_index is None else case.gold[one.gold_index].gold.content
    return {
        "content": one.claim.content if with_text else None,
        "confidence": one.claim.confidence,
        "confidence_flag": one.claim.confidence_flag,
        "subjects": list(one.claim.subjects) if with_text else None,
        "outcome": one.outcome.value,
        "matched_expected": matched,
        "similarity": clamped(one.similarity),
        "suspect": list(one.suspect),
        "note": one.note,
    }


def _missed(one: JudgedGold) -> dict[str, JsonValue]:
    return {
        "content": one.gold.content,
        "required": one.gold.required,
        "outcome": one.outcome.value,
        "similarity": clamped(one.similarity),
    }

"""The gate as JSON, an interface that other tools read; see ``docs/json.md``.

Strict and sorted. What is unmeasured is null. Shares are numbers between 0 and 1 (the gate itself
compares fractions), money is text, so that no reader rounds it.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from evals_pipeline.core.figures import (
    CalibrationDelta,
    ChangedDocument,
    FieldDelta,
    GateReport,
    Miss,
)
from evals_pipeline.core.json_interface import JSON_VERSION
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.report.gate_words import SELECTED_NOTHING


def gate_json(reports: Sequence[GateReport]) -> dict[str, JsonValue]:
    """The gates that were asked for as one JSON value; without any, a refusal.

    ``reasons`` at the top name their set and model version; those inside a set do not.
    """
    reasons: list[JsonValue] = [
        f"{report.set_name} ({report.model_version}): {reason}"
        for report in reports
        for reason in report.reasons
    ]
    return {
        "version": JSON_VERSION,
        "verdict": GateVerdict.over(report.verdict for report in reports).value,
        "reasons": reasons if reports else [SELECTED_NOTHING],
        "sets": [_set(report) for report in reports],
    }


def _set(report: GateReport) -> dict[str, JsonValue]:
    delta = None
    if report.overall_now is not None and report.overall_baseline is not None:
        delta = report.overall_now - report.overall_baseline
    return {
        "set": report.set_name,
        "model_version": report.model_version,
        "verdict": report.verdict.value,
        "reasons": list(report.reasons),
        "baseline_source": report.baseline_source,
        "runs": report.n_runs,
        "baseline_runs": report.baseline_n_runs,
        "fields": [_field(row) for row in report.fields],
        "overall": {
            "baseline": _number(report.overall_baseline),
            "now": _number(report.overall_now),
            "delta": _number(delta),
            "noise": report.overall_noise,
            "within_noise": report.overall_is_within_noise,
        },
        "newly_failing": [_changed(one) for one in report.newly_failing],
        "newly_passing": [_changed(one) for one in report.newly_passing],
        "not_gated": [_changed(one) for one in report.not_gated],
        "calibration": [_calibration(row) for row in report.calibration],
        "counts": None if report.statuses is None else status_json(report.statuses),
        "cost_usd": _money(report.cost_usd),
        "baseline_cost_usd": _money(report.baseline_cost_usd),
        "hints": list(report.hints),
    }


def _field(row: FieldDelta) -> dict[str, JsonValue]:
    return {
        "field": row.field,
        "baseline": _number(row.baseline),
        "now": _number(row.now),
        "delta": _number(row.delta),
        "tolerance": row.tolerance,
        "verdict": row.verdict.value,
        "acknowledged": row.acknowledged,
        "p_value": row.p_value,
        "noise": row.noise,
        "within_noise": row.is_within_noise,
        "unstable": row.is_unstable,
        "documents": row.n_documents,
        "reason": row.reason,
        "misses": [miss_json(miss) for miss in row.misses],
    }


def _calibration(row: CalibrationDelta) -> dict[str, JsonValue]:
    return {
        "field": row.field,
        "baseline": _number(row.baseline),
        "now": _number(row.now),
        "delta": _number(row.delta),
        "tolerance": row.tolerance,
        "verdict": row.verdict.value,
        "n": row.n,
        "reason": row.reason,
    }


def _changed(one: ChangedDocument) -> dict[str, JsonValue]:
    return {
        "field": one.field,
        "document": one.fixture_id,
        "name": one.document,
        "change": one.change,
        "baseline": one.baseline,
        "now": one.now,
        "misses": [miss_json(miss) for miss in one.misses],
    }


def miss_json(miss: Miss) -> dict[str, JsonValue]:
    """One miss; ``document`` is the fixture's id and ``name`` what people call it."""
    return {
        "document": miss.fixture_id,
        "name": miss.document,
        "run_index": miss.run_index,
        "want": miss.want,
        "got": miss.got,
        "outcome": miss.outcome.value,
        "trace": list(miss.trace),
        "in_document": miss.in_document,
        "note": miss.note,
        "labelled_by": miss.labelled_by,
        "labelled_at": miss.labelled_at,
        "corrections": list(miss.corrections),
    }


def status_json(statuses: StatusCounts) -> dict[str, JsonValue]:
    """How the planned extractions ended."""
    return {
        "planned": statuses.planned,
        "ok": statuses.ok,
        "declined": statuses.declined,
        "error": statuses.error,
        "truncated": statuses.truncated,
        "unparsable": statuses.unparsable,
        "absent": statuses.absent,
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _money(value: Decimal | None) -> str | None:
    return None if value is None else str(value)

"""What a gate says in words, shared by the terminal, Markdown and JUnit."""

from collections.abc import Iterator

from evals_pipeline.core.figures import FieldDelta, GateReport
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.report.numbers import (
    count_text,
    delta_text,
    document_text,
    money_text,
    share_text,
)

_NAMED = 3


def verdict_words(row: FieldDelta) -> str:
    """The last column: empty where nothing happened, in capitals where the gate fails.

    Beside a drop stand the McNemar p-value and the spread between runs; they inform.
    """
    words = {
        FieldVerdict.UNCHANGED: "",
        FieldVerdict.IMPROVED: "improved",
        FieldVerdict.ACKNOWLEDGED: f"dropped, accepted: {row.acknowledged}",
        FieldVerdict.UNACKNOWLEDGED: f"DROPPED, NOT ACCEPTED (tolerance {row.tolerance})",
        FieldVerdict.REGRESSION: f"REGRESSION (tolerance {row.tolerance})",
        FieldVerdict.NEW: "new, nothing to compare with",
        FieldVerdict.VANISHED: "VANISHED",
    }[row.verdict]
    return ", ".join(part for part in (words, *_beside(row)) if part)


def _beside(row: FieldDelta) -> Iterator[str]:
    if row.delta is not None and row.delta < 0:
        if row.is_within_noise:
            yield "within noise"
        if row.p_value is not None:
            yield "p<0.001" if row.p_value < 0.001 else f"p={row.p_value:.3f}"
        if row.noise is not None:
            yield f"run spread {row.noise:.3f}"
    if row.is_unstable:
        yield "unstable"


def overall_words(report: GateReport) -> str:
    """The remark on the overall line, which is information and decides nothing."""
    if report.overall_is_within_noise is None:
        return "unchanged"
    return "within noise" if report.overall_is_within_noise else "beyond noise"


def heading(report: GateReport) -> str:
    """``FAIL: invoices, acme-2026-08-15``."""
    return f"{report.verdict.name}: {report.set_name}, {report.model_version}"


def comparison_words(report: GateReport) -> str:
    """What was compared with what, over how many documents and runs."""
    compared = [row.n_documents for row in report.fields if row.delta is not None]
    n_documents = max(compared, default=0)
    return (
        f"{count_text(n_documents, 'document')}, {count_text(report.n_runs, 'run')} now and "
        f"{report.baseline_n_runs} in the baseline: {report.baseline_source}"
    )


def pass_words(report: GateReport) -> str:
    """The line of a gate that passes."""
    accepted = [row.field for row in report.fields if row.verdict is FieldVerdict.ACKNOWLEDGED]
    if accepted:
        return f"PASS: {report.set_name}, with accepted drops of {', '.join(accepted)}"
    return f"PASS: no field of {report.set_name} dropped"


def set_level_reasons(report: GateReport) -> tuple[str, ...]:
    """The reasons that belong to no row."""
    of_rows = {row.reason for row in report.fields} | {row.reason for row in report.calibration}
    return tuple(reason for reason in report.reasons if reason not in of_rows)


def calibration_words(report: GateReport) -> str | None:
    """The verdict line of the fields' calibration; None where no field has a figure."""
    rows = report.calibration
    if not rows:
        return None
    limit = rows[0].tolerance
    n_worse = sum(1 for row in rows if row.reason is not None)
    if limit is None:
        verdict = "shown only, set.yaml states no gate.calibration_tolerance"
    elif n_worse:
        verdict = f"FAIL, {n_worse} beyond the tolerance {limit}"
    else:
        verdict = f"PASS, tolerance {limit}"
    rises = [(row.delta, row) for row in rows if row.delta is not None and row.delta > 0]
    if not rises:
        return f"calibration error of {count_text(len(rows), 'field')}: {verdict}; none rose"
    _, worst = max(rises, key=lambda rise: rise[0])
    return (
        f"calibration error of {count_text(len(rows), 'field')}: {verdict}; {len(rises)} rose, "
        f"most {worst.field} {share_text(worst.baseline)} to {share_text(worst.now)} "
        f"({delta_text(worst.delta)}, {count_text(worst.n, 'answer')})"
    )


def not_gated_words(report: GateReport) -> Iterator[str]:
    """One line per kind of document that was listed and not judged."""
    by_change: dict[str, list[str]] = {}
    for one in report.not_gated:
        name = document_text(one.fixture_id, one.document)
        by_change.setdefault(one.change, []).append(
            name if one.field is None else f"{name} in {one.field}"
        )
    for change, names in by_change.items():
        more = len(names) - _NAMED
        rest = f" and {more} more" if more > 0 else ""
        yield f"not judged, {change}: {len(names)} ({', '.join(names[:_NAMED])}{rest})"


def cost_words(report: GateReport) -> str | None:
    """Cost beside the baseline's, as information; None where nothing is known of either."""
    if report.cost_usd is None and report.baseline_cost_usd is None:
        return None
    before, now = money_text(report.baseline_cost_usd), money_text(report.cost_usd)
    return f"cost {now}, baseline {before} (information)"


def closing_words(verdicts: list[GateVerdict]) -> str:
    """The last line over several gates."""
    counts = ", ".join(
        f"{verdicts.count(verdict)} {word}"
        for verdict, word in (
            (GateVerdict.FAIL, "failed"),
            (GateVerdict.REFUSED, "refused"),
            (GateVerdict.PASS, "passed"),
        )
        if verdict in verdicts
    )
    return f"{GateVerdict.over(verdicts).name}: {len(verdicts)} gates, {counts}"


SELECTED_NOTHING = (
    'selected 0 sets, so nothing was gated. Name a golden set that exists; "evals list" shows them.'
)

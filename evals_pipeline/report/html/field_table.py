"""The table of a golden set's fields: baseline, now, delta, interval, tolerance, instability."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from evals_pipeline.core.figures import FieldDelta, FieldFigures
from evals_pipeline.core.outcomes import FieldVerdict
from evals_pipeline.report.gate_words import overall_words
from evals_pipeline.report.html.page import GoldenModel
from evals_pipeline.report.numbers import UNMEASURED, delta_text, share_text
from evals_pipeline.report.plots import Strip, strip_axis, strip_plot

_TONES = {
    FieldVerdict.UNCHANGED: "",
    FieldVerdict.IMPROVED: "good",
    FieldVerdict.ACKNOWLEDGED: "warn",
    FieldVerdict.UNACKNOWLEDGED: "bad",
    FieldVerdict.REGRESSION: "bad",
    FieldVerdict.NEW: "",
    FieldVerdict.VANISHED: "bad",
}
_WORDS = {
    FieldVerdict.UNCHANGED: "unchanged",
    FieldVerdict.IMPROVED: "improved",
    FieldVerdict.ACKNOWLEDGED: "dropped, accepted",
    FieldVerdict.UNACKNOWLEDGED: "DROPPED, NOT ACCEPTED",
    FieldVerdict.REGRESSION: "REGRESSION",
    FieldVerdict.NEW: "new",
    FieldVerdict.VANISHED: "VANISHED",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One line of the table, as text and a drawing; ``n_misses`` counts distinct ones."""

    field: str
    kind: str
    baseline: str
    now: str
    counted: str
    delta: str
    interval: str
    strip: Markup
    tolerance: str
    disagreement: str
    is_unstable: bool
    verdict: str
    tone: str
    beside: tuple[str, ...]
    n_misses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """The lines, the axis of their drawings, and the line of information below them."""

    rows: tuple[FieldRow, ...]
    axis_low: str
    axis_high: str
    overall_baseline: str
    overall_now: str
    overall_delta: str
    overall_words: str


def field_table(model: GoldenModel) -> FieldTable:
    """The table of one model version, in the gate's order, else in the set's."""
    gate = model.gate
    deltas = {row.field: row for row in gate.fields}
    figures = {one.field: one for one in model.figures.fields}
    names = list(deltas) or list(figures)
    strips = {name: _strip(deltas.get(name), figures.get(name)) for name in names}
    axis = strip_axis(list(strips.values()))
    delta = None
    if gate.overall_now is not None and gate.overall_baseline is not None:
        delta = gate.overall_now - gate.overall_baseline
    counted = model.figures
    overall = gate.overall_now
    if overall is None and counted.n:
        overall = Fraction(counted.correct, counted.n)
    return FieldTable(
        rows=tuple(
            _row(
                name,
                deltas.get(name),
                figures.get(name),
                tolerance=model.tolerances.get(name, UNMEASURED),
                strip=Markup(strip_plot(strips[name], axis, name=name)),
            )
            for name in names
        ),
        axis_low=f"{axis[0]:g}",
        axis_high=f"{axis[1]:g}",
        overall_baseline=share_text(gate.overall_baseline),
        overall_now=share_text(overall),
        overall_delta=delta_text(delta),
        overall_words=overall_words(gate) if gate.fields else "",
    )


def _strip(row: FieldDelta | None, figures: FieldFigures | None) -> Strip:
    return Strip(
        baseline=None if row is None or row.baseline is None else float(row.baseline),
        now=None if figures is None else figures.accuracy,
        low=None if figures is None else figures.ci_low,
        high=None if figures is None else figures.ci_high,
        by_run=() if figures is None else figures.accuracy_by_run,
    )


def _row(
    name: str,
    row: FieldDelta | None,
    figures: FieldFigures | None,
    *,
    tolerance: str,
    strip: Markup,
) -> FieldRow:
    verdict = None if row is None else row.verdict
    now = row.now if row is not None else (figures.accuracy if figures else None)
    return FieldRow(
        field=name,
        kind="" if figures is None else figures.kind,
        baseline=share_text(None if row is None else row.baseline),
        now=share_text(now),
        counted="" if figures is None else f"{figures.correct}/{figures.n}",
        delta=delta_text(None if row is None else row.delta),
        interval=_interval(figures),
        strip=strip,
        tolerance=tolerance if row is None else row.tolerance,
        disagreement=_disagreement(figures),
        is_unstable=bool(figures and figures.is_unstable),
        verdict="" if verdict is None else _WORDS[verdict],
        tone="" if verdict is None else _TONES[verdict],
        beside=() if row is None else tuple(_beside(row)),
        n_misses=0 if figures is None else _n_distinct(figures),
    )


def _n_distinct(figures: FieldFigures) -> int:
    return len({(m.fixture_id, m.want, m.got, m.outcome) for m in figures.misses})


def _interval(figures: FieldFigures | None) -> str:
    if figures is None or figures.ci_low is None or figures.ci_high is None:
        return UNMEASURED
    return f"{figures.ci_low:.3f}–{figures.ci_high:.3f}"


def _disagreement(figures: FieldFigures | None) -> str:
    if figures is None or figures.disagreement is None:
        return UNMEASURED
    return f"{share_text(figures.disagreement)} of {figures.n_compared}"


def _beside(row: FieldDelta) -> Iterator[str]:
    """What informs beside a verdict and never decides."""
    if row.acknowledged is not None:
        yield row.acknowledged
    if row.delta is not None and row.delta != 0:
        if row.is_within_noise:
            yield "within noise"
        if row.p_value is not None:
            yield "p < 0.001" if row.p_value < 0.001 else f"p = {row.p_value:.3f}"
        if row.noise is not None:
            yield f"run spread {row.noise:.3f}"

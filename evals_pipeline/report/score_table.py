"""Figures of golden sets and suites in the terminal.

Fields stand in the set's order with their counts beside every share; the overall line comes last
and is information.
"""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.claim_text import case_without_text
from evals_pipeline.core.figures import ClaimFigures, FieldFigures, SetFigures, label_hints
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from evals_pipeline.core.run_records import JudgedCase
from evals_pipeline.core.similarity import clamped
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.numbers import (
    UNMEASURED,
    Remark,
    count_text,
    miss_lines,
    remark_lines,
    share_text,
    statuses_text,
)
from evals_pipeline.report.reliability import reliability_lines
from evals_pipeline.report.terminal import COMPACT, Fitting, as_text

MOST_MISSES = 5
MOST_CLAIMS = 20
SPREAD = ("mean", "min", "max", "range", "stdev")
_WIDTH = 120
_TEXT_WIDTH = 100


def fields_table(figures: SetFigures, *, with_misses: bool = True) -> RenderableType:
    """What to print for a golden set; the misses may be left to other commands."""
    return Group(
        Text(_heading(figures), style="bold"),
        _fields(figures),
        *(_field_misses(figures) if with_misses else ()),
        *(Text(f"note: {visible_line(note)}") for note in figures.notes),
        *(Text(f"hint: {visible_line(hint)}", style="dim") for hint in label_hints(figures.fields)),
    )


def claims_table(
    figures: ClaimFigures, *, with_claims: bool = True, with_claim_text: bool = True
) -> RenderableType:
    """What to print for a suite; the claims may be left to other commands, or told without text."""
    cases = figures.cases
    if not with_claim_text:
        cases = tuple(case_without_text(case) for case in cases)
    return Group(
        Text(_heading(figures), style="bold"),
        *(Text(line) for line in _origin_lines(figures)),
        Fitting(_metrics(figures)),
        Text(_counts_text(figures)),
        *([Text(_reliability(figures))] if with_claims else []),
        *(Text(line) for line in (_claim_lines(cases) if with_claims else ())),
        *(Text(f"note: {visible_line(note)}") for note in figures.notes),
    )


def fields_text(figures: SetFigures, *, width: int = _WIDTH) -> str:
    """The figures of a golden set as plain text."""
    return as_text(fields_table(figures), width=width)


def claims_text(figures: ClaimFigures, *, width: int = _WIDTH) -> str:
    """The figures of a suite as plain text."""
    return as_text(claims_table(figures), width=width)


def _heading(figures: SetFigures | ClaimFigures) -> str:
    runs = count_text(len(figures.run_indices), "run")
    statuses = statuses_text(figures.statuses)
    return visible_line(f"{figures.set_name}, {figures.model_version}, {runs}, {statuses}")


def _origin_lines(figures: ClaimFigures) -> Iterator[str]:
    """Which version of the suite it was, and who judged; nothing where that was not noted."""
    version, judged_by = figures.set_version, figures.judged_by
    parts = [
        *([] if version is None else [f"suite version {version}"]),
        *([] if judged_by is None else [f"judged by {judged_by}"]),
    ]
    if parts:
        yield visible_line("; ".join(parts))


def _fields(figures: SetFigures) -> Fitting:
    """Every column where they fit; a narrow terminal does without the kind, counts and interval."""
    return Fitting(
        _fields_with(figures, with_kind=True, with_counts=True, with_interval=True),
        _fields_with(figures, with_kind=False, with_counts=False, with_interval=True),
        _fields_with(figures, with_kind=False, with_counts=False, with_interval=False),
        _fields_with(
            figures, with_kind=False, with_counts=False, with_interval=False, is_compact=True
        ),
    )


def _fields_with(
    figures: SetFigures,
    *,
    with_kind: bool,
    with_counts: bool,
    with_interval: bool,
    is_compact: bool = False,
) -> Table:
    overall = share_text(figures.correct / figures.n if figures.n else None)
    table = Table(
        Column("field", footer="overall", overflow="fold"),
        *([Column("kind", no_wrap=True)] if with_kind else []),
        Column("right", footer=f"{figures.correct}/{figures.n}", justify="right", no_wrap=True),
        Column("accuracy", footer=overall, justify="right", no_wrap=True),
        *([Column("95 %", footer="(information)", no_wrap=True)] if with_interval else []),
        Column("value recall" if with_interval else "recall", justify="right", no_wrap=True),
        Column("invented", justify="right", no_wrap=True),
        Column("disagree", justify="right", no_wrap=True),
        Column("", overflow="fold"),
        box=box.SIMPLE,
        padding=COMPACT if is_compact else (0, 1),
        pad_edge=False,
        show_footer=True,
        header_style="",
        footer_style="",
    )
    shown = _of if with_counts else _alone
    for one in figures.fields_by_weight:
        table.add_row(
            Text(visible_line(one.field)),
            *([one.kind] if with_kind else []),
            f"{one.correct}/{one.n}",
            share_text(one.accuracy),
            *([_interval_text(one)] if with_interval else []),
            shown(one.value_recall, one.n_values),
            shown(one.invention_rate, one.n_absences),
            shown(one.disagreement, one.n_compared),
            "unstable" if one.is_unstable else "",
            style="yellow" if one.is_unstable else "",
        )
    return table


def _alone(share: float | None, n: int) -> str:
    """A share where there is no room for its count."""
    del n
    return share_text(share)


def _of(share: float | None, n: int) -> str:
    """A share with what it is a share of: ``0.903 of 195``."""
    return UNMEASURED if share is None else f"{share_text(share)} of {n}"


def _interval_text(one: FieldFigures) -> str:
    if one.ci_low is None or one.ci_high is None:
        return UNMEASURED
    return f"{one.ci_low:.3f}-{one.ci_high:.3f}"


def _field_misses(figures: SetFigures) -> Iterator[RenderableType]:
    for one in figures.fields_by_weight:
        lines = miss_lines(one.misses)
        if not lines:
            continue
        kinds = ", ".join(
            f"{count} {outcome.value}"
            for outcome, count in one.outcomes.items()
            if count and not outcome.is_correct
        )
        yield Text(f"{visible_line(one.field)}: {kinds}")
        grid = Table.grid(padding=(0, 1))
        for line in lines[:MOST_MISSES]:
            cells = ("  doc", line.document, "want", line.want, "got", line.got, line.remark)
            grid.add_row(*(Text(cell, overflow="fold") for cell in cells))
        yield grid
        if len(lines) > MOST_MISSES:
            yield Text(f"  and {len(lines) - MOST_MISSES} more; --format json lists all")


def _metrics(figures: ClaimFigures) -> Table:
    table = Table(
        Column("metric", no_wrap=True),
        *(Column(name, justify="right", no_wrap=True) for name in SPREAD),
        Column("", overflow="fold"),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
    )
    for name, figure in figures.metrics.items():
        table.add_row(
            name,
            share_text(figure.mean),
            share_text(figure.min),
            share_text(figure.max),
            share_text(figure.range),
            share_text(figure.stdev),
            Text(visible_line(figure.reason or "")),
        )
    return table


def _counts_text(figures: ClaimFigures) -> str:
    return ", ".join(f"{count} {name}" for name, count in figures.counts.items() if count)


def _reliability(figures: ClaimFigures) -> str:
    """How sure the claims are stated beside how often they match, by bin; pooled over the runs."""
    calibration = figures.calibration
    if calibration.n == 0:
        return f"reliability: {visible_line(calibration.reason or UNMEASURED)}"
    head = "reliability by stated confidence (right: full match; empty bins left out)"
    return "\n".join([head, *reliability_lines(calibration, with_empty=False)])


def _claim_lines(cases: Sequence[JudgedCase]) -> Iterator[str]:
    """Emitted claims that did not match and gold claims that were missed, the first of them.

    Misses of optional gold, which recall does not count, come after all others.
    """
    lines = remark_lines([*_claim_remarks(cases), *_optional_remarks(cases)])
    yield from lines[:MOST_CLAIMS]
    if len(lines) > MOST_CLAIMS:
        yield f"and {len(lines) - MOST_CLAIMS} more; --format json lists all"


def _claim_remarks(cases: Sequence[JudgedCase]) -> Iterator[Remark]:
    for case in cases:
        for claim in case.claims:
            if claim.outcome is not ClaimOutcome.MATCHED:
                near = _nearest(claim.similarity)
                text = visible_line(claim.claim.content, limit=_TEXT_WIDTH)
                yield _remark(case, f"{claim.outcome.value} ({near}): {text}")
        for gold in case.gold:
            if gold.outcome is GoldOutcome.MISSED and gold.gold.required:
                text = visible_line(gold.gold.content, limit=_TEXT_WIDTH)
                yield _remark(case, f"missed ({_nearest(gold.similarity)}): {text}")


def _optional_remarks(cases: Sequence[JudgedCase]) -> Iterator[Remark]:
    for case in cases:
        for gold in case.gold:
            if gold.outcome is GoldOutcome.MISSED and not gold.gold.required:
                text = visible_line(gold.gold.content, limit=_TEXT_WIDTH)
                near = _nearest(gold.similarity)
                yield _remark(case, f"missed, optional, not in recall ({near}): {text}")


def _remark(case: JudgedCase, text: str) -> Remark:
    return Remark(case_id=case.case_id, run_index=case.run_index, text=text)


def _nearest(similarity: float | None) -> str:
    return f"nearest {UNMEASURED if similarity is None else f'{clamped(similarity):.2f}'}"

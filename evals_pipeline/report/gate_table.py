"""The gate in the terminal: one line a field, the broken documents below, PASS or FAIL last.

Nothing is cut from a figure, and no colour says what no word says.
"""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.figures import ChangedDocument, GateReport, Miss
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.gate_words import (
    SELECTED_NOTHING,
    calibration_words,
    closing_words,
    comparison_words,
    cost_words,
    not_gated_words,
    overall_words,
    pass_words,
    set_level_reasons,
    verdict_words,
)
from evals_pipeline.report.numbers import delta_text, document_text, miss_lines, share_text
from evals_pipeline.report.terminal import Fitting, as_text

MOST_MISSES = 10
_STYLES = {
    FieldVerdict.UNCHANGED: "",
    FieldVerdict.IMPROVED: "green",
    FieldVerdict.ACKNOWLEDGED: "yellow",
    FieldVerdict.UNACKNOWLEDGED: "bold red",
    FieldVerdict.REGRESSION: "bold red",
    FieldVerdict.NEW: "cyan",
    FieldVerdict.VANISHED: "bold red",
}


def gate_table(reports: Sequence[GateReport]) -> RenderableType:
    """What to print for the gates that were asked for; without any, that nothing was gated."""
    if not reports:
        return Text(f"REFUSED: {SELECTED_NOTHING}", style="bold red")
    parts: list[RenderableType] = []
    for report in reports:
        parts.extend(_gate(report))
    if len(reports) > 1:
        parts.append(Text(closing_words([report.verdict for report in reports]), style="bold"))
    return Group(*parts)


def gate_text(reports: Sequence[GateReport], *, width: int = 100) -> str:
    """The same as plain text, for logs and for those who pipe."""
    return as_text(gate_table(reports), width=width)


def _gate(report: GateReport) -> Iterator[RenderableType]:
    yield Text(f"{report.set_name}, {report.model_version}", style="bold")
    if report.verdict is GateVerdict.REFUSED:
        if report.baseline_source is not None:
            yield Text(f"baseline: {report.baseline_source}")
        for reason in report.reasons:
            yield Text(f"REFUSED: {visible_line(reason)}", style="bold red")
        yield Text()
        return
    yield Text(comparison_words(report))
    yield Fitting(_fields(report))
    yield from _failures(report)
    yield from _newly_failing(report)
    yield from _remarks(report)
    if report.verdict is GateVerdict.PASS:
        yield Text(pass_words(report), style="bold green")
    yield Text()


def _fields(report: GateReport) -> Table:
    delta = None
    if report.overall_now is not None and report.overall_baseline is not None:
        delta = report.overall_now - report.overall_baseline
    table = Table(
        Column("field", footer="overall", overflow="fold"),
        Column(
            "baseline", footer=share_text(report.overall_baseline), justify="right", no_wrap=True
        ),
        Column("now", footer=share_text(report.overall_now), justify="right", no_wrap=True),
        Column("delta", footer=delta_text(delta), justify="right", no_wrap=True),
        Column("", footer=overall_words(report), overflow="fold"),
        box=box.SIMPLE,
        pad_edge=False,
        show_footer=True,
        header_style="",
        footer_style="",
    )
    for row in report.fields:
        table.add_row(
            Text(visible_line(row.field)),
            share_text(row.baseline),
            share_text(row.now),
            delta_text(row.delta),
            Text(visible_line(verdict_words(row))),
            style=_STYLES[row.verdict],
        )
    return table


def _failures(report: GateReport) -> Iterator[RenderableType]:
    for row in report.fields:
        if row.reason is not None:
            yield _fail(row.reason)
            yield from _misses(row.misses)
    for calibration in report.calibration:
        if calibration.reason is not None:
            yield _fail(calibration.reason)
    for reason in set_level_reasons(report):
        yield _fail(reason)


def _fail(reason: str) -> Text:
    return Text(f"FAIL: {visible_line(reason)}", style="bold red")


def _misses(misses: Sequence[Miss]) -> Iterator[RenderableType]:
    lines = miss_lines(misses)
    if not lines:
        return
    grid = Table.grid(padding=(0, 1))
    for line in lines[:MOST_MISSES]:
        cells = ("doc", line.document, "want", line.want, "got", line.got, line.remark)
        grid.add_row(*(Text(cell, overflow="fold") for cell in cells))
    yield Padding(grid, (0, 0, 0, 2))
    if len(lines) > MOST_MISSES:
        more = len(lines) - MOST_MISSES
        yield Text(f"  and {more} more; --format json lists all")


def _newly_failing(report: GateReport) -> Iterator[RenderableType]:
    """Documents that broke in fields that do not fail; those of failing fields stand above."""
    shown_above = {row.field for row in report.fields if row.reason is not None}
    broken = [one for one in report.newly_failing if one.field not in shown_above]
    if not broken:
        return
    yield Text("newly failing, in fields that pass:", style="yellow")
    for one in broken[:MOST_MISSES]:
        yield from _broken(one)
    if len(broken) > MOST_MISSES:
        yield Text(f"  and {len(broken) - MOST_MISSES} more; --format json lists all")


def _broken(one: ChangedDocument) -> Iterator[RenderableType]:
    document = document_text(one.fixture_id, one.document)
    for line in miss_lines(one.misses):
        remark = f" ({line.remark})" if line.remark else ""
        yield Text(
            f"  {one.field}: doc {document} want {line.want} got {line.got}{remark}, "
            f"{one.baseline} before, {one.now} now",
            overflow="fold",
        )


def _remarks(report: GateReport) -> Iterator[RenderableType]:
    calibration = calibration_words(report)
    if calibration is not None:
        yield Text(visible_line(calibration))
    for line in not_gated_words(report):
        yield Text(line)
    cost = cost_words(report)
    if cost is not None:
        yield Text(cost)
    for hint in report.hints:
        yield Text(f"hint: {visible_line(hint)}", style="dim")

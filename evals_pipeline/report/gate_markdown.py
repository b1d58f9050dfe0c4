"""The gate for a pull request: ten lines that tell the story, everything else folded below them."""

from collections.abc import Iterator, Sequence

from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import ChangedDocument, FieldDelta, GateReport, Miss
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.report.gate_words import (
    SELECTED_NOTHING,
    calibration_words,
    closing_words,
    comparison_words,
    cost_words,
    heading,
    not_gated_words,
    overall_words,
    verdict_words,
)
from evals_pipeline.report.markdown_text import code, folded, plain, table
from evals_pipeline.report.numbers import (
    count_text,
    delta_text,
    document_text,
    miss_lines,
    share_text,
)

STORY_LINES = 10
MOST_REASONS = 4
MOST_BROKEN = 3
MOST_MISSES = 25  # a pull request's comment holds 65,536 characters
_TOLD = (FieldVerdict.IMPROVED, FieldVerdict.ACKNOWLEDGED, FieldVerdict.NEW)


def gate_markdown(reports: Sequence[GateReport]) -> str:
    """GitHub-flavoured Markdown of the gates that were asked for."""
    if not reports:
        return f"**REFUSED**: {plain(SELECTED_NOTHING)}\n"
    lines: list[str] = []
    if len(reports) > 1:
        lines += [f"**{closing_words([report.verdict for report in reports])}**", ""]
    for report in reports:
        lines += [*_story(report), "", *_details(report)]
    return "\n".join(lines).rstrip() + "\n"


def _story(report: GateReport) -> list[str]:
    """At most ten lines, the first documents that broke among them while there is room."""
    head = [f"### {plain(heading(report))}", ""]
    reasons = [f"- {plain(reason)}" for reason in report.reasons[:MOST_REASONS]]
    more = len(report.reasons) - MOST_REASONS
    if more > 0:
        reasons.append(f"- and {count_text(more, 'more reason')}, folded below")
    if report.verdict is GateVerdict.REFUSED:
        return [*head, *reasons]
    tail = [
        *_good_news(report),
        f"- overall {share_text(report.overall_baseline)} to {share_text(report.overall_now)}, "
        f"{overall_words(report)} (information)",
        f"- compared over {plain(comparison_words(report))}",
    ]
    room = STORY_LINES - len(head) - len(reasons) - len(tail)
    return [*head, *reasons, *_first_broken(report)[: max(room, 0)], *tail]


def _good_news(report: GateReport) -> list[str]:
    told = [row for row in report.fields if row.verdict in _TOLD]
    if not told:
        return []
    more = len(told) - MOST_REASONS
    rest = f" and {more} more" if more > 0 else ""
    return [f"- {plain('; '.join(_told(row) for row in told[:MOST_REASONS]))}{rest}"]


def _first_broken(report: GateReport) -> list[str]:
    """Documents that reproduce the first failure that has any."""
    misses = next((row.misses for row in report.fields if row.verdict.fails and row.misses), ())
    return [
        f"  - doc {plain(line.document)} want {code(line.want)} got {code(line.got)} "
        f"{plain(line.remark)}"
        for line in miss_lines(misses)[:MOST_BROKEN]
    ]


def _told(row: FieldDelta) -> str:
    if row.verdict is FieldVerdict.NEW:
        return f"{row.field} is new, {share_text(row.now)}"
    accepted = f", accepted: {row.acknowledged}" if row.acknowledged is not None else ""
    return f"{row.field} {row.verdict.value} {delta_text(row.delta)}{accepted}"


def _details(report: GateReport) -> Iterator[str]:
    if len(report.reasons) > MOST_REASONS:
        rest = [f"- {plain(reason)}" for reason in report.reasons[MOST_REASONS:]]
        yield from folded("More reasons", rest)
    if report.fields:
        yield from folded(f"All {counted(len(report.fields), 'field')}", _fields(report))
    for row in report.fields:
        if row.verdict.fails and row.misses:
            yield from folded(f"What broke in {plain(row.field)}", _misses(row.misses))
    broken = _broken_elsewhere(report)
    if broken:
        summary = f"Newly failing in fields that pass: {len(broken)}"
        yield from folded(summary, _changed(broken))
    information = (calibration_words(report), *not_gated_words(report), cost_words(report))
    remarks = [
        *(line for line in information if line is not None),
        *(f"hint: {hint}" for hint in report.hints),
    ]
    if remarks:
        yield from folded(
            count_text(len(remarks), "remark"), [f"- {plain(line)}" for line in remarks]
        )


def _fields(report: GateReport) -> list[str]:
    rows = [
        [
            plain(row.field),
            share_text(row.baseline),
            share_text(row.now),
            delta_text(row.delta),
            plain(verdict_words(row)),
        ]
        for row in report.fields
    ]
    return table(["field", "baseline", "now", "delta", " "], rows)


def _misses(misses: Sequence[Miss]) -> list[str]:
    lines = miss_lines(misses)
    rows = [
        [plain(line.document), code(line.want), code(line.got), plain(line.remark)]
        for line in lines[:MOST_MISSES]
    ]
    more = len(lines) - MOST_MISSES
    rest = ["", f"and {more} more; `evals gate --format json` lists all"] if more > 0 else []
    return [*table(["document", "want", "got", " "], rows), *rest]


def _broken_elsewhere(report: GateReport) -> list[ChangedDocument]:
    failing = {row.field for row in report.fields if row.verdict.fails}
    return [one for one in report.newly_failing if one.field not in failing]


def _changed(changed: Sequence[ChangedDocument]) -> list[str]:
    rows = []
    for one in changed[:MOST_MISSES]:
        line = miss_lines(one.misses)[0]
        document = plain(document_text(one.fixture_id, one.document))
        was_and_is = [str(one.baseline), str(one.now)]
        rows.append(
            [plain(one.field or ""), document, *was_and_is, code(line.want), code(line.got)]
        )
    more = len(changed) - MOST_MISSES
    rest = ["", f"and {more} more; `evals gate --format json` lists all"] if more > 0 else []
    return [*table(["field", "document", "before", "now", "want", "got"], rows), *rest]

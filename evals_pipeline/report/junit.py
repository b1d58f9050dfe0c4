"""The gate as JUnit XML, which every CI server shows: a suite a set, a case a field.

A failing field is a failure, a refused gate an error, a new field is skipped: it has nothing to
compare with. What belongs to no field (drift, calibration) has a case of its own.
"""

from collections.abc import Sequence
from xml.etree import ElementTree

from evals_pipeline.core.figures import FieldDelta, GateReport
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.gate_words import (
    SELECTED_NOTHING,
    set_level_reasons,
    verdict_words,
)
from evals_pipeline.report.numbers import delta_text, miss_lines, share_text

MOST_MISSES = 50


def gate_junit(reports: Sequence[GateReport]) -> str:
    """The gates that were asked for; without any, one error that says so."""
    root = ElementTree.Element("testsuites", name="evals gate")
    for report in reports:
        _suite(root, report)
    if not reports:
        suite = ElementTree.SubElement(root, "testsuite", name="evals gate")
        _refusal(suite, "evals gate", (SELECTED_NOTHING,))
        _count(suite)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _text(root) + "\n"


def _text(root: ElementTree.Element) -> str:
    return ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, report: GateReport) -> None:
    name = f"{report.set_name} {report.model_version}"
    suite = ElementTree.SubElement(root, "testsuite", name=visible_line(name))
    if report.verdict is GateVerdict.REFUSED:
        _refusal(suite, report.set_name, report.reasons)
    for row in report.fields:
        _field(suite, report.set_name, row)
    for calibration in (row for row in report.calibration if row.tolerance is not None):
        case = _case(suite, report.set_name, f"calibration of {calibration.field}")
        if calibration.reason is not None:
            _fail(case, calibration.reason, kind="calibration")
    for reason in set_level_reasons(report) if report.verdict is GateVerdict.FAIL else ():
        _fail(_case(suite, report.set_name, reason.partition(":")[0]), reason, kind="set")
    if report.hints:
        output = ElementTree.SubElement(suite, "system-out")
        output.text = "\n".join(f"hint: {visible_line(hint)}" for hint in report.hints)
    _count(suite)


def _field(suite: ElementTree.Element, set_name: str, row: FieldDelta) -> None:
    case = _case(suite, set_name, row.field)
    figures = f"{share_text(row.baseline)} to {share_text(row.now)} ({delta_text(row.delta)})"
    if row.reason is not None:
        _fail(case, row.reason, kind=row.verdict.value, details=_details(row))
    elif row.verdict is FieldVerdict.NEW:
        message = f"new, {share_text(row.now)}; nothing to compare with"
        ElementTree.SubElement(case, "skipped", message=message)
    else:
        output = ElementTree.SubElement(case, "system-out")
        output.text = visible_line(", ".join(filter(None, (figures, verdict_words(row)))))


def _details(row: FieldDelta) -> str:
    lines = miss_lines(row.misses)
    shown = [
        f"doc {line.document} want {line.want} got {line.got} {line.remark}".rstrip()
        for line in lines[:MOST_MISSES]
    ]
    more = len(lines) - MOST_MISSES
    return "\n".join([*shown, *([f"and {more} more"] if more > 0 else [])])


def _refusal(suite: ElementTree.Element, set_name: str, reasons: Sequence[str]) -> None:
    case = _case(suite, set_name, "gate")
    error = ElementTree.SubElement(case, "error", type="refused", message=visible_line(reasons[0]))
    error.text = "\n".join(visible_line(reason) for reason in reasons)


def _case(suite: ElementTree.Element, set_name: str, name: str) -> ElementTree.Element:
    classname = f"evals.{visible_line(set_name)}"
    return ElementTree.SubElement(
        suite, "testcase", classname=classname, name=visible_line(name), time="0"
    )


def _fail(case: ElementTree.Element, reason: str, *, kind: str, details: str = "") -> None:
    failure = ElementTree.SubElement(case, "failure", type=kind, message=visible_line(reason))
    failure.text = details or visible_line(reason)


def _count(suite: ElementTree.Element) -> None:
    for name, tag in (
        ("tests", "testcase"),
        ("failures", ".//failure"),
        ("errors", ".//error"),
        ("skipped", ".//skipped"),
    ):
        suite.set(name, str(len(suite.findall(tag))))
    suite.set("time", "0")

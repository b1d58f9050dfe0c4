from xml.etree import ElementTree

from evals_pipeline.baseline.compare import refused
from evals_pipeline.report.junit import gate_junit
from tests.report.examples import hostile, of_everything, report
from tests.report.expected import assert_as_accepted
from tests.screens import gate_report


def parsed(*reports) -> ElementTree.Element:
    return ElementTree.fromstring(gate_junit(reports))


def totals(root: ElementTree.Element) -> tuple[str | None, ...]:
    return tuple(root.get(name) for name in ("tests", "failures", "errors", "skipped"))


def test_a_case_a_field() -> None:
    assert_as_accepted(gate_junit([gate_report()]), "gate.xml")


def test_every_kind_of_failure_counts_once() -> None:
    # Seven fields of which three fail and one is new, calibration fails, drift fails.
    root = parsed(of_everything())
    assert totals(root) == ("9", "5", "0", "1")
    kinds = [failure.get("type") for failure in root.iter("failure")]
    assert kinds == ["regression", "unacknowledged", "vanished", "calibration", "set"]
    (skipped,) = root.iter("skipped")
    assert "nothing to compare with" in str(skipped.get("message"))


def test_a_refused_gate_is_an_error_beside_one_that_passes() -> None:
    root = parsed(refused("bills", "m", ["no baseline.", "too few runs."]), report())
    assert totals(root) == ("1", "0", "1", "0")
    (error,) = root.iter("error")
    assert error.text == "no baseline.\ntoo few runs."


def test_nothing_selected_is_an_error() -> None:
    assert totals(parsed()) == ("1", "0", "1", "0")


def test_whatever_a_document_holds_the_xml_is_well_formed() -> None:
    (failure,) = parsed(hostile()).iter("failure")
    assert "<img src=x onerror=alert(1)>" in str(failure.text)

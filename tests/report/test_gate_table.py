from dataclasses import replace
from fractions import Fraction

import pytest

from evals_pipeline.baseline.compare import refused
from evals_pipeline.core.figures import CalibrationDelta
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.report.gate_table import MOST_MISSES, gate_text
from tests.report.examples import hostile, miss, of_everything, report, row
from tests.report.expected import assert_as_accepted
from tests.screens import gate_report

WIDE = 110


def test_the_screen_of_a_hint_that_moves_one_date_into_another() -> None:
    assert_as_accepted(gate_text([gate_report()], width=WIDE), "gate.txt")


def test_every_verdict_has_its_words() -> None:
    assert_as_accepted(gate_text([of_everything()], width=WIDE), "gate_everything.txt")


def test_a_gate_that_passes_says_so_last() -> None:
    passing = report(fields=(row(FieldVerdict.IMPROVED),))
    assert gate_text([passing]).rstrip().endswith("PASS: no field of invoices dropped")
    accepted = report(fields=(row(FieldVerdict.ACKNOWLEDGED, acknowledged="torn"),))
    assert gate_text([accepted]).rstrip().endswith("PASS: invoices, with accepted drops of total")


def test_a_refusal_says_what_mends_it_and_shows_no_figures() -> None:
    text = gate_text([refused("invoices", "m", ['no run is scored. Run "evals run".'])])
    assert 'REFUSED: no run is scored. Run "evals run".' in text
    assert "baseline" not in text


def test_nothing_selected_is_refused() -> None:
    assert gate_text([]).startswith("REFUSED: selected 0 sets")


@pytest.mark.parametrize(
    ("verdicts", "last"),
    [
        ("PP", "PASS: 2 gates, 2 passed"),
        ("PR", "REFUSED: 2 gates, 1 refused, 1 passed"),
        ("PRF", "FAIL: 3 gates, 1 failed, 1 refused, 1 passed"),
    ],
)
def test_several_gates_end_in_one_verdict(verdicts: str, last: str) -> None:
    named = {"P": GateVerdict.PASS, "R": GateVerdict.REFUSED, "F": GateVerdict.FAIL}
    reports = [replace(report(), verdict=named[letter]) for letter in verdicts]
    assert gate_text(reports).rstrip().splitlines()[-1] == last


def test_long_lists_say_how_many_are_left_out() -> None:
    misses = tuple(miss(f"acme-{n:02}") for n in range(MOST_MISSES + 3))
    text = gate_text([report(fields=(row(FieldVerdict.REGRESSION, reason="r", misses=misses),))])
    assert text.count("want") == MOST_MISSES
    assert "and 3 more; --format json lists all" in text


def test_a_document_moves_no_cursor_and_hides_nothing() -> None:
    text = gate_text([hostile()])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m\\u202e\\n" in text


def test_a_drop_too_small_for_three_places_is_still_seen() -> None:
    tiny = row(FieldVerdict.UNACKNOWLEDGED, delta=Fraction(-1, 50_000))
    assert "-0.00002" in gate_text([report(fields=(tiny,))])


def test_a_narrow_terminal_cuts_no_figure() -> None:
    text = gate_text([gate_report()], width=60)
    assert "0.960" in text
    assert "-0.080" in text


@pytest.mark.parametrize(
    ("tolerance", "now", "words"),
    [
        (None, Fraction(1, 4), "shown only, set.yaml states no gate.calibration_tolerance; 1 rose"),
        ("0.30", Fraction(1, 4), "PASS, tolerance 0.30; 1 rose, most total 0.050 to 0.250 (+0.200"),
        ("0.30", Fraction(1, 25), "PASS, tolerance 0.30; none rose"),
    ],
)
def test_calibration_has_its_own_verdict_line(
    tolerance: str | None, now: Fraction, words: str
) -> None:
    before = Fraction(1, 20)
    calibration = CalibrationDelta(
        field="total",
        baseline=before,
        now=now,
        delta=now - before,
        tolerance=tolerance,
        verdict=FieldVerdict.UNCHANGED,
        n=10,
    )
    text = gate_text([report(calibration=(calibration,))], width=140)
    assert f"calibration error of 1 field: {words}" in text

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from evals_pipeline.baseline.compare import GateRules, compare
from evals_pipeline.baseline.record import make_baseline
from evals_pipeline.core.figures import Baseline, CalibrationFigures, GateReport
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from tests.scored import measurement, policy

PICTURE = {"total": {"a": "1", "b": "1"}}


def side(ece: float | None):
    now = measurement(PICTURE)
    calibration = CalibrationFigures(ece=ece, n=0 if ece is None else 2, n_left_out=0, bins=())
    fields = tuple(replace(one, calibration=calibration) for one in now.figures.fields)
    return replace(now, figures=replace(now.figures, fields=fields))


def gate(before: float | None, now: float | None, tolerance: Fraction | None) -> GateReport:
    rules = GateRules(policy=policy(calibration_tolerance=tolerance))
    return compare(side(now), make_baseline(side(before), policy=policy()), rules)


@pytest.mark.parametrize(
    ("before", "now", "tolerance", "verdict", "gate_verdict"),
    [
        (0.10, 0.13, Fraction(1, 20), FieldVerdict.UNCHANGED, GateVerdict.PASS),
        (0.10, 0.15, Fraction(1, 20), FieldVerdict.UNCHANGED, GateVerdict.PASS),  # equal passes
        (0.10, 0.16, Fraction(1, 20), FieldVerdict.REGRESSION, GateVerdict.FAIL),
        (0.10, 0.04, Fraction(1, 20), FieldVerdict.IMPROVED, GateVerdict.PASS),
        (0.10, 0.90, None, FieldVerdict.UNCHANGED, GateVerdict.PASS),  # informs only
        (0.10, None, Fraction(1, 20), FieldVerdict.VANISHED, GateVerdict.FAIL),
        (0.10, None, None, FieldVerdict.VANISHED, GateVerdict.PASS),
        (None, 0.30, Fraction(1, 20), FieldVerdict.NEW, GateVerdict.PASS),
    ],
)
def test_calibration_has_a_verdict_of_its_own(
    before: float | None,
    now: float | None,
    tolerance: Fraction | None,
    verdict: FieldVerdict,
    gate_verdict: GateVerdict,
) -> None:
    report = gate(before, now, tolerance)
    (row,) = report.calibration
    assert (row.verdict, report.verdict) == (verdict, gate_verdict)
    assert (row.reason in report.reasons) is (gate_verdict is GateVerdict.FAIL)
    assert report.fields[0].verdict is FieldVerdict.UNCHANGED


def test_a_field_without_confidences_has_no_row() -> None:
    assert gate(None, None, Fraction(1, 20)).calibration == ()


def test_a_baseline_keeps_six_places_so_that_rereading_moves_nothing() -> None:
    recorded: Baseline = make_baseline(side(1 / 3), policy=policy())
    assert recorded.calibration == {"total": Decimal("0.333333")}
    assert gate(1 / 3, 1 / 3, Fraction(0)).calibration[0].delta == 0

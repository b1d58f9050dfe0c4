"""The calibration of fields beside its baseline, under a tolerance of its own.

A prompt change can leave accuracy flat and make stated confidence less informative. Calibration
error is compared at the six places that the baseline file keeps; a rise is worse.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from evals_pipeline.baseline.record import calibration_error
from evals_pipeline.core.figures import Baseline, CalibrationDelta, FieldFigures
from evals_pipeline.core.outcomes import FieldVerdict


def calibration_rows(
    fields: tuple[FieldFigures, ...], baseline: Baseline, *, tolerance: Fraction | None
) -> Iterator[CalibrationDelta]:
    """One row per field that has a calibration error on either side, in the set's order.

    Without a tolerance the rows inform and nothing fails.
    """
    for figures in fields:
        before, now = baseline.calibration.get(figures.field), calibration_error(figures)
        if before is None and now is None:
            continue
        n = figures.calibration.n if figures.calibration is not None else 0
        yield _row(figures.field, before, now, tolerance=tolerance, n=n)


def _row(
    field: str, before: Decimal | None, now: Decimal | None, *, tolerance: Fraction | None, n: int
) -> CalibrationDelta:
    baseline = None if before is None else Fraction(before)
    today = None if now is None else Fraction(now)
    delta = None if baseline is None or today is None else today - baseline
    verdict = _verdict(baseline, delta, tolerance)
    return CalibrationDelta(
        field=field,
        baseline=baseline,
        now=today,
        delta=delta,
        tolerance=None if tolerance is None else format(float(tolerance), "g"),
        verdict=verdict,
        n=n,
        reason=_reason(field, delta, verdict, tolerance),
    )


def _verdict(
    baseline: Fraction | None, delta: Fraction | None, tolerance: Fraction | None
) -> FieldVerdict:
    if delta is None:
        return FieldVerdict.NEW if baseline is None else FieldVerdict.VANISHED
    if tolerance is not None and delta > tolerance:
        return FieldVerdict.REGRESSION
    return FieldVerdict.IMPROVED if delta < 0 else FieldVerdict.UNCHANGED


def _reason(
    field: str, delta: Fraction | None, verdict: FieldVerdict, tolerance: Fraction | None
) -> str | None:
    """Why the row fails the gate; None where it informs."""
    if tolerance is None:
        return None
    if verdict is FieldVerdict.REGRESSION and delta is not None:
        return (
            f"the calibration error of {field} rose by {float(delta):.3f} (tolerance "
            f"{float(tolerance):g}): its stated confidence says less of what is right. Mend the "
            "change, or argue a wider gate.calibration_tolerance in set.yaml."
        )
    if verdict is FieldVerdict.VANISHED:
        return (
            f"the calibration error of {field} vanished: the baseline has one, and no answer "
            "states a confidence now. Ask for confidences again, or drop "
            "gate.calibration_tolerance from set.yaml."
        )
    return None

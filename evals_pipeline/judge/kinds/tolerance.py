"""How far two numbers may lie apart and still be equal, where a field's schema says so."""

from decimal import Decimal

from evals_pipeline.core.records import FieldSpec
from evals_pipeline.judge.kinds.notation import EXACT, plain_text
from evals_pipeline.judge.kinds.protocol import EQUAL, Comparison


def compare_numbers(want: Decimal, got: Decimal, spec: FieldSpec) -> Comparison:
    """|got - want| ≤ absolute tolerance, or ≤ relative tolerance × |want|; exact where none is set.

    The relative tolerance of zero is zero: a share of nothing is not an absolute allowance.
    """
    if want == got:
        return EQUAL
    distance = EXACT.abs(EXACT.subtract(got, want))
    allowed = []
    if spec.absolute_tolerance is not None:
        allowed.append((spec.absolute_tolerance, "the absolute tolerance"))
    if spec.relative_tolerance is not None:
        share = EXACT.multiply(spec.relative_tolerance, EXACT.abs(want))
        allowed.append((share, f"the relative tolerance {plain_text(spec.relative_tolerance)}"))
    for limit, what in allowed:
        if distance <= limit:
            reason = f"they differ by {plain_text(distance)}, within {what}"
            return Comparison(is_equal=True, reason=reason)
    return Comparison(
        is_equal=False,
        reason=f"they differ by {plain_text(distance)}"
        + (f", more than {' and '.join(what for _, what in allowed)}" if allowed else ""),
    )

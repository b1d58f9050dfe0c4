"""The one reading of a stated confidence, for claims and fields, answers and prediction files."""

from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.strict_json import dumps

_SHOWN = 40


def read_confidence(raw: JsonValue, *, is_present: bool) -> tuple[float | None, str | None]:
    """The confidence in [0, 1], or None and a flag that says why there is none.

    0 is a confidence. Words, numbers written as text, booleans, NaN and 87 (meant as per cent)
    are not; they are flagged, never mended (semantics.md, section 2).

    Args:
        raw: What the answer states.
        is_present: False when the answer has no such key.

    >>> read_confidence(0, is_present=True)
    (0.0, None)
    >>> read_confidence("High", is_present=True)
    (None, 'not a number: "High"')
    """
    if not is_present or raw is None:
        return None, "null" if is_present else "absent"
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        return None, f"not a number: {_shown(raw)}"
    if Decimal(raw).is_nan():
        return None, "not a number: NaN"
    if not 0 <= raw <= 1:
        return None, f"outside [0, 1]: {str(raw)[:_SHOWN]}"
    return float(raw), None


def _shown(raw: JsonValue) -> str:
    try:
        return dumps(raw)[:_SHOWN]
    except ValueError:
        return type(raw).__name__

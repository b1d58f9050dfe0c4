"""Identifiers: loose on punctuation and case, strict on characters, never through a number.

``INV-001`` and ``inv 001`` are the same, ``007123`` and ``7123`` are not, nor the letter O and the
digit 0. Digits of other scripts stand for their ASCII ones.
"""

from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.characters import fold_identifier
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext

_FOLDED = ("upper case, letters and digits only",)
_LOOK_ALIKE = str.maketrans(
    {"O": "0", "Q": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "B": "8"}
    # Cyrillic letters with the shape of Latin ones.
    | dict(zip("ОАВЕКМНРСТХ", "0A8EKMHPCTX", strict=True))
)


class IdentifierKind:
    """An invoice number, an IBAN, a registration number."""

    name = "identifier"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """Letters and digits only, upper case."""
        if isinstance(value, str):
            return _from_text(value, ())
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return Canonical(text=None, problem=f"{str(value)[:40]} is not an identifier")
        text = str(value)
        step = "a JSON number, taken digit by digit as it was given"
        if text.endswith(".0") or "E" in text or "e" in text:
            return Canonical(
                text=None,
                problem=f"the number {text} no longer says how the identifier was written",
            )
        return _from_text(text, (step,))

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Never, where the texts differ; says so where only look-alikes do."""
        expected, actual = want.text or "", got.text or ""
        reason = "the characters differ"
        if expected.translate(_LOOK_ALIKE) == actual.translate(_LOOK_ALIKE):
            reason = "only look-alike characters differ, such as the letter O and the digit 0"
        elif expected.lstrip("0") == actual.lstrip("0"):
            reason = "leading zeros differ"
        return Comparison(is_equal=False, reason=reason)


def _from_text(text: str, steps: tuple[str, ...]) -> Canonical:
    folded = fold_identifier(text)
    if not folded:
        return Canonical(text=None, steps=steps, problem="no letter and no digit in it")
    if folded != text:
        steps += _FOLDED
    return Canonical(folded, steps)

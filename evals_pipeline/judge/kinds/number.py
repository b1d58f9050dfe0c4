"""Numbers: exact decimals by the document's locale, with the tolerances that the schema states."""

from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.notation import plain_text
from evals_pipeline.judge.kinds.numerals import leftover, read_numeral, unreadable
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.tolerance import compare_numbers


class NumberKind:
    """A bare number: ``5%`` and ``5 kg`` are not numbers, ``(5)`` is -5."""

    name = "number"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """The shortest plain decimal; the exact number as payload."""
        numeral = read_numeral(value, context)
        if numeral.value is None:
            return unreadable(numeral)
        if (numeral.before or numeral.after) and (rest := leftover(numeral)):
            return Canonical(
                text=None,
                steps=numeral.steps,
                problem=f'"{rest}" beside the number is not part of it',
            )
        return Canonical(plain_text(numeral.value), numeral.steps, None, numeral.value)

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Equal, or within a tolerance of the field."""
        assert isinstance(want.payload, Decimal)
        assert isinstance(got.payload, Decimal)
        return compare_numbers(want.payload, got.payload, context.spec)

"""Percentages, in percent points: ``5%``, ``5 %``, ``5 percent`` and a bare 5 are the same.

A bare number is taken as percent points, never as a share of one: 0.05 is a twentieth of a percent.
Nothing in a value says which of the two its writer meant, so the field's prompt and labels have to.
"""

from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.notation import EXACT, plain_text
from evals_pipeline.judge.kinds.numerals import leftover, read_numeral, unreadable
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.tolerance import compare_numbers

_PERCENT = frozenset({"%", "٪", "﹪", "percent", "per cent", "pct", "pct."})
_BARE = ("a bare number counts as percent points",)
_PER_MILLE = frozenset({"‰", "؉", "per mille", "permille"})


class PercentKind:
    """A percentage, compared in percent points."""

    name = "percent"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """The percent points with a percent sign behind them."""
        numeral = read_numeral(value, context)
        if numeral.value is None:
            return unreadable(numeral)
        points, steps, unit = numeral.value, numeral.steps, leftover(numeral).casefold()
        if not unit:
            steps += _BARE
        elif unit in _PER_MILLE:
            points = EXACT.divide(points, Decimal(10))
            steps += (f"per mille: {plain_text(points)} percent",)
        elif unit not in _PERCENT:
            return Canonical(text=None, steps=steps, problem=f'"{unit}" is not a percent sign')
        return Canonical(plain_text(points) + "%", steps, None, points)

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Equal, or within a tolerance of the field, in percent points."""
        assert isinstance(want.payload, Decimal)
        assert isinstance(got.payload, Decimal)
        return compare_numbers(want.payload, got.payload, context.spec)

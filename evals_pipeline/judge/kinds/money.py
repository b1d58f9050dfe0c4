"""Money: an exact signed decimal with its currency, compared at the currency's minor units.

A currency on both sides must agree. Where a side states none the declared one stands in; where none
is declared either, the amounts alone decide. Amounts are rounded half up to the minor units.
"""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.currencies import minor_units, read_currency, spell_codes
from evals_pipeline.judge.kinds.notation import EXACT, plain_text
from evals_pipeline.judge.kinds.numerals import read_numeral, unreadable
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.tolerance import compare_numbers


class Amount(NamedTuple):
    """A sum of money; ``currencies`` has one ISO code, none, or several for an ambiguous symbol."""

    value: Decimal
    currencies: frozenset[str]

    @property
    def currency(self) -> str | None:
        """The one currency; None when unknown or ambiguous."""
        return _the_one(self.currencies)


def _the_one(codes: frozenset[str]) -> str | None:
    """The one code; None where there are several or none."""
    return next(iter(codes)) if len(codes) == 1 else None


_NO_CURRENCY: frozenset[str] = frozenset()


class MoneyKind:
    """A sum of money."""

    name = "money"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """``1234.50 EUR``, at the currency's minor units; without code where none is known."""
        numeral = read_numeral(value, context)
        value, before, after, steps, _ = numeral
        if value is None:
            return unreadable(numeral)
        codes, currency = _NO_CURRENCY, None
        if before or after:
            words = (before, after) if before and after else (before or after,)
            reading = read_currency(words, context.locale, context.currency)
            if reading.problem:
                return Canonical(text=None, steps=steps, problem=reading.problem)
            codes, currency = reading.codes, _the_one(reading.codes)
            steps += reading.steps
        elif context.currency:
            codes, currency = _only(context.currency), context.currency
        exact = _rounded(value, minor_units(currency))
        if exact != value:
            steps += (f"rounded to the currency's minor units: {exact}",)
        return Canonical(_spell(exact, currency), steps, None, Amount(value, codes))

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Currencies agree where both are known, and amounts at the minor units."""
        expected, actual = want.payload, got.payload
        assert isinstance(expected, Amount)
        assert isinstance(actual, Amount)
        known = expected.currencies, actual.currencies
        if all(known) and not expected.currencies & actual.currencies:
            return Comparison(
                is_equal=False,
                reason=f"the currencies differ: {spell_codes(known[0])}, {spell_codes(known[1])}",
            )
        units = minor_units(expected.currency or actual.currency)
        comparison = compare_numbers(
            _rounded(expected.value, units), _rounded(actual.value, units), context.spec
        )
        if comparison.is_equal and comparison.reason is None:
            return Comparison(is_equal=True, reason=_agreement(expected, actual))
        return comparison


@cache
def _only(currency: str) -> frozenset[str]:
    return frozenset({currency})


@cache
def _quantum(units: int) -> Decimal:
    return Decimal(1).scaleb(-units)


def _rounded(value: Decimal, units: int) -> Decimal:
    return value.quantize(_quantum(units), ROUND_HALF_UP, EXACT)


def _spell(amount: Decimal, currency: str | None) -> str:
    # At most a few decimals after rounding, so that str writes no exponent, and is the faster.
    text = str(amount if amount else abs(amount))
    return f"{text} {currency}" if currency else text


def _agreement(want: Amount, got: Amount) -> str:
    if not want.currencies or not got.currencies:
        return "one side states no currency and none is declared: the amounts decide"
    amount = plain_text(want.value)
    return f"{amount} on both sides, and {spell_codes(want.currencies & got.currencies)} fits both"

"""Do two texts state different numbers?

Sentence embeddings hardly see magnitudes: "1,250 EUR" and "12,500 EUR" lie closer than most
paraphrases. The guard pairs the quantities of both sides by value, in any notation, and looks at
what is left over. It speaks up only where something left over on one side stands for something
left over on the other; a detail that only one side gives is a matter of wording.
"""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from evals_pipeline.judge import notation
from evals_pipeline.judge.quantities import LONGEST_TEXT, plain_text, read_quantities
from evals_pipeline.judge.quantity import Bound, DateParts, Quantity, QuantityKind

_BARE = (QuantityKind.PLAIN, QuantityKind.YEAR)


def number_differences(want: str, got: str, *, known: Sequence[str] = ()) -> tuple[str, ...]:
    """What the numbers of two texts contradict each other in, in words; empty: in nothing.

    Args:
        want: The gold claim's text.
        got: The emitted claim's text.
        known: Names of what the emitted claim is about; their numbers may stand on either side.

    >>> number_differences("The deposit is 1,250 EUR.", "The deposit is 12,500 EUR.")
    ('numbers: want 1,250 EUR, got 12,500 EUR',)
    >>> number_differences("Twenty of them cost $3.5 million", "20 cost 3,500,000 dollars")
    ()
    """
    if _numerals_in_context(want) == _numerals_in_context(got):
        return ()
    wanted, given = read_quantities(want), read_quantities(got)
    about = [quantity for name in known for quantity in read_quantities(name)]
    pairs = _pairs(wanted, given)
    paired_wanted, paired_given = {i for i, _ in pairs}, {j for _, j in pairs}
    left_wanted = [
        quantity
        for i, quantity in enumerate(wanted)
        if i not in paired_wanted and not _is_among(quantity, about)
    ]
    left_given = [quantity for j, quantity in enumerate(given) if j not in paired_given]
    found = _clashes(left_wanted, left_given, wanted=wanted, given=given)
    found += [
        f"numbers: want {_shown(wanted[i])}, got {_shown(given[j])}"
        for i, j in pairs
        if {wanted[i].bound, given[j].bound} == {Bound.OVER, Bound.UNDER}
    ]
    if not found and not left_wanted and not left_given and _is_reordered(want, got):
        found.append("numbers: the same ones in another order")
    if not found:
        found += _stated_by_one(wanted, (*given, *about), "got no number for it")
        found += _stated_by_one(given, (*wanted, *about), "want has no number for it")
    return tuple(dict.fromkeys(found))


def agree(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities may be the same: some reading of one is some reading of the other."""
    if QuantityKind.DATE in (one.kind, other.kind):
        return _dates_agree(one, other)
    if QuantityKind.TIME in (one.kind, other.kind):
        return one.kind is other.kind and not set(one.values).isdisjoint(other.values)
    if one.code is not None and other.code is not None:
        return one.code == other.code
    return any(_equal(a, one, b, other) for a in one.values for b in other.values)


_TOKEN = re.compile(r"\w+|[^\w\s]")
_CONTEXT = 3


@lru_cache(maxsize=65_536)
def _numerals_in_context(text: str) -> tuple[tuple[str, ...], ...]:
    """Whatever may be (part of) a number, with three tokens either side.

    Where it is the same in two texts so are their quantities: signs, units and bounds stand within
    three tokens. Comparing it is several times cheaper than reading quantities, and most close
    pairs differ in no number.
    """
    tokens = _TOKEN.findall(text[:LONGEST_TEXT].casefold())
    numerals = notation.numeral_words()
    return tuple(
        tuple(tokens[max(0, place - _CONTEXT) : place + _CONTEXT + 1])
        for place, token in enumerate(tokens)
        if token in numerals or any(map(str.isdecimal, token)) or token in "½¼¾"
    )


# --- pairing ------------------------------------------------------------------------------------


def _pairs(wanted: Sequence[Quantity], given: Sequence[Quantity]) -> list[tuple[int, int]]:
    """Agreeing quantities, one to one: those in the same place first, then those rounded."""
    pairs: dict[int, int] = {}
    free = dict.fromkeys(range(len(given)))
    for is_close in (_agree_in_place, agree, _is_rounded):
        for i, one in enumerate(wanted):
            if i in pairs:
                continue
            partner = next((j for j in free if is_close(one, given[j])), None)
            if partner is not None:
                pairs[i] = partner
                del free[partner]
    return sorted(pairs.items())


def _agree_in_place(one: Quantity, other: Quantity) -> bool:
    return _n_shared_neighbours(one, other) > 0 and agree(one, other)


def _is_among(quantity: Quantity, others: Iterable[Quantity]) -> bool:
    return any(agree(quantity, other) for other in others)


def _equal(a: Fraction, one: Quantity, b: Fraction, other: Quantity) -> bool:
    """Values with their units: equal after conversion, or as written where a unit is left out."""
    if one.dimension is None or other.dimension is None:
        return a == b
    if one.dimension == other.dimension:
        return a * one.factor == b * other.factor
    dimensions = {one.dimension, other.dimension}
    is_same = dimensions <= notation.DOLLARS and "dollar" in dimensions
    return a == b and (is_same or dimensions in ({"pound", "GBP"}, {"pound", "mass"}))


def _dates_agree(one: Quantity, other: Quantity) -> bool:
    if one.kind is other.kind:
        return any(_parts_agree(a, b) for a in one.dates for b in other.dates)
    date, number = (one, other) if one.kind is QuantityKind.DATE else (other, one)
    if number.kind not in (*_BARE, QuantityKind.ORDINAL):
        return False
    return any(value in (year, day) for value in number.values for year, _, day in date.dates)


def _parts_agree(one: DateParts, other: DateParts) -> bool:
    """Equal in every part that both state."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def _is_rounded(one: Quantity, other: Quantity) -> bool:
    """Whether one side, hedged as the other is not, rounds the other: "about 500" and 497."""
    if one.bound is other.bound or not one.values or not other.values:
        return False
    rough, exact = (one, other) if one.bound is not None else (other, one)
    if rough.bound is None or exact.bound is not None or rough.kind is not exact.kind:
        return False
    a, b = rough.values[0] * rough.factor, exact.values[0] * exact.factor
    if rough.dimension != exact.dimension or a == 0:
        return False
    return abs(a - b) < _last_place(rough.values[0]) * rough.factor and abs(a - b) <= abs(a) / 20


def _last_place(value: Fraction) -> Fraction:
    """The worth of the last digit that is not a trailing zero: 100 for 500, 1/10 for 8.3."""
    place = Fraction(1, 10**9)
    while value % (place * 10) == 0:
        place *= 10
    return place


# --- what is left over --------------------------------------------------------------------------


def _clashes(
    left_wanted: Sequence[Quantity],
    left_given: Sequence[Quantity],
    *,
    wanted: Sequence[Quantity],
    given: Sequence[Quantity],
) -> list[str]:
    """Left-over quantities of the two sides that stand for each other."""
    return [
        f"numbers: want {_shown(one)}, got {_shown(other)}"
        for one in left_wanted
        for other in left_given
        if _is_clash(one, other, n_new=(not _is_among(one, given)) + (not _is_among(other, wanted)))
    ]


def _is_clash(one: Quantity, other: Quantity, *, n_new: int) -> bool:
    """Whether two that do not agree speak of the same thing.

    Args:
        one: A quantity of one side.
        other: A quantity of the other side.
        n_new: How many of the two state a value that their other side does not state anywhere.
    """
    if agree(one, other) or n_new == 0:
        return False
    n_shared = _n_shared_neighbours(one, other)
    is_alike = one.kind is other.kind
    if one.is_loose and other.is_loose:
        return is_alike and one.kind is QuantityKind.ORDINAL and one.after == other.after != ""
    if one.is_loose or other.is_loose:
        # "One man" against "two men"; "half of 40" against "20" needs arithmetic, not a guard.
        loose = one if one.is_loose else other
        return is_alike and n_shared > 0 and loose.values[0] == 1
    if n_shared == 2:
        return True
    if n_new < 2:
        return False
    is_bare = one.kind in _BARE and other.kind in _BARE
    return is_alike or (n_shared == 1 and (is_bare or QuantityKind.PLAIN in (one.kind, other.kind)))


def _n_shared_neighbours(one: Quantity, other: Quantity) -> int:
    return (one.before == other.before) + (one.after == other.after)


def _is_reordered(want: str, got: str) -> bool:
    """Whether two texts are the same but for the order of their numbers."""
    wanted, given = read_quantities(want), read_quantities(got)
    if len(wanted) < 2 or _without(want, wanted) != _without(got, given):
        return False
    return not all(agree(one, other) for one, other in zip(wanted, given, strict=True))


def _without(text: str, quantities: Sequence[Quantity]) -> list[str]:
    plain, parts, position = plain_text(text).casefold(), [], 0
    for quantity in quantities:
        parts.append(" ".join(plain[position : quantity.start].split()))
        position = quantity.end
    return [*parts, " ".join(plain[position:].split()).rstrip(".")]


def _stated_by_one(
    stated: Sequence[Quantity], others: Sequence[Quantity], problem: str
) -> list[str]:
    """Measured quantities of a text that stand against no number at all."""
    if others:
        return []
    return [
        f"numbers: {_shown(quantity)}, {problem}"
        for quantity in stated
        if quantity.kind in (QuantityKind.MONEY, QuantityKind.MEASURE)
    ]


def _shown(quantity: Quantity) -> str:
    bound = {Bound.OVER: "over ", Bound.UNDER: "under "}
    return f"{bound.get(quantity.bound, '') if quantity.bound else ''}{quantity.text}"

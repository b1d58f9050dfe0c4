"""The quantities that a text states: numbers in any notation, dates, times of day, codes.

Reads what is written, in several languages and conventions, and keeps every reading where the
notation leaves more than one. Two texts state different quantities only when no readings agree.
"""

import re
from dataclasses import replace
from functools import lru_cache

from evals_pipeline.judge.quantity import Bound, Quantity, Words
from evals_pipeline.judge.quantity_notations import MASK, recognisers

_SPACES = re.compile(r"\s+")
_SIGNS = str.maketrans({"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "’": "'", "‘": "'", "−": "-"})
# A claim is a sentence; what is longer must not make the reading slow. No encoder reads as far.
LONGEST_TEXT = 4_000
_MOST_QUANTITIES = 200


@lru_cache(maxsize=65_536)
def read_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order: the first 200 of its first 4,000 characters.

    >>> [str(q.values[0]) for q in read_quantities("Twenty-five of 1,250 cost $3.5 million")]
    ['25', '1250', '3500000']
    """
    plain = plain_text(text)
    words = Words(plain)
    unread, found = plain, []
    for recogniser in recognisers():
        if not recogniser.may_find(words):
            continue
        for match in list(recogniser.pattern.finditer(unread)):
            quantity = recogniser.read(match)
            if quantity is not None:
                start, end = match.span()
                found.append(_placed(quantity, start, end, words))
                unread = unread[:start] + MASK * (end - start) + unread[end:]
    return tuple(sorted(found, key=lambda quantity: quantity.start)[:_MOST_QUANTITIES])


def plain_text(text: str) -> str:
    """The text with one kind of space, quote and minus; offsets of quantities are within it."""
    return _SPACES.sub(" ", text[:LONGEST_TEXT].translate(_SIGNS)).strip()


# --- the words around -----------------------------------------------------------------------------

# What a bound ends with; only behind one of these is it worth reading back.
_ENDS_OF_BOUNDS = frozenset(
    {"than", "under", "below", "most", "to", "over", "above", "least", "about", "around", "als"}
    | {"roughly", "approximately", "approx", "some", "circa", "ca", "nearly", "almost", "de"}
    | {"höchstens", "unter", "mindestens", "über", "etwa", "rund", "fast", "knapp", "environ"}
    | {"unos", "unas", "casi", "a", "an", "the", "exceed", "exceeds", "exceeded", "exceeding"}
)
_BOUNDS = [
    (bound, re.compile(rf"(?:^|\W)(?:{words})\s?(?:an? |the )?[$€£¥]?$", re.IGNORECASE))
    for bound, words in (
        (
            Bound.UNDER,
            r"less than|fewer than|under|below|at most|up to|no more than|not more than"
            r"|weniger als|höchstens|unter|moins de|menos de",
        ),
        (
            Bound.OVER,
            r"(?<!no )(?<!not )more than|over|above|at least|greater than|no less than"
            r"|no fewer than|exceed\w*|mehr als|mindestens|über|plus de|más de",
        ),
        (
            Bound.ABOUT,
            r"about|around|roughly|approximately|approx\.?|some|circa|ca\.?|nearly|almost|close to"
            r"|etwa|rund|fast|knapp|environ|près de|unos|unas|casi|~",
        ),
    )
]


def _placed(quantity: Quantity, start: int, end: int, words: Words) -> Quantity:
    before = words.before(start)
    return replace(
        quantity,
        text=words.plain[start:end].strip(),
        before=before,
        after=words.after(end),
        bound=_bound(words.plain[max(0, start - 40) : start], before),
        start=start,
        end=end,
    )


def _bound(before: str, word: str) -> Bound | None:
    if word not in _ENDS_OF_BOUNDS and not before.rstrip().endswith("~"):
        return None
    return next((bound for bound, pattern in _BOUNDS if pattern.search(before)), None)

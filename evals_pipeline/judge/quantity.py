"""What a quantity of a text is, and the words among which it stands."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

DateParts: TypeAlias = tuple[int | None, int, int | None]
"""Year, month, day; None where the text does not say."""


class QuantityKind(StrEnum):
    """What a quantity is of; only like is compared with like."""

    PLAIN = "plain"
    YEAR = "year"
    MONEY = "money"
    MEASURE = "measure"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    CODE = "code"


class Bound(StrEnum):
    """What the words before a number make of it."""

    ABOUT = "about"
    OVER = "over"
    UNDER = "under"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One quantity of a text.

    ``values`` are its readings before any unit (for a time: minutes), ``dates`` those of a date,
    ``code`` the text of a code. ``dimension`` and ``factor`` say what the unit makes of the value.
    ``is_loose``: a word that as often is no number. ``before`` and ``after`` are the words around
    it, empty at the ends of the text, which it fills from ``start`` to ``end``.
    """

    text: str = ""
    kind: QuantityKind
    values: tuple[Fraction, ...] = ()
    dates: tuple[DateParts, ...] = ()
    code: str | None = None
    dimension: str | None = None
    factor: Fraction = Fraction(1)
    bound: Bound | None = None
    is_loose: bool = False
    before: str = ""
    after: str = ""
    start: int = 0
    end: int = 0


_TOKEN = re.compile(r"\w+")


class Words:
    """The words of a text and where they stand, read once for all that ask."""

    def __init__(self, plain: str) -> None:
        tokens = list(_TOKEN.finditer(plain))
        self.plain = plain
        self.vocabulary = frozenset(token[0].casefold() for token in tokens)
        self.has_digit = any(token[0].isdecimal() for token in tokens) or any(
            letter.isdecimal() for word in self.vocabulary for letter in word
        )
        self._texts = [token[0] for token in tokens]
        self._starts = [token.start() for token in tokens]
        self._ends = [token.end() for token in tokens]

    def before(self, place: int) -> str:
        """The word that ends before a place; empty where a number or nothing does."""
        return self._word(bisect_right(self._ends, place) - 1)

    def after(self, place: int) -> str:
        """The word that begins after a place; empty where a number or nothing does."""
        return self._word(bisect_left(self._starts, place))

    def _word(self, index: int) -> str:
        text = self._texts[index] if 0 <= index < len(self._texts) else ""
        return text.casefold() if text.isalpha() else ""

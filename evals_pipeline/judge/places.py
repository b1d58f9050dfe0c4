"""Where in a document's text a value stands, so that a reader sees it in its line.

The same look-up as in ``lookback``, with the place kept: a value is found by its canonical form in
any notation that its kind reads. Information only. What is short enough to stand anywhere (a single
digit, two letters) is not looked for, since a wrong place misleads more than none.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property

from evals_pipeline.judge.kinds.characters import fold_numeric, fold_text
from evals_pipeline.judge.kinds.date import DateKind
from evals_pipeline.judge.kinds.enum import EnumKind
from evals_pipeline.judge.kinds.identifier import IdentifierKind
from evals_pipeline.judge.kinds.money import MoneyKind
from evals_pipeline.judge.kinds.notation import plain_text
from evals_pipeline.judge.kinds.number import NumberKind
from evals_pipeline.judge.kinds.numerals import read_numeral
from evals_pipeline.judge.kinds.percent import PercentKind
from evals_pipeline.judge.kinds.reader import ValueReader
from evals_pipeline.judge.kinds.text import TextKind
from evals_pipeline.judge.lookback import NAMED_DATE, NUMBER_RUN, NUMERIC_DATE

LONGEST_SEARCHED = 200_000
"""Characters of a document in which places are looked for."""

_SHORTEST = 3
_LONGEST_VALUE = 400
_MOST_GROUPS = 4
_ASCII_SPACES = str.maketrans(dict.fromkeys("\t\n\r\f\v", " "))


@dataclass(frozen=True, slots=True)
class Place:
    """A half-open range of characters of the text as it came."""

    start: int
    end: int


class PlaceFinder:
    """One document's text, searched for the places of values; what was worked out is kept."""

    def __init__(self, text: str) -> None:
        self._text = text[:LONGEST_SEARCHED]
        self._places: dict[tuple[str, object], dict[str, Place]] = {}

    def find(self, value: str, reader: ValueReader) -> Place | None:
        """The first place of a value, given by its canonical text; None where it is not found.

        Args:
            value: The canonical form; of a value that has none, its text as it was given.
            reader: Reads the field's extracted values, under the document's convention.
        """
        if not value or len(value) > _LONGEST_VALUE:
            return None
        found: Place | None = None
        match reader.kind:
            case MoneyKind() | NumberKind() | PercentKind():
                magnitude = _magnitude_in(value)
                found = self._numbers(reader).get(magnitude) if magnitude else self.literal(value)
            case DateKind():
                found = self._dates(reader).get(value) or self.literal(value)
            case IdentifierKind():
                found = self._identifier(value)
            case EnumKind():
                found = self._member(value, reader)
            case TextKind():
                found = self.literal(value)
        return found

    def literal(self, value: str) -> Place | None:
        """The first place of a text as whole words, case, spaces and typesetting folded."""
        if _n_signs(value) < _SHORTEST:
            return None
        return self._words_in(self._folded, fold_text(value))

    def _member(self, value: str, reader: ValueReader) -> Place | None:
        spellings = (value, *reader.context.spec.values.get(value, ()))
        found = (self._words_in(self._folded, fold_text(one)) for one in spellings)
        return next((place for place in found if place is not None), None)

    def _identifier(self, value: str) -> Place | None:
        if _n_signs(value) < _SHORTEST:
            return None
        pattern = r"[\W_]{0,3}".join(re.escape(char) for char in value.casefold())
        found = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", self._folded.text)
        return self._folded.place(found.span()) if found else None

    def _words_in(self, folded: "_Folded", value: str) -> Place | None:
        words = [re.escape(word) for word in value.split()]
        if not words:
            return None
        left = r"(?<!\w)" if value[0].isalnum() else ""
        right = r"(?!\w)" if value[-1].isalnum() else ""
        found = re.search(f"{left}{' +'.join(words)}{right}", folded.text)
        return folded.place(found.span()) if found else None

    def _numbers(self, reader: ValueReader) -> dict[str, Place]:
        def read(run: str) -> str | None:
            value = read_numeral(run, reader.context).value
            return None if value is None else plain_text(abs(value))

        return self._kept(("number", reader.context.locale), self._number_runs(), read)

    def _dates(self, reader: ValueReader) -> dict[str, Place]:
        def read(run: str) -> str | None:
            return reader.kind.canonical(run, reader.context).text

        return self._kept(("date", id(reader)), self._date_runs(), read)

    def _kept(
        self,
        key: tuple[str, object],
        runs: Iterator[tuple[str, Place]],
        read: Callable[[str], str | None],
    ) -> dict[str, Place]:
        """The first place of everything that the runs say under one way of reading them."""
        if key not in self._places:
            found = self._places[key] = {}
            for run, place in runs:
                says = read(run)
                if says is not None:
                    found.setdefault(says, place)
        return self._places[key]

    def _number_runs(self) -> Iterator[tuple[str, Place]]:
        """Every run of digits, and where spaces part it also its parts, as columns would."""
        numeric = self._numeric
        for run in NUMBER_RUN.finditer(numeric.text):
            words = list(re.finditer(r"[^ ]+", run[0]))
            for first in range(len(words)):
                for last in range(first, min(first + _MOST_GROUPS, len(words))):
                    start, end = words[first].start(), words[last].end()
                    text = run[0][start:end]
                    if _n_signs(text) >= _SHORTEST:
                        yield text, numeric.place((run.start() + start, run.start() + end))

    def _date_runs(self) -> Iterator[tuple[str, Place]]:
        for pattern in (NUMERIC_DATE, NAMED_DATE):
            for run in pattern.finditer(self._numeric.text):
                yield run[1], self._numeric.place(run.span(1))

    @cached_property
    def _folded(self) -> "_Folded":
        return _fold(self._text, fold_text, is_lower=True)

    @cached_property
    def _numeric(self) -> "_Folded":
        return _fold(self._text, fold_numeric, is_lower=False)


@dataclass(frozen=True, slots=True)
class _Folded:
    """A folded text; ``places`` gives each of its characters the one that it came from."""

    text: str
    places: list[int] | None = None

    def place(self, span: tuple[int, int]) -> Place:
        start, end = span
        if self.places is None:
            return Place(start, end)
        return Place(self.places[start], self.places[end - 1] + 1)


def _fold(text: str, fold: Callable[[str], str], *, is_lower: bool) -> _Folded:
    """Folds character by character, each kind of space to one space, so that places survive."""
    if text.isascii():
        spaced = text.translate(_ASCII_SPACES)
        return _Folded(spaced.lower() if is_lower else spaced)
    known: dict[str, str] = {}
    parts: list[str] = []
    places: list[int] = []
    for position, char in enumerate(text):
        folded = known.get(char)
        if folded is None:
            folded = known[char] = " " if char.isspace() else fold(char)
        parts.append(folded)
        places.extend([position] * len(folded))
    return _Folded("".join(parts), places)


def _magnitude_in(value: str) -> str | None:
    """The number of a canonical amount or percentage, without sign, currency and unit."""
    number = value.split(" ", maxsplit=1)[0].rstrip("%").lstrip("-")
    try:
        return plain_text(Decimal(number))
    except InvalidOperation:
        return None


def _n_signs(text: str) -> int:
    return sum(char.isalnum() for char in text)

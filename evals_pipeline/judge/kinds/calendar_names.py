"""Names of months and weekdays, and the order of day and month, as a locale has them (CLDR)."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from babel import Locale

from evals_pipeline.judge.kinds.characters import fold_numeric
from evals_pipeline.judge.kinds.notation import parse_locale

_SHORTEST_PREFIX = 3
_WORD = re.compile(r"[^\W\d_]+")
_NOT_LETTERS = re.compile(r"[\d\s.,/'()\-]+")

# Spellings that documents use and CLDR does not list.
_ALSO = {"de": {"mrz": 3, "sept": 9}, "es": {"setiembre": 9, "set": 9}, "pt": {"março": 3}}

# Words that may stand between the parts of a written date and say nothing more.
_FILLER_WORDS = """
    st nd rd th of the day de del di do da dia den der d le er eme ème e o a º ª ta to am
    г года год р року рік dne ngày año ano år
"""
_FILLERS = frozenset(_FILLER_WORDS.split())


class DateOrder(StrEnum):
    """In which order a locale writes numeric dates."""

    DAY_FIRST = "day before month"
    MONTH_FIRST = "month before day"
    YEAR_FIRST = "year first"


@cache
def date_order(identifier: str) -> DateOrder | None:
    """The order of the locale's short date; None where the locale does not settle it.

    ``en`` without a territory settles nothing: its two largest territories disagree.
    """
    locale = parse_locale(identifier)
    if locale.language == "en" and locale.territory is None:
        return None
    letters = re.sub(r"[^dMy]", "", re.sub("'[^']*'", "", locale.date_formats["short"].pattern))
    first = letters[:1]
    if first == "y":
        return DateOrder.YEAR_FIRST
    return DateOrder.DAY_FIRST if first == "d" else DateOrder.MONTH_FIRST


def month_of(word: str, identifier: str | None) -> int | None:
    """The number of the month that ``word`` names in the locale's language, else in English.

    Case, accents, a final dot and a shortening of three letters or more make no difference.
    """
    return _look_up(word, _tables(identifier, "months"))


def weekday_of(word: str, identifier: str | None) -> int | None:
    """0 for Monday to 6 for Sunday, in the locale's language or in English."""
    found = _look_up(word, _tables(identifier, "days"))
    return None if found is None else found - 1


def is_filler(word: str, identifier: str | None) -> bool:
    """Whether a word of a written date says nothing: ``of``, ``de``, an ordinal's ending."""
    key = word.casefold()
    return key in _FILLERS or (identifier is not None and key in _pattern_words(identifier))


def without_prefix(word: str, identifier: str | None) -> str:
    """``word`` without a particle that the locale writes onto a month's name, as Hebrew does."""
    if identifier is None or month_of(word, identifier) is not None:
        return word
    for particle in _pattern_words(identifier):
        if word.startswith(particle) and month_of(word[len(particle) :], identifier) is not None:
            return word[len(particle) :]
    return word


def with_single_words(text: str, identifier: str | None) -> str:
    """``text`` with every name of several words, or with a digit in it, put as the English one."""
    if identifier is None:
        return text
    for pattern, english in _long_names(identifier):
        text = pattern.sub(f" {english} ", text)
    return text


@cache
def _pattern_words(identifier: str) -> frozenset[str]:
    """The words that stand between the parts in the locale's own date patterns."""
    words: set[str] = set()
    for form in parse_locale(identifier).date_formats.values():
        quoted = " ".join(re.findall(r"'([^']+)'", form.pattern))
        bare = re.sub(r"[A-Za-z]", " ", re.sub(r"'[^']*'", " ", form.pattern))
        words.update(_WORD.findall(fold_numeric(f"{quoted} {bare}").casefold()))
    return frozenset(words)


@cache
def _long_names(identifier: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    locale, english = parse_locale(identifier), Locale("en")
    known: dict[str, str] = {}
    for names in ("months", "days"):
        translation = getattr(english, names)["format"]["wide"]
        for widths in getattr(locale, names).values():
            for width in ("wide", "abbreviated"):
                for number, name in widths.get(width, {}).items():
                    folded = fold_numeric(name).rstrip(".")
                    if _NOT_LETTERS.search(folded) and _WORD.search(folded):
                        known[folded] = translation[number]
    longest_first = sorted(known, key=len, reverse=True)
    return tuple(
        (re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE), known[name])
        for name in longest_first
    )


def _look_up(word: str, tables: Iterable[Mapping[str, int]]) -> int | None:
    key = _key(word)
    bare = _without_accents(key)
    for table in tables:
        found = table.get(key) or table.get(bare)
        if found is not None:
            return found
    return None


@cache
def _tables(identifier: str | None, names: str) -> tuple[Mapping[str, int], ...]:
    locales = [Locale("en")] if identifier is None else [parse_locale(identifier), Locale("en")]
    return tuple(_table(locale, names) for locale in locales)


def _table(locale: Locale, names: str) -> Mapping[str, int]:
    """Spelling to number, counted from 1; a spelling of two months is left out."""
    known: dict[str, set[int]] = defaultdict(set)
    for widths in getattr(locale, names).values():
        for width in ("wide", "abbreviated", "short"):
            for number, name in widths.get(width, {}).items():
                _add(known, name, number if names == "months" else number + 1)
    table = {key: numbers.pop() for key, numbers in known.items() if len(numbers) == 1}
    if names == "days":
        return table
    return {**_ALSO.get(locale.language, {}), **_prefixes(locale), **table}


def _prefixes(locale: Locale) -> Mapping[str, int]:
    """Every shortening of a month's full name that only one month has."""
    known: dict[str, set[int]] = defaultdict(set)
    for widths in locale.months.values():
        for number, name in widths.get("wide", {}).items():
            key = _key(name)
            for length in range(_SHORTEST_PREFIX, len(key)):
                _add(known, key[:length], number)
    return {key: numbers.pop() for key, numbers in known.items() if len(numbers) == 1}


def _add(known: dict[str, set[int]], name: str, number: int) -> None:
    key = _key(name)
    for spelling in {key, _without_accents(key)}:
        if spelling and not spelling.isdecimal():
            known[spelling].add(number)


def _key(name: str) -> str:
    return _NOT_LETTERS.sub("", fold_numeric(name)).casefold()


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    # Only Latin letters keep their meaning without their marks; vowels of other scripts are marks.
    if not all("LATIN" in unicodedata.name(char, "") for char in text if char.isalpha()):
        return text
    return unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()

"""Numerals: digits in any grouping, and number words, as exact fractions."""

import re
from fractions import Fraction

from evals_pipeline.judge import notation


def any_of(*tables: dict[str, object] | frozenset[str]) -> str:
    """A regular expression for the words of these tables, longest first."""
    words = {word for table in tables for word in table}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


DIGITS = (
    r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\d)|\d{1,3}(?:'\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d+(?:[.,]\d+)*|\.\d+"
)
"""Digits with their marks, spaces already plain and quotes straight."""

_BELOW_20 = any_of({**notation.CARDINALS})
_TENS = any_of({**notation.TENS})
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{_BELOW_20}|one))?|{_BELOW_20})"
_SCALE = any_of({word: value for word, value in notation.SCALES.items() if value != 100})
_BELOW_1000 = (
    rf"(?:(?:(?:{_BELOW_100}|one|an?)[ -])?(?:hundred|hundert)"
    rf"(?:[ -](?:and )?(?:{_BELOW_100}|one))?|{_BELOW_100})"
)
WORDS = (
    rf"(?:(?:{_BELOW_20}|twenty)[ -](?:{_TENS})(?:[ -](?:{_BELOW_20}|one))?"
    rf"|(?:(?:half an?|{_BELOW_1000}|one|an?)[ -](?:{_SCALE})\b"
    rf"(?: (?:and )?(?=(?:{_BELOW_1000}|one)\b))?)+"
    rf"(?:{_BELOW_1000}|one)?|{_BELOW_1000})"
)
"""A number in words; the years of the form "nineteen ninety-nine" too."""

PARTS = rf"(?:{_BELOW_20}|one|a)[ -](?:{any_of({**notation.DENOMINATORS})}|third)"
"""A fraction in words: "two thirds"."""


def readings(digits: str) -> tuple[Fraction, ...]:
    """The numbers that digits with marks may stand for, the likelier first; none for a version.

    A mark before exactly three digits groups if it is a comma; a point may do either. Where both
    marks occur the last one is the decimal mark.

    >>> readings("1,250"), readings("1.250")
    ((Fraction(1250, 1),), (Fraction(5, 4), Fraction(1250, 1)))
    """
    bare = digits.replace(" ", "").replace("'", "")
    if "," in bare and "." in bare:
        mark = max(".,", key=bare.rfind)
        other = "," if mark == "." else "."
        if bare.count(mark) > 1:
            return ()
        return (Fraction(bare.replace(other, "").replace(mark, ".")),)
    if bare.count(",") + bare.count(".") > 1:
        is_grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}", bare) is not None
        return (Fraction(re.sub("[.,]", "", bare)),) if is_grouped else ()
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", bare):
        return (Fraction(bare.replace(",", "")),)
    if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", bare):
        return (Fraction(bare), Fraction(bare.replace(".", "")))
    return (Fraction(bare.replace(",", ".")),)


def word_value(words: str) -> Fraction:
    """The number that words of the form ``WORDS`` state.

    >>> word_value("two hundred and five thousand"), word_value("nineteen ninety-nine")
    (Fraction(205000, 1), Fraction(1999, 1))
    """
    total, current = Fraction(0), Fraction(0)
    for word in re.split(r"[ ,-]+", words.casefold().strip()):
        if word == "half":
            current = Fraction(1, 2)
        elif word in ("a", "an", "one"):
            current += 1 if current != Fraction(1, 2) else 0
        elif word in notation.TENS or word in notation.CARDINALS:
            value = notation.TENS.get(word, notation.CARDINALS.get(word, 0))
            is_year = word in notation.TENS and 10 <= current < 100
            current = current * 100 + value if is_year else current + value
        elif notation.SCALES.get(word) == 100:
            current = max(current, Fraction(1)) * 100
        elif word in notation.SCALES:
            total, current = (
                total + max(current, Fraction(1, 2)) * notation.SCALES[word],
                Fraction(0),
            )
    return total + current


def part_value(words: str) -> Fraction:
    """The fraction that words of the form ``PARTS`` state.

    >>> part_value("two-thirds")
    Fraction(2, 3)
    """
    above, below = re.split("[ -]", words.casefold())
    return Fraction(notation.CARDINALS.get(above, 1), notation.DENOMINATORS.get(below, 3))

"""Letters as detectors read them: one shape for every digit, dash and space, one for one.

Every letter becomes exactly one letter, so that a place in the folded text is the same place in the
text. Names are compared by ``bare`` instead, which drops accents, case and all that is not a letter
or a digit.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

UNSEEN = "\x01"
"""What soft hyphens, zero-width and control characters become; a value may be broken at one."""


class _Fold(dict[int, str]):
    """A translation table that works out each character once."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


def _folded(char: str) -> str:
    if char in "\n\t":
        return char
    if char.isspace():
        return "\n" if char in "\u2028\u2029\v\f\x85" else " "
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Cn"):
        return UNSEEN
    if category == "Pd" or char in "−⁃":
        return "-"
    # A superscript is a footnote's mark beside a number, not a digit of it.
    shape = char if category == "No" else unicodedata.normalize("NFKC", char)
    return shape if len(shape) == 1 else char


_TABLE = _Fold()


def fold(text: str) -> str:
    """``text`` with one shape for every digit, dash and space; as long as ``text``.

    >>> fold("ＧＢ２９\\u00a0NWBK–\\u00ad1")
    'GB29 NWBK-\\x011'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE)


class Word(NamedTuple):
    """A run of letters and digits in a text, and the same without case and accents."""

    start: int
    end: int
    bare: str


def words(text: str) -> Iterator[Word]:
    """The words of a text; soft hyphens and zero-width characters do not part them."""
    start = None
    letters: list[str] = []
    for i, char in enumerate(text):
        bare_char = _bare_char(char)
        if bare_char:
            start = i if start is None else start
            letters.append(bare_char)
            end = i + 1
        elif start is not None and not _is_inside(char):
            yield Word(start, end, "".join(letters))
            start, letters = None, []
    if start is not None:
        yield Word(start, end, "".join(letters))


def bare(text: str) -> str:
    """The letters and digits of ``text`` and nothing else, without case and accents.

    >>> bare("Müller-Lüden\\u00adscheid, J.")
    'mullerludenscheidj'
    """
    return "".join(map(_bare_char, text))


@lru_cache(maxsize=8192)
def _bare_char(char: str) -> str:
    folded = unicodedata.normalize("NFKD", char).casefold()
    kept = (c for c in unicodedata.normalize("NFKD", folded) if c.isalnum())
    return "".join(str(unicodedata.decimal(c, c)) for c in kept)


def _is_inside(char: str) -> bool:
    """Whether a character that shows nothing stands inside a word, not between two."""
    category = unicodedata.category(char)
    return category in ("Cf", "Mn", "Mc") or (category == "Cc" and not char.isspace())

"""What differs between a wanted and a given value, as ranges to mark."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rapidfuzz.distance import Indel, Levenshtein

Range: TypeAlias = tuple[int, int]
"""Half-open range of characters."""

LONGEST_BY_CHARACTER = 64
LONGEST_COMPARED = 4_000
_ALIKE = 0.5
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """The ranges of each text that the other does not share."""

    want: tuple[Range, ...]
    got: tuple[Range, ...]


def differences(want: str, got: str) -> Differences:
    """Where two texts differ: by character where they are short and alike, else by word.

    Texts that share no word are marked whole, and so are texts too long to compare.

    >>> differences("2026-05-27", "2026-04-27")
    Differences(want=((6, 7),), got=((6, 7),))
    >>> differences("ACME Corp", "ACME Ltd").got
    ((5, 8),)
    """
    if want == got:
        return Differences(want=(), got=())
    if max(len(want), len(got)) > LONGEST_COMPARED:
        return _whole(want, got)
    is_short = max(len(want), len(got)) <= LONGEST_BY_CHARACTER
    if is_short and " " not in want + got and _likeness(want, got) >= _ALIKE:
        return _by_character(want, got)
    return _by_word(want, got)


def words_of_one_side(want: str, got: str) -> Differences:
    """For paraphrases, whose order says nothing: the words of each text that the other lacks.

    >>> words_of_one_side("It opened in 1934.", "In 1943 it opened.")
    Differences(want=((13, 17),), got=((3, 7),))
    """
    if max(len(want), len(got)) > LONGEST_COMPARED:
        return _whole(want, got)
    wanted, given = ({word.casefold() for word in _WORD.findall(text)} for text in (want, got))
    return Differences(want=_lacking(want, given), got=_lacking(got, wanted))


def _lacking(text: str, other: set[str]) -> tuple[Range, ...]:
    """The ranges of words that the other text lacks; neighbours and the space between are one."""
    joined: list[Range] = []
    for word in _WORD.finditer(text):
        if word[0].casefold() in other:
            continue
        if joined and text[joined[-1][1] : word.start()].isspace():
            joined[-1] = (joined[-1][0], word.end())
        else:
            joined.append(word.span())
    return tuple(joined)


def _likeness(want: str, got: str) -> float:
    return float(Levenshtein.normalized_similarity(want, got))


def _by_character(want: str, got: str) -> Differences:
    edits = [edit for edit in Levenshtein.opcodes(want, got) if edit.tag != "equal"]
    return Differences(
        want=_joined((edit.src_start, edit.src_end) for edit in edits),
        got=_joined((edit.dest_start, edit.dest_end) for edit in edits),
    )


def _by_word(want: str, got: str) -> Differences:
    wanted, given = _TOKEN.findall(want), _TOKEN.findall(got)
    edits = Indel.opcodes(wanted, given)
    shared = (want_word for edit in edits if edit.tag == "equal" for want_word in wanted[_of(edit)])
    if not any(any(char.isalnum() for char in word) for word in shared):
        return _whole(want, got)
    changed = [edit for edit in edits if edit.tag != "equal"]
    at_want, at_got = _starts(wanted), _starts(given)
    return Differences(
        want=_joined((at_want[edit.src_start], at_want[edit.src_end]) for edit in changed),
        got=_joined((at_got[edit.dest_start], at_got[edit.dest_end]) for edit in changed),
    )


def _of(edit: object) -> slice:
    return slice(edit.src_start, edit.src_end)  # type: ignore[attr-defined]  # rapidfuzz's Opcode


def _starts(tokens: Sequence[str]) -> list[int]:
    """The place of every token, and the end of the last."""
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def _whole(want: str, got: str) -> Differences:
    return Differences(want=((0, len(want)),) if want else (), got=((0, len(got)),) if got else ())


def _joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Ranges that touch become one; empty ones go."""
    joined: list[Range] = []
    for start, end in ranges:
        if start == end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)

"""IBANs, however they are grouped, broken over lines, or written in small letters.

A run of the length that its country has, with the right structure and checksum, is one. Where the
word IBAN stands before it the run is masked although the checksum fails: a slip of the pen, or of a
reading, leaves enough of an account number to find its owner.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from stdnum import iban, numdb

from evals_pipeline.sets.redaction.findings import Finding, Lookalike, Masked
from evals_pipeline.sets.redaction.folding import UNSEEN
from evals_pipeline.sets.redaction.label_words import NumberLabel, label_before

_SEPARATORS = frozenset(f" \t\n-.{UNSEEN}")
_LONGEST_GAP = 24
_LONGEST = 34
_START = re.compile(rf"([A-Za-z]{{2}})[ \-{UNSEEN}]{{0,2}}[0-9OIl][ {UNSEEN}]?[0-9OIl]")
_STRUCTURE = re.compile(r"(\d+)!([nac])")
_GROUP = re.compile(rf"[ \-.{UNSEEN}]?([A-Za-z0-9]+)")
_FEWEST_DIGITS = 6


class _Run(NamedTuple):
    """Letters and digits from one place on: where the last one ends, and they without gaps."""

    end: int
    compact: str


def find_ibans(text: str) -> Iterator[Finding | Lookalike]:
    """The IBANs of a folded text, and runs of digits and letters that only look like one."""
    position = 0
    while match := _START.search(text, position):
        found = _at(text, match.start(), match[1])
        if found is None:
            position = match.start() + 1
            continue
        yield found
        position = found.end


def _at(text: str, start: int, country: str) -> Finding | Lookalike | None:
    length = _length(country.upper())
    is_labelled = label_before(text, start) is NumberLabel.IBAN
    run = _run(text, start, length) if length else None
    # "No 12 …" and "It 60 …" begin sentences; a country's code is written in one case.
    if run and (country.isupper() or country.islower() or is_labelled):
        if iban.is_valid(run.compact, check_country=False):
            return _finding(start, run)
        is_one = not re.search(r"[\s.\-]{2}|\n", text[start : run.end])
        if not is_labelled and is_one and country.isupper() and _looks_right(run.compact):
            reason = "has the form of an IBAN, but its checksum fails"
            return Lookalike(start=start, end=run.end, reason=reason)
    return _slip(text, start, run) if is_labelled else None


def _slip(text: str, start: int, run: _Run | None) -> Finding | None:
    """A labelled run that is no IBAN: a slip in it, or cut off."""
    if run is None or "\n" in text[start : run.end]:
        run = _groups(text, start)
    if sum(char.isdigit() for char in run.compact) < _FEWEST_DIGITS:
        return None
    return _finding(start, run)


def _groups(text: str, start: int) -> _Run:
    """The groups of one line from ``start``, up to the first that is a word, or the longest IBAN.

    Only the second group may be letters: the bank's.
    """
    compact, end = "", start
    while group := _GROUP.match(text, end):
        is_word = group[1].isalpha() and len(compact) != 4
        if is_word or len(compact) + len(group[1]) > _LONGEST:
            break
        compact, end = compact + group[1].upper(), group.end()
    return _Run(end, compact)


def _finding(start: int, run: _Run) -> Finding:
    return Finding(kind=Masked.IBAN, start=start, end=run.end, normal=run.compact)


def _run(text: str, start: int, length: int) -> _Run | None:
    """The first ``length`` letters and digits from ``start``; None where a gap is too wide."""
    compact: list[str] = []
    gap = 0
    for i in range(start, len(text)):
        char = text[i]
        if char.isascii() and char.isalnum():
            compact.append(char.upper())
            gap = 0
            if len(compact) == length:
                return _Run(i + 1, "".join(compact))
        else:
            gap += 1
            if char not in _SEPARATORS or gap > _LONGEST_GAP:
                return None
    return None


@cache
def _structure(country: str) -> str | None:
    """The country's structure behind the check digits, ``4!a6!n8!n``; None: it has no IBANs."""
    properties = numdb.get("iban").info(f"{country}00")[0][1]
    found = properties.get("bban") if properties else None
    return str(found) if found else None


def _length(country: str) -> int:
    structure = _structure(country)
    return 4 + sum(int(n) for n, _ in _STRUCTURE.findall(structure)) if structure else 0


def _looks_right(compact: str) -> bool:
    letters = {"n": "[0-9]", "a": "[A-Z]", "c": "[A-Z0-9]"}
    structure = _structure(compact[:2]) or ""
    pattern = "".join(f"{letters[sort]}{{{n}}}" for n, sort in _STRUCTURE.findall(structure))
    return re.fullmatch(rf"[A-Z]{{2}}[0-9]{{2}}{pattern}", compact) is not None

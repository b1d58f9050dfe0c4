"""IBANs, however they are grouped, broken over lines, or written in small letters.

A run of the length that its country has, with the right structure and checksum, is one if it stands
by itself and is parted as people part an IBAN. One text in a hundred passes the checksum by chance,
so that words and amounts beside one another must not be read as one. Where the word IBAN stands
before it the run is masked although the checksum fails: a slip of the pen, or of a reading, leaves
enough of an account number to find its owner.
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
# Not inside a word, but "IBANDE65 …" is printed too.
_START = re.compile(
    rf"(?:(?<![^\W_])|(?<=[Iiİı][Bb][Aa][Nn]))"
    rf"([A-Za-z]{{2}})[ \-.{UNSEEN}]{{0,2}}[0-9OIl][ {UNSEEN}]?[0-9OIl]"
)
_STRICT_START = re.compile(rf"[A-Za-z]{{2}}{UNSEEN}*[ \-.]?{UNSEEN}*[0-9]{UNSEEN}*[0-9]")
_STRUCTURE = re.compile(r"(\d+)!([nac])")
_GROUP = re.compile(rf"[ \-.{UNSEEN}]?([A-Za-z0-9]+)")
_FEWEST_DIGITS = 6


class _Run(NamedTuple):
    """Letters and digits from one place on: where the last one ends, and they without gaps.

    ``groups`` are they as they are parted, by ``gaps``.
    """

    end: int
    compact: str
    groups: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


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
    if not is_labelled and text[max(0, start - 1) : start].isalnum():
        return None
    run = _run(text, start, length) if length else None
    if run and _has_words(run):
        run = None
    # "No 12 …" and "It 60 …" begin sentences; a country's code is written in one case.
    if run and (is_labelled or _stands_alone(text, start, run, country)):
        if iban.is_valid(run.compact, check_country=False):
            return _finding(start, run)
        is_one = not re.search(r"[\s.\-]{2}|\n", text[start : run.end])
        if not is_labelled and is_one and country.isupper() and _looks_right(run.compact):
            reason = "has the form of an IBAN, but its checksum fails"
            return Lookalike(start=start, end=run.end, reason=reason)
    return _slip(text, start, run) if is_labelled else None


def _stands_alone(text: str, start: int, run: _Run, country: str) -> bool:
    """Whether a run without a label is written as an IBAN, and does not end inside a word."""
    if not (country.isupper() or country.islower()) or not _STRICT_START.match(text, start):
        return False
    after = text[run.end : run.end + 1]
    # Readings of pages glue the next word to a number: "…7201BIC".
    goes_on = after.isdecimal() or (after.isalnum() and run.compact[-1].isalpha())
    return not goes_on and _is_parted_well(run)


def _is_parted_well(run: _Run) -> bool:
    """One sort of mark between groups; wide gaps and line breaks only as a wrapped IBAN has them.

    These are where groups of one size go on, or the only gaps of a number without groups.
    """
    marks = [gap.replace(UNSEEN, "") for gap in run.gaps]
    wide = [mark for mark in marks if len(mark) > 1 or mark in ("\n", "\t")]
    if len({mark for mark in marks if mark and mark not in wide}) > 1:
        return False
    is_solid = len(wide) == len(marks) == 1 and "\n" in wide[0] and len(run.groups[0]) > 4
    return not wide or is_solid or _is_regular(run)


def _is_regular(run: _Run) -> bool:
    """Whether the groups after the check digits are of one size, but for a shorter last one."""
    groups = [""]
    for group, gap in zip(run.groups, ["", *run.gaps], strict=True):
        # A line's end may part a group in two, with a hyphen or without.
        is_cut = "\n" in gap and len(groups) > 2 and len(groups[-1]) < len(groups[1])
        is_joined = len(groups[0]) < 4 or is_cut or re.match(r"-\s*\n", gap)
        groups = [*groups[:-1], groups[-1] + group] if is_joined else [*groups, group]
    first, *others = groups
    sizes = {len(group) for group in others[:-1]}
    return len(first) == 4 and len(sizes) == 1 and len(others[-1]) <= max(sizes)


def _has_words(run: _Run) -> bool:
    """Whether words of a sentence are in it: groups of small letters, but for the bank's."""
    place = 0
    for group in run.groups:
        is_word = group.isalpha() and place not in (0, 4) and not group.isupper()
        if is_word and not _is_regular(run):
            return True
        place += len(group)
    return False


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
    groups, gaps, missing = [""], [""], length
    for i in range(start, len(text)):
        char = text[i]
        if char.isascii() and char.isalnum():
            if gaps[-1]:
                groups.append("")
                gaps.append("")
            groups[-1] += char
            missing -= 1
            if not missing:
                return _Run(i + 1, "".join(groups).upper(), tuple(groups), tuple(gaps[:-1]))
        else:
            gaps[-1] += char
            if char not in _SEPARATORS or len(gaps[-1]) > _LONGEST_GAP:
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

"""Phone numbers: labelled ones, international ones, and national ones of the set's regions.

The library's own matcher takes the next column of a table for the end of a number and then drops
the whole, so candidates are made here, group by group, and the library says which are numbers.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat

from evals_pipeline.sets.redaction.digit_groups import (
    Group,
    digit_runs,
    has_fraction,
    is_date,
    is_fraction,
    joined,
)
from evals_pipeline.sets.redaction.findings import Finding, Lookalike, Masked
from evals_pipeline.sets.redaction.label_words import NumberLabel, label_before

_SHORTEST, _LONGEST = 7, 15
_LONGEST_UNLABELLED = 12
_SHORTEST_AREA = 3
_LABELLED = range(5, 14)
_MOST_GROUPS = 8
_LETTER_BEFORE = re.compile(r"[^\W\d_][\-/_.]?\Z")


def find_phones(text: str, regions: Sequence[str]) -> Iterator[Finding | Lookalike]:
    """The phone numbers of a folded text, and numbers that are valid ones under another label.

    Args:
        text: Folded.
        regions: Where national numbers may be from, as ``GB``; numbers with a + need none.
    """
    for run in digit_runs(text, shortest=_LABELLED.start):
        first = 0
        while first < len(run):
            found = _longest(text, run, first, regions)
            if found is None:
                first += 1
                continue
            yield found[0]
            first = found[1]


def _longest(
    text: str, run: Sequence[Group], first: int, regions: Sequence[str]
) -> tuple[Finding | Lookalike, int] | None:
    """The longest number that begins with a group of the run, and the group after it."""
    if len(joined(run[first : first + _MOST_GROUPS])) < _LABELLED.start:
        return None
    start = _with_prefix(text, run[first].start)
    label = label_before(text, start)
    if label is not NumberLabel.PHONE and not _may_begin(text, start, run[first]):
        return None
    is_alone = len(run) - first == 1
    if is_fraction(text, run[first]) and (is_alone or text[run[first].start - 1] == "."):
        return None
    candidates: list[tuple[str | None, int]] = []
    for last in range(min(len(run), first + _MOST_GROUPS), first, -1):
        groups = run[first:last]
        if _is_something_else(text, run[first].start, groups[-1].end, start, groups):
            continue
        written = text[start : groups[-1].end]
        normal = _read(written, groups, regions, is_labelled=label is NumberLabel.PHONE)
        if normal is None and label is NumberLabel.PHONE and len(joined(groups)) in _LABELLED:
            candidates.append((None, last))
        elif normal is not None:
            candidates.append((normal, last))
    if not candidates:
        return None
    # What a region has comes first, then what does not run into an amount, then what is longest.
    normal, last = min(
        candidates,
        key=lambda one: (one[0] is None, has_fraction(text, run[one[1] - 1].end), -one[1]),
    )
    end = run[last - 1].end
    if normal is not None and label in (NumberLabel.IDENTIFIER, NumberLabel.CARD):
        reason = "could be a phone number, but is labelled as something else"
        return Lookalike(start=start, end=end, reason=reason), last
    normal = normal or joined(run[first:last])
    return Finding(kind=Masked.PHONE, start=start, end=end, normal=normal), last


def _is_something_else(
    text: str, first: int, end: int, start: int, groups: Sequence[Group]
) -> bool:
    return (
        text[end : end + 1].isalpha()
        or is_date(text[first:end], with_short_years=True)
        or _holds_another(text, start, groups)
    )


def _holds_another(text: str, start: int, groups: Sequence[Group]) -> bool:
    """Whether a second number, or a date, is among the groups."""
    is_international = text[start] in "+(" or groups[0].digits.startswith("00")
    for i, group in enumerate(groups[1:], start=1):
        if "+" in group.gap or ("(" in group.gap and not (is_international and i == 1)):
            return True
    dates = (text[groups[i].start : groups[i + 2].end] for i in range(len(groups) - 2))
    return any(is_date(written, with_short_years=False) for written in dates)


def _with_prefix(text: str, start: int) -> int:
    """Where a number begins whose first digits are at ``start``: at its + or parenthesis."""
    while start and text[start - 1] in "+(":
        start -= 1
    return start


def _may_begin(text: str, start: int, group: Group) -> bool:
    """Whether the digits are neither behind a letter nor a later part of a longer number."""
    if text[start] == "+":
        return True
    is_part = bool(group.gap) and " " not in group.gap and text[start] != "("
    return not is_part and not _LETTER_BEFORE.search(text[max(0, start - 2) : start])


def _read(
    written: str, groups: Sequence[Group], regions: Sequence[str], *, is_labelled: bool
) -> str | None:
    """The number in its international form; None when no region has it so written."""
    digits = joined(groups)
    if not _SHORTEST <= len(digits) <= _LONGEST:
        return None
    if written.startswith(("+", "(+")) or digits.startswith("00"):
        number = _parsed(f"+{digits.removeprefix('00')}", None)
        is_certain = is_labelled or "+" in written[:2]
        accepts = phonenumbers.is_possible_number if is_certain else phonenumbers.is_valid_number
        if number and accepts(number):
            return _international(number)
    for region in regions:
        may_be = is_labelled or _may_be_national(digits, groups, region)
        number = _parsed(written, region) if may_be else None
        if not number:
            continue
        if phonenumbers.is_valid_number(number):
            if is_labelled or _is_written_as_phone(digits, groups, number, region):
                return _international(number)
        elif _has_area_code(groups, number, region):
            return _international(number)
    return None


def _may_be_national(digits: str, groups: Sequence[Group], region: str) -> bool:
    """Whether it is worth while to ask for a number without a label: few are written like one."""
    trunk = _trunk(region)
    return digits.startswith(trunk) if trunk else len(groups) > 1


def _is_written_as_phone(
    digits: str, groups: Sequence[Group], number: PhoneNumber, region: str
) -> bool:
    """With the trunk prefix before it; where a region has none, in the groups that it writes."""
    if any(len(group.digits) < 2 for group in groups[1:]):
        return False
    trunk = _trunk(region)
    if trunk:
        return digits.startswith(trunk) and len(digits) <= _LONGEST_UNLABELLED
    return len(groups) > 1 and _groups_agree(groups, number)


def _has_area_code(groups: Sequence[Group], number: PhoneNumber, region: str) -> bool:
    """Whether a number that nobody has is written with trunk prefix and area code all the same.

    Areas that are new, or kept for examples, are in no list of valid numbers. Its length must then
    be that of the region's usual numbers, and its area code must stand as the region writes it.
    """
    trunk, usual = _trunk(region), phonenumbers.example_number(region)
    if not trunk or usual is None or not phonenumbers.is_possible_number(number):
        return False
    area, *rest = (group.digits for group in groups)
    return (
        len(str(number.national_number)) == len(str(usual.national_number))
        and area.startswith(trunk)
        and len(area) == _sizes(number)[0] > _SHORTEST_AREA
        and bool(rest)
        and all(len(digits) >= _SHORTEST_AREA for digits in rest)
    )


def _sizes(number: PhoneNumber) -> list[int]:
    """The groups of a number as its region writes it."""
    written = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
    return [len(part) for part in re.findall(r"\d+", written)]


def _groups_agree(groups: Sequence[Group], number: PhoneNumber) -> bool:
    sizes = _sizes(number)
    written = [len(group.digits) for group in groups]
    is_even = len({group.gap for group in groups[1:]}) == 1
    return written == sizes or (
        is_even and len(written) >= 3 and min(written) >= 2 and max(written) <= 4
    )


@lru_cache(maxsize=256)
def _trunk(region: str) -> str:
    prefix = phonenumbers.ndd_prefix_for_region(region, True)
    # North America's 1 is the country's code as well and begins many other numbers.
    return str(prefix) if prefix and prefix != "1" else ""


@lru_cache(maxsize=4096)
def _parsed(written: str, region: str | None) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(written, region)
    except NumberParseException:
        return None


def _international(number: PhoneNumber) -> str:
    return str(phonenumbers.format_number(number, PhoneNumberFormat.E164))

"""Runs of digit groups, as people write long numbers: ``4012 8888``, ``020-7946 0958``."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evals_pipeline.sets.redaction.folding import UNSEEN

_DIGITS = re.compile(r"\d+", re.ASCII)
# One mark, at most one space on either side of it: two spaces, or a tab, part columns of a table.
_BETWEEN = rf" | ?[\-./()+{UNSEEN}]{{1,2}} ?|\) ?[\-/] ?"
_OVER_LINES = rf"[ \-{UNSEEN}]?[ \t]*\n[ \t]{{0,24}}"
_RUN = re.compile(rf"\d++(?:(?:{_BETWEEN})\d++)*+", re.ASCII)
_RUN_OVER_LINES = re.compile(rf"\d++(?:(?:{_BETWEEN}|{_OVER_LINES})\d++)*+", re.ASCII)
_LONGEST_FRACTION = 4


class Group(NamedTuple):
    """Digits without anything between them; ``gap`` is what stands before them in their run."""

    start: int
    end: int
    digits: str
    gap: str


def digit_runs(text: str, *, shortest: int, over_lines: bool = False) -> Iterator[list[Group]]:
    """The runs of a folded text, except those of fewer digits than ``shortest``.

    ``over_lines`` takes a line break for a gap as well.
    """
    for run in (_RUN_OVER_LINES if over_lines else _RUN).finditer(text):
        start, end = run.span()
        if end - start < shortest:
            continue  # most numbers of a text: years, amounts, quantities
        groups: list[Group] = []
        last = start
        for match in _DIGITS.finditer(text, start, end):
            groups.append(Group(*match.span(), match.group(), text[last : match.start()]))
            last = match.end()
        if sum(len(group.digits) for group in groups) >= shortest:
            yield groups


def joined(groups: Sequence[Group]) -> str:
    """All digits of some groups."""
    return "".join(group.digits for group in groups)


def is_fraction(text: str, group: Group) -> bool:
    """Whether digits are what stands behind a decimal mark.

    A comma also parts the columns of a table; no fraction of an amount has many digits.

    >>> is_fraction("0.4012888888881881", Group(2, 18, "4012888888881881", ""))
    True
    >>> is_fraction("7,4012888888881881", Group(2, 18, "4012888888881881", ""))
    False
    """
    before = text[max(0, group.start - 2) : group.start]
    is_short = len(group.digits) <= _LONGEST_FRACTION
    return bool(re.fullmatch(r"\d\." if not is_short else r"\d[.,]", before))


def has_fraction(text: str, end: int) -> bool:
    """Whether a decimal mark with digits stands behind ``end``.

    >>> has_fraction("12,50", 2)
    True
    """
    return re.fullmatch(r"[.,]\d", text[end : end + 2]) is not None


_DATE = re.compile(
    r"(?:(?:19|20)\d\d([./-])\d{1,2}\1\d{1,2}|(\d{1,2})([./-])(\d{1,2})\3(?:19|20)\d\d)", re.ASCII
)
_SHORT_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2\d\d", re.ASCII)


def is_date(written: str, *, with_short_years: bool) -> bool:
    """Whether digits with marks between them are a date of numbers.

    >>> is_date("03/04/2026", with_short_years=False), is_date("20-00-00", with_short_years=True)
    (True, False)
    """
    if _DATE.fullmatch(written):
        return True
    short = _SHORT_DATE.fullmatch(written) if with_short_years else None
    return short is not None and _is_day_and_month(int(short[1]), int(short[3]))


def _is_day_and_month(first: int, second: int) -> bool:
    return 1 <= min(first, second) <= 12 and 1 <= max(first, second) <= 31

"""Dates by a listed format: the directives of ``strptime``, with month names of the locale.

Stricter than ``strptime`` about the year (``%Y`` takes four digits, ``%y`` needs a stated pivot),
and milder about what typesetting changes: any run of spaces, a dot behind a short month, the ending
of an ordinal behind the day.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from evals_pipeline.judge.kinds.calendar_names import month_of, weekday_of
from evals_pipeline.judge.kinds.characters import fold_numeric

_WORD = r"[^\W\d_][^\s\d.,/\-]*\.?"
_DIRECTIVES: dict[str, str] = {
    "d": r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|ème|º|ª)?",
    "m": r"(?P<month>\d{1,2})",
    "Y": r"(?P<year>\d{4})",
    "y": r"(?P<short_year>\d{2})",
    "B": rf"(?P<month_name>{_WORD})",
    "A": rf"(?P<weekday>{_WORD})",
    "j": r"(?P<day_of_year>\d{1,3})",
    "H": r"\d{1,2}",
    "M": r"\d{1,2}",
    "S": r"\d{1,2}",
    "f": r"\d{1,6}",
    "p": r"[AaPp]\.?[Mm]\.?",
    "z": r"(?:Z|[+-]\d{2}:?\d{2})",
    "%": "%",
}
_SAME = {"e": "d", "b": "B", "h": "B", "a": "A", "I": "H", "Z": "z"}
_SHORTHANDS = {"%F": "%Y-%m-%d", "%D": "%m/%d/%y", "%T": "%H:%M:%S", "%R": "%H:%M"}
_PIECE = re.compile(r"%[-_0^]?(.)|(\s+)|([^%\s]+)", re.DOTALL)


class DateReading(NamedTuple):
    """A date as ISO 8601 text, as exact as it was given; None with the reason why it is none."""

    text: str | None
    problem: str | None = None


def format_fault(template: str) -> str | None:
    """What is wrong with a format, for whoever loads a schema; None when it can be used.

    >>> format_fault("%d/%m/%Y")
    >>> format_fault("DD/MM/YYYY")
    'holds no directive; write it as "%d/%m/%Y" is written'
    """
    compiled = _compile(template)
    return compiled if isinstance(compiled, str) else None


def read_by_format(
    text: str, template: str, *, locale: str | None, pivot: int | None
) -> DateReading | None:
    """The date that ``text`` is by one format; None: it does not have the format's shape.

    Raises nothing: a shape that fits and a day that does not exist is a reading without text.
    """
    compiled = _compile(template)
    if isinstance(compiled, str):
        return DateReading(text=None, problem=f'the format "{template}" {compiled}')
    match = compiled.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    if not _names_are_known(parts, locale):
        return None
    return _read_parts(parts, locale=locale, pivot=pivot)


def _names_are_known(parts: Mapping[str, str | None], locale: str | None) -> bool:
    weekday, month = parts.get("weekday"), parts.get("month_name")
    return (weekday is None or weekday_of(weekday, locale) is not None) and (
        month is None or month_of(month, locale) is not None
    )


def _read_parts(
    parts: Mapping[str, str | None], *, locale: str | None, pivot: int | None
) -> DateReading:
    month, year = parts.get("month"), parts.get("year")
    if name := parts.get("month_name"):
        month = str(month_of(name, locale))
    if short := parts.get("short_year"):
        if pivot is None:
            return DateReading(text=None, problem=no_pivot(short))
        year = str(full_year(int(short), pivot))
    if ordinal := parts.get("day_of_year"):
        return _by_day_of_year(year, int(ordinal))
    return iso_text(year, month, parts.get("day"))


def iso_text(year: str | None, month: str | None, day: str | None) -> DateReading:
    """ISO 8601 of the parts that are there; a day that does not exist never rolls over.

    >>> iso_text("2023", "2", "29").problem
    'there is no day 2023-02-29'
    >>> iso_text("2024", "1", None).text
    '2024-01'
    """
    if year is None:
        return DateReading(text=None, problem="no year is stated")
    if month is None:
        return DateReading(text=year, problem=None)
    text = f"{year}-{month:0>2}-{day:0>2}" if day else f"{year}-{month:0>2}"
    try:
        date(int(year), int(month), int(day or 1))
    except ValueError:
        return DateReading(text=None, problem=f"there is no {'day' if day else 'month'} {text}")
    return DateReading(text)


def full_year(short: int, pivot: int) -> int:
    """The year of two digits within the hundred that starts at ``pivot``.

    >>> full_year(49, 1950), full_year(50, 1950)
    (2049, 1950)
    """
    return pivot + (short - pivot) % 100


def no_pivot(short: str) -> str:
    """The problem of a two-digit year where the schema states no pivot."""
    return f'ambiguous: the year "{short}" has two digits and the field states no pivot'


def _by_day_of_year(year: str | None, ordinal: int) -> DateReading:
    if year is None:
        return DateReading(text=None, problem="no year is stated")
    day = date(int(year), 1, 1) + timedelta(days=ordinal - 1)
    if ordinal < 1 or day.year != int(year):
        return DateReading(text=None, problem=f"there is no day {ordinal} in {year}")
    return DateReading(text=day.isoformat())


@cache
def _compile(template: str) -> re.Pattern[str] | str:
    """The format as a pattern, or what is wrong with it."""
    template = fold_numeric(template)
    for shorthand, full in _SHORTHANDS.items():
        template = template.replace(shorthand, full)
    pattern = ""
    for letter, space, literal in _PIECE.findall(template):
        if space:
            pattern += r"\s*" if pattern.endswith(",") else r"\s+"
        elif literal:
            pattern += re.escape(literal)
        else:
            directive = _DIRECTIVES.get(_SAME.get(letter, letter))
            if directive is None:
                return f"holds the directive %{letter}, which is not read"
            pattern += directive
    if "(?P<" not in pattern:
        return 'holds no directive; write it as "%d/%m/%Y" is written'
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error:
        return "states a part of the date twice"

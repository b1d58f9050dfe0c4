"""Dates: ISO 8601, else the listed formats, else the declared locale. Never guessed.

Decided here:

- The canonical form is as exact as the value: ``2024-01`` is a month and equals no day in it.
- A timestamp is the calendar day that it writes. Its time is dropped and its offset is not applied:
  which day it was elsewhere cannot be known from the value.
- A day that does not exist does not roll over, and day and month are never swapped to make one.
- Year first means year, month, day, in every locale.
- Where formats are listed, nothing but ISO 8601 and they are read.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import NamedTuple, TypeAlias

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.characters import fold_numeric
from evals_pipeline.judge.kinds.date_formats import DateReading, iso_text, read_by_format
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.written_dates import WrittenDate, read_by_locale

MOST_KEPT = 50_000
"""Dates that stay read: a century of days, as documents hardly hold more, though many values."""

_MAX_LENGTH = 120
_DAY = re.compile(r"[1-9]\d{3}-\d\d-\d\d", re.ASCII)
_CLOCK = r"(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60)(?:[.,]\d+)?)?)?"
_TIME = rf"(?P<time>{_CLOCK})(?P<offset> ?(?:[Zz]|UTC|[+-]\d\d(?::?\d\d)?))?"
_ISO = re.compile(
    rf"(?P<year>[1-9]\d{{3}})-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:[Tt ]{_TIME})?)?", re.ASCII
)
_BASIC = re.compile(
    rf"(?P<year>[1-9]\d{{3}})(?P<month>\d\d)(?P<day>\d\d)(?:[Tt]{_TIME})?", re.ASCII
)
_WEEK = re.compile(r"([1-9]\d{3})-?W(\d\d)-?(\d)", re.ASCII)
_YEAR = re.compile(r"[1-9]\d{3}", re.ASCII)
_MIDNIGHT = re.compile(r"[0:.,]+")
_TRAILING_TIME = re.compile(
    r",? (?:at )?\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?$",
    re.IGNORECASE,
)


class _Convention(NamedTuple):
    """What of a field's conventions a date is read by."""

    locale: str | None
    formats: tuple[str, ...]
    pivot: int | None


_Read: TypeAlias = Callable[[str, _Convention], WrittenDate]


class DateKind:
    """A calendar day, a month or a year."""

    name = "date"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """ISO 8601, as exact as the value."""
        text = value if type(value) is str else _as_text(value)
        if text is None:
            return Canonical(text=None, problem=f"{str(value)[:40]} is not a date")
        if len(text) > _MAX_LENGTH:
            return Canonical(text=None, problem=f"{len(text)} characters are too long a date")
        if _DAY.fullmatch(text):
            return _read_day(text)
        return _read_written(text, context.locale, context.formats, context.spec.pivot)

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Never, where the texts differ; says so where one is the less exact one."""
        expected, actual = want.text or "", got.text or ""
        reason = f"{actual} is not {expected}"
        if actual.startswith(expected) or expected.startswith(actual):
            reason = f"{actual} is not as exact as {expected}, or more: a part was lost or invented"
        return Comparison(is_equal=False, reason=reason)


def _as_text(value: object) -> str | None:
    """A value's text; a JSON number keeps its digits, true and false are no dates."""
    match value:
        case str():
            return value
        case bool():
            return None
        case datetime() | date():
            return value.isoformat()
        case int():
            return str(value) if 0 <= value < 10**9 else None
        case float() | Decimal():
            is_whole = isfinite(value) and 0 <= value < 10**9 and value == int(value)
            return str(int(value)) if is_whole else None
        case _:
            return None


@lru_cache(maxsize=MOST_KEPT)
def _read_day(text: str) -> Canonical:
    reading = iso_text(text[:4], text[5:7], text[8:])
    return Canonical(reading.text, (), reading.problem)


@lru_cache(maxsize=MOST_KEPT)
def _read_written(
    text: str, locale: str | None, formats: tuple[str, ...], pivot: int | None
) -> Canonical:
    reading, steps = _find(fold_numeric(text), _Convention(locale, formats, pivot))
    return Canonical(reading.text, steps, reading.problem)


def _find(text: str, convention: _Convention) -> WrittenDate:
    # Every form of ISO 8601 starts with a year of four digits.
    iso = _read_iso(text) if text[:4].isdecimal() else None
    if iso is not None and (iso.reading.text or not convention.formats or "-" in text):
        return iso
    read = _read_listed if convention.formats else _read_locale
    return _with_time_dropped(text, convention, read)


def _read_iso(text: str) -> WrittenDate | None:
    if match := _ISO.fullmatch(text):
        steps = _time_steps(match["time"], match["offset"])
        return WrittenDate(
            reading=iso_text(match["year"], match["month"], match["day"]), steps=steps
        )
    if match := _BASIC.fullmatch(text):
        reading = iso_text(match["year"], match["month"], match["day"])
        steps = (f"ISO 8601 without hyphens: {reading.text}",) if reading.text else ()
        return WrittenDate(
            reading=reading, steps=steps + _time_steps(match["time"], match["offset"])
        )
    if match := _WEEK.fullmatch(text):
        return _read_week(text, *(int(part) for part in match.groups()))
    if _YEAR.fullmatch(text):
        return WrittenDate(reading=DateReading(text=text), steps=("a year alone",))
    return None


def _read_week(text: str, year: int, week: int, weekday: int) -> WrittenDate:
    try:
        day = date.fromisocalendar(year, week, weekday).isoformat()
    except ValueError:
        return WrittenDate(reading=DateReading(text=None, problem=f"there is no day {text}"))
    return WrittenDate(reading=DateReading(text=day), steps=(f"week date: {day}",))


def _time_steps(time: str | None, offset: str | None) -> tuple[str, ...]:
    if time is None:
        return ()
    if _MIDNIGHT.fullmatch(time):
        return ("midnight: the day alone counts",)
    steps = (f"the time {time} is dropped, the day stays as written",)
    return (*steps, f"the offset{offset} is not applied") if offset else steps


def _with_time_dropped(text: str, convention: _Convention, read: _Read) -> WrittenDate:
    found = read(text, convention)
    if found.reading.text is not None:
        return found
    without = _TRAILING_TIME.sub("", text)
    if without == text:
        return found
    second = read(without, convention)
    dropped = text[len(without) :].strip(" ,")
    return second._replace(steps=(f"the time {dropped} is dropped", *second.steps))


def _read_listed(text: str, convention: _Convention) -> WrittenDate:
    """By every listed format; two that read a day differently leave it ambiguous."""
    readings = [
        (template, reading)
        for template in convention.formats
        if (reading := _by_format(text, template, convention)) is not None
    ]
    good = [(template, reading) for template, reading in readings if reading.text]
    if len({reading.text for _, reading in good}) > 1:
        each = " and ".join(f'{reading.text} by "{template}"' for template, reading in good)
        return WrittenDate(
            reading=DateReading(text=None, problem=f"ambiguous: {text} reads as {each}")
        )
    if good:
        template, reading = good[0]
        return WrittenDate(reading=reading, steps=(f'"{template}" reads {text} as {reading.text}',))
    if readings:
        return WrittenDate(reading=readings[0][1])
    return WrittenDate(reading=DateReading(text=None, problem=_fits_none(text, convention.formats)))


def _by_format(text: str, template: str, convention: _Convention) -> DateReading | None:
    return read_by_format(text, template, locale=convention.locale, pivot=convention.pivot)


def _fits_none(text: str, formats: Sequence[str]) -> str:
    listed = ", ".join(f'"{template}"' for template in formats)
    return f"{text} is neither ISO 8601 nor of a listed format ({listed})"


def _read_locale(text: str, convention: _Convention) -> WrittenDate:
    return read_by_locale(text, locale=convention.locale, pivot=convention.pivot)

"""Dates as people write them: numbers in the locale's order, months by name.

Only the declared locale says whether the day or the month comes first; the size of a number never
does, so that 25/12/2018 under en_US is no date rather than a swapped one.
"""

import re
from datetime import date
from typing import NamedTuple

from evals_pipeline.judge.kinds.calendar_names import (
    DateOrder,
    date_order,
    is_filler,
    month_of,
    weekday_of,
    with_single_words,
    without_prefix,
)
from evals_pipeline.judge.kinds.date_formats import DateReading, full_year, iso_text, no_pivot

_NUMERIC = re.compile(r"(\d{1,4}) ?([./\- ]) ?(\d{1,2}) ?\2 ?(\d{1,4})\.?", re.ASCII)
_MONTH_YEAR = re.compile(r"(\d{1,2}) ?[./\-] ?(\d{4})|(\d{4}) ?[./\-] ?(\d{1,2})", re.ASCII)
_EAST_ASIAN = re.compile(
    r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日号號일](?: ?\(?[^\W\d]{1,3}\)?)?)?"
)
_ERA = re.compile(
    r"(令和|平成|昭和|大正|明治|民國|民国) ?(\d{1,3}|元) ?年"
    r" ?(\d{1,2}) ?月(?: ?(\d{1,2}) ?日)?",
    re.ASCII,
)
_YEAR_BEFORE_ERA = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867,
    "民國": 1911, "民国": 1911,
}  # fmt: skip
_TOKEN = re.compile(r"\d+|[^\d\s.,،/'()\-]+", re.ASCII)


class WrittenDate(NamedTuple):
    """What was read, with the steps."""

    reading: DateReading
    steps: tuple[str, ...] = ()


def read_by_locale(text: str, *, locale: str | None, pivot: int | None) -> WrittenDate:
    """The date that ``text`` writes under a locale's conventions.

    Args:
        text: As ``fold_numeric`` left it.
        locale: The declared locale; None reads year-first numbers and English month names only.
        pivot: First year of the hundred of two-digit years; None leaves them unread.
    """
    if match := _NUMERIC.fullmatch(text):
        return _read_numeric(text, (match[1], match[3], match[4]), locale=locale, pivot=pivot)
    if match := _EAST_ASIAN.fullmatch(text):
        return _by_order(text, match[1], match[2], match[3], "year, month and day are marked")
    if match := _ERA.fullmatch(text):
        year = _YEAR_BEFORE_ERA[match[1]] + (1 if match[2] == "元" else int(match[2]))
        return _by_order(text, str(year), match[3], match[4], f"{match[1]}{match[2]} is {year}")
    text = with_single_words(text, locale)
    bare, weekday = _without_weekday(text, locale)
    written = _read(bare, locale=locale, pivot=pivot)
    if weekday is None or written.reading.text is None or len(written.reading.text) < 10:
        return written
    if date.fromisoformat(written.reading.text).weekday() != weekday:
        step = "the weekday beside it belongs to another day; the date stands"
        return written._replace(steps=(*written.steps, step))
    return written


def _without_weekday(text: str, locale: str | None) -> tuple[str, int | None]:
    """The text without the day of the week, and that day.

    A word that could be a month too ("mar" is Tuesday and March in several languages) is the month
    unless another word is one.
    """
    weekday = None
    words = [token for token in _TOKEN.findall(text) if not token.isdecimal()]
    months = [word for word in words if month_of(word, locale) is not None]
    for word in words:
        found = weekday_of(word, locale)
        if found is None or months == [word]:
            continue
        if word in months:
            months.remove(word)
        weekday = found
        text = text.replace(word, " ", 1)
    if weekday is None:
        return text, None
    return " ".join(text.split()).strip(" ,.()"), weekday


def _read(text: str, *, locale: str | None, pivot: int | None) -> WrittenDate:
    if match := _NUMERIC.fullmatch(_without_fillers(text, locale)):
        return _read_numeric(text, (match[1], match[3], match[4]), locale=locale, pivot=pivot)
    if match := _MONTH_YEAR.fullmatch(text):
        month, year = (match[1], match[2]) if match[2] else (match[4], match[3])
        return _by_order(text, year, month, None, "a month and a year")
    return _read_named(text, locale=locale, pivot=pivot)


def _without_fillers(text: str, locale: str | None) -> str:
    """A date in numbers without the words that a locale puts beside them (``5.01.2024 г.``)."""
    words = [token for token in _TOKEN.findall(text) if not token.isdecimal()]
    if not words or not all(is_filler(word, locale) for word in words):
        return text
    for word in words:
        text = text.replace(word, "", 1)
    return " ".join(text.split()).removesuffix(" .").strip(" ,")


def _by_order(text: str, year: str, month: str, day: str | None, why: str) -> WrittenDate:
    reading = iso_text(year, month, day)
    steps = (f"{text} is {reading.text}: {why}",) if reading.text else (why,)
    return WrittenDate(reading, steps)


def _read_numeric(
    text: str, parts: tuple[str, str, str], *, locale: str | None, pivot: int | None
) -> WrittenDate:
    first, second, third = parts
    if len(first) == 4 and len(third) < 3:
        return _by_order(text, first, second, third, "year first, then month and day")
    if len(first) > 2 or len(third) == 3:
        return _unread(f"{text} is not a date")
    order = None if locale is None else date_order(locale)
    has_long_year = len(third) == 4
    if order is None or (order is DateOrder.YEAR_FIRST and has_long_year):
        return _unread(_undecided(text, locale))
    if not has_long_year and pivot is None:
        return _unread(no_pivot(first if order is DateOrder.YEAR_FIRST else third))
    if order is DateOrder.YEAR_FIRST:
        year, month, day = first, second, third
    elif order is DateOrder.DAY_FIRST:
        year, month, day = third, second, first
    else:
        year, month, day = third, first, second
    if not has_long_year and pivot is not None:
        year = str(full_year(int(year), pivot))
    return _by_order(text, year, month, day, f"{locale} writes {order}")


def _undecided(text: str, locale: str | None) -> str:
    if locale is None:
        why = "no locale and no format is declared"
    elif locale == "en":
        why = "en without a territory does not say whether the day or the month comes first"
    else:
        why = f"{locale} writes the year first, so nothing says whether the day or the month does"
    return f"ambiguous: {text} could be day-month or month-day; {why}"


def _read_named(text: str, *, locale: str | None, pivot: int | None) -> WrittenDate:
    """A month by name, with a year and at most one day around it, in any order."""
    months: list[int] = []
    numbers: list[str] = []
    for token in _TOKEN.findall(text):
        if token.isdecimal():
            numbers.append(token)
        elif (month := month_of(without_prefix(token, locale), locale)) is not None:
            months.append(month)
        elif not is_filler(token, locale):
            return _unread(f'"{token}" is no part of a date in {_languages(locale)}')
    if len(months) != 1:
        found = "no month" if not months else "more than one month"
        return _unread(f"{text}: {found} by name, and not a date in numbers")
    years = [number for number in numbers if len(number) == 4]
    days = [number for number in numbers if len(number) <= 2]
    if len(years) == 1 and len(days) <= 1 and len(numbers) == len(years) + len(days):
        return _by_order(text, years[0], str(months[0]), days[0] if days else None, "month by name")
    if len(numbers) == 2 and len(days) == 2:
        if pivot is None:
            return _unread(no_pivot(days[1]))
        year = str(full_year(int(days[1]), pivot))
        return _by_order(text, year, str(months[0]), days[0], "month by name, year by the pivot")
    return _unread(f"{text}: expected a month by name with a day and a year of four digits")


def _languages(locale: str | None) -> str:
    return "English" if locale is None or locale.startswith("en") else f"{locale} or English"


def _unread(problem: str) -> WrittenDate:
    return WrittenDate(reading=DateReading(text=None, problem=problem))

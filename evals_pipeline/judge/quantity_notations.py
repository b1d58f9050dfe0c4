"""How quantities are written: one recogniser for each notation, the more particular first."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from evals_pipeline.judge import notation
from evals_pipeline.judge.numerals import DIGITS, PARTS, WORDS, any_of, part_value, readings
from evals_pipeline.judge.numerals import word_value as value_of_words
from evals_pipeline.judge.quantity import DateParts, Quantity, QuantityKind, Words

MASK = "\x00"
"""What stands in the place of a quantity that was recognised before."""

_LONGEST_NUMERAL = 200
_Reader: TypeAlias = Callable[[re.Match[str]], Quantity | None]

_LATIN = "A-Za-zÀ-ɏͰ-ϿЀ-ӿ"
_CODES = any_of(notation.CURRENCY_CODES)
_SHORT_UNITS = any_of(
    {unit: 0 for unit in notation.UNITS if len(unit) < 3 or unit != unit.casefold()}
)
_LONG_UNITS = any_of(
    {unit: 0 for unit in notation.UNITS if len(unit) > 2 and unit == unit.casefold()},
    {**notation.CURRENCIES},
)
_UNIT = rf"(?:[ -]?(?P<unit>(?:{_SHORT_UNITS}|{_CODES})|(?i:{_LONG_UNITS}))(?![{_LATIN}\d]))?"
_SCALE = any_of({word: 0 for word in notation.SCALES if word.isascii()})
_CJK_SCALE = "".join(word for word in notation.SCALES if not word.isascii() and len(word) == 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recogniser:
    """A way to write quantities: what it looks like, what it means, where it is worth looking."""

    pattern: re.Pattern[str]
    read: _Reader
    needs_digit: bool = True
    needs_word: frozenset[str] = frozenset()
    needs_sign: str = ""

    def may_find(self, words: Words) -> bool:
        """A cheap test that saves a scan of the text; true wherever the scan could find."""
        if self.needs_digit and not words.has_digit:
            return False
        if self.needs_word and self.needs_word.isdisjoint(words.vocabulary):
            return False
        return not self.needs_sign or any(sign in words.plain for sign in self.needs_sign)


@cache
def recognisers() -> list[Recogniser]:
    """All ways to write a quantity, the more particular first."""
    return [*_date_recognisers(), *_number_recognisers(), *_word_recognisers()]


def _date_recognisers() -> list[Recogniser]:
    month = rf"(?P<month>{any_of({**notation.months()})})\b\.?"
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
    year = r"(?P<year>\d{4})(?!\d)"
    signed = [
        ("-", r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])"),
        ("月", r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?"),
        (
            "/.",
            rf"(?<![\d./])(?P<day>\d{{1,2}})(?P<mark>[./])(?P<month>\d{{1,2}})(?P=mark){year}",
        ),
    ]
    named = [
        rf"(?<![\d.,]){day} (?:of |de )?{month}(?:,? (?:de |del )?{year})?",
        rf"\b{month} (?:de )?{year}",
        rf"\b{month} {day}(?![\d%]|[.,:]\d)(?:,? {year})?",
    ]
    return [
        *(
            Recogniser(pattern=re.compile(pattern), read=_date, needs_sign=signs)
            for signs, pattern in signed
        ),
        *(
            Recogniser(
                pattern=re.compile(pattern, re.IGNORECASE),
                read=_date,
                needs_word=frozenset(notation.months()),
            )
            for pattern in named
        ),
    ]


def _number_recognisers() -> list[Recogniser]:
    time = (
        r"(?<![\d:.,])(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::\d\d)?(?!\d)(?: ?(?P<half>[ap])"
        r"\.?m\b\.?)?| ?(?P<half2>[ap])(?:\.m\.|m\b))"
    )
    code = rf"(?<!\w)(?!(?:{_CODES})\d)[{_LATIN}]+\d\w*|(?<![\d.,'])\d{{2,4}}s\b"
    ratio = r"(?<![\d/.,])(?:(?P<whole>\d{1,3}) )?(?P<above>\d{1,4})/(?P<below>\d{1,4})(?![\d/])"
    number = (
        rf"(?P<sign>(?<![\w.,)\]{MASK}])- ?)?"
        rf"(?:(?P<currency>(?:US|AU?|CA?|HK|NZ|R|S)?\$|[€£¥₹₩₽]|(?<!\w)(?:{_CODES}))"
        rf" ?(?P<minus>-)?)?"
        rf"(?<![{_LATIN}])(?P<digits>{DIGITS})"
        rf"(?P<nth>(?:st|nd|rd|th)\b)?"
        rf"(?P<scale>[ -]?(?i:{_SCALE})\b\.?|[{_CJK_SCALE}]|[kKMBT](?![{_LATIN}\d]))?"
        rf"{_UNIT}(?P<rest>[{_LATIN}]\w*)?"
    )
    return [
        Recogniser(pattern=re.compile(time, re.IGNORECASE), read=_time),
        Recogniser(pattern=re.compile(code, re.IGNORECASE), read=_code),
        Recogniser(pattern=re.compile(ratio), read=_ratio, needs_sign="/"),
        Recogniser(pattern=re.compile(number), read=_number),
    ]


def _word_recognisers() -> list[Recogniser]:
    ordinal = (
        rf"(?i:\b(?:(?P<tens>{any_of({**notation.TENS})})[ -])?"
        rf"(?P<nth>{any_of({**notation.ORDINALS})})\b)"
    )
    counted = frozenset(notation.CARDINALS) | frozenset(notation.TENS)
    return [
        Recogniser(
            pattern=re.compile(pattern),
            read=read,
            needs_digit=False,
            needs_word=needed,
        )
        for pattern, read, needed in (
            (rf"(?i:\b(?:{PARTS})\b)", _part, frozenset(notation.DENOMINATORS) | {"third"}),
            (ordinal, _ordinal, frozenset(notation.ORDINALS)),
            (
                rf"(?<![\w-])(?P<words>(?i:{WORDS}))(?!\w){_UNIT}",
                _words,
                counted | frozenset(notation.SCALES),
            ),
            (
                rf"(?i:(?<!no )\b(?:{any_of({**notation.LOOSE})})\b)",
                _loose,
                frozenset(notation.LOOSE),
            ),
        )
    ]


def _date(match: re.Match[str]) -> Quantity | None:
    parts = match.groupdict()
    word = parts["month"].casefold()
    if word in ("may", "march") and parts["month"][0].islower() and not parts.get("year"):
        return None  # the verb, far more often than the month
    month = notation.months().get(word) or int(word)
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"]) if parts.get("day") else None
    options = [(year, month, day)]
    if parts.get("mark") == "/" and day is not None:
        options.append((year, day, month))
    if year is None and day is None:
        return None
    dates = tuple(dict.fromkeys(option for option in options if _is_date(option)))
    return Quantity(kind=QuantityKind.DATE, dates=dates) if dates else None


def _is_date(parts: DateParts) -> bool:
    return 1 <= parts[1] <= 12 and (parts[2] is None or 1 <= parts[2] <= 31)


def _time(match: re.Match[str]) -> Quantity | None:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["half"] or match["half2"] or "").casefold()
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hours = [hour % 12 + (12 if half == "p" else 0)]
    else:
        hours = [hour, hour + 12] if 1 <= hour < 12 else [hour]
    return Quantity(
        kind=QuantityKind.TIME, values=tuple(Fraction(60 * each + minute) for each in hours)
    )


def _code(match: re.Match[str]) -> Quantity:
    runs = re.findall(r"\d+", match[0])
    return Quantity(
        kind=QuantityKind.CODE,
        code=match[0].casefold(),
        values=(Fraction(runs[0]),) if len(runs) == 1 else (),
    )


def _ratio(match: re.Match[str]) -> Quantity | None:
    if int(match["below"]) == 0:
        return None
    value = int(match["whole"] or 0) + Fraction(int(match["above"]), int(match["below"]))
    return Quantity(kind=QuantityKind.PLAIN, values=(value,))


def _number(match: re.Match[str]) -> Quantity:
    digits = match["digits"]
    values = readings(digits) if len(digits) <= _LONGEST_NUMERAL else ()
    if not values or (match["rest"] and not match["nth"]):
        return Quantity(
            kind=QuantityKind.CODE, code=(digits + (match["rest"] or "")).casefold(), values=values
        )
    if match["nth"]:
        return Quantity(kind=QuantityKind.ORDINAL, values=values)
    unit, scale = match["unit"], (match["scale"] or "").strip(" -.")
    factor = notation.GLUED_SCALES.get(scale) or notation.SCALES.get(scale.casefold(), Fraction(1))
    if match["currency"] and unit == "m":
        unit, factor = None, Fraction(10**6)
    is_negative = bool(match["sign"] or match["minus"])
    values = tuple(value * factor * (-1 if is_negative else 1) for value in values)
    quantity = Quantity(kind=QuantityKind.PLAIN, values=values)
    if match["currency"]:
        return replace(quantity, kind=QuantityKind.MONEY, dimension=_currency(match["currency"]))
    if unit:
        return _with_unit(quantity, unit)
    is_year = digits.isdecimal() and len(digits) == 4 and 1000 <= values[0] < 2200 and not scale
    return replace(quantity, kind=QuantityKind.YEAR) if is_year else quantity


def _with_unit(quantity: Quantity, unit: str) -> Quantity:
    known = notation.UNITS.get(unit) or notation.UNITS.get(unit.casefold())
    if known is None:
        return replace(quantity, kind=QuantityKind.MONEY, dimension=_currency(unit))
    return replace(quantity, kind=QuantityKind.MEASURE, dimension=known[0], factor=known[1])


def _currency(written: str) -> str:
    return notation.CURRENCIES.get(written.casefold(), written.upper())


def _words(match: re.Match[str]) -> Quantity:
    quantity = Quantity(kind=QuantityKind.PLAIN, values=(value_of_words(match["words"]),))
    return _with_unit(quantity, match["unit"]) if match["unit"] else quantity


def _part(match: re.Match[str]) -> Quantity:
    return Quantity(kind=QuantityKind.PLAIN, values=(part_value(match[0]),))


def _ordinal(match: re.Match[str]) -> Quantity:
    value = notation.ORDINALS[match["nth"].casefold()]
    value += notation.TENS.get((match["tens"] or "").casefold(), 0)
    return Quantity(kind=QuantityKind.ORDINAL, values=(Fraction(value),), is_loose=True)


def _loose(match: re.Match[str]) -> Quantity:
    value = notation.LOOSE[match[0].casefold()]
    return Quantity(kind=QuantityKind.PLAIN, values=(value,), is_loose=True)

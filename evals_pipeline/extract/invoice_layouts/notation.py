"""How a locale writes numbers and dates, as the shapes by which they are found in a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import get_month_names
from babel.numbers import get_decimal_symbol

_CODE = (
    "AUD|BGN|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|ISK|JPY|MXN|NOK|NZD|PLN|RON|SEK|SGD|TRY|USD"
)
_MARK = rf"(?:(?:US|CA|A)?\$|[€£¥]|kr\.?(?!\w)|(?:{_CODE})(?!\w))"
_DIGIT_BEFORE = r"(?<![\w.,'/])"
_DIGIT_AFTER = r"(?![\w/]|[.,]\d|\s?%)"

_ISO = r"\d{4}-\d{2}-\d{2}"
_NUMERIC = r"\d{1,2}(?P<mark>\s?[./-]\s?)\d{1,2}(?P=mark)(?:\d{4}|\d{2})"
_DAY_FIRST = (
    r"\d{1,2}(?:st|nd|rd|th|er|[.º°])?[ -]+(?:of |de )?(?P<month_a>[^\W\d_]{3,})\.?,?"
    r"[ -]+(?:de )?\d{4}"
)
_MONTH_FIRST = r"(?P<month_b>[^\W\d_]{3,})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
_DATE = re.compile(
    rf"(?<![\w./-])(?:{_ISO}|{_DAY_FIRST}|{_MONTH_FIRST}|{_NUMERIC})(?![\w/-])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount as it stands, its currency mark included, and where in the text it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Notation:
    """The notation of one locale; ``locale`` None accepts either decimal mark."""

    locale: str | None

    @cached_property
    def language(self) -> str | None:
        """The language of the locale, None when no locale or an unknown one is stated."""
        parsed = _parsed(self.locale)
        return None if parsed is None else parsed.language

    @cached_property
    def _decimal_mark(self) -> str | None:
        parsed = _parsed(self.locale)
        return None if parsed is None else get_decimal_symbol(parsed)

    @cached_property
    def number(self) -> str:
        """A pattern for an unsigned number, grouped or not, with or without decimals."""
        if self._decimal_mark == ".":
            group, decimals = r"[,'\u00a0\u202f]", r"\.\d{1,4}"
        elif self._decimal_mark == ",":
            group, decimals = r"[.' \u00a0\u202f]", r",\d{1,4}"
        else:
            group, decimals = r"[.,' \u00a0\u202f]", r"[.,]\d{1,4}"
        return rf"(?:\d{{1,3}}(?:{group}\d{{3}}){{1,6}}(?!\d)|\d{{1,18}})(?:{decimals})?"

    @cached_property
    def _amount(self) -> re.Pattern[str]:
        sign = r"[-−–]"
        return re.compile(
            rf"(?<![\w.,'/])\(?(?:{sign}\s?)?(?:{_MARK}\s?)?(?:{sign}\s?)?\(?"
            rf"(?P<number>{_DIGIT_BEFORE}{self.number}){_DIGIT_AFTER}\)?"
            rf"(?:{sign}(?!\w))?(?:\s?{_MARK}(?!\d))?"
        )

    def amounts(self, text: str, *, from_: int = 0, to: int | None = None) -> list[Amount]:
        """The amounts in a stretch of a text, percentages left out, in order.

        >>> [one.text for one in Notation("en_GB").amounts("VAT at 20%   £1,110.11")]
        ['£1,110.11']
        """
        found = self._amount.finditer(text, from_, len(text) if to is None else to)
        return [_trimmed(one) for one in found]

    def value(self, text: str) -> Decimal | None:
        """The number that an amount states, its currency left aside; None if it cannot be read.

        Serves only to check sums: what is emitted is the text itself.
        """
        match = re.search(self.number, text)
        if match is None:
            return None
        digits = re.sub(r"['\s\u00a0\u202f]", "", match.group())
        mark = self._decimal_mark or _last_mark(digits)
        whole, _, cents = digits.rpartition(mark) if digits.count(mark) == 1 else (digits, "", "")
        number = Decimal(f"{whole.replace('.', '').replace(',', '')}.{cents or 0}")
        return -number if re.search(r"[-−–(]", text) else number

    def dates(self, text: str, *, from_: int = 0, to: int | None = None) -> Iterator[re.Match[str]]:
        """The dates in a stretch of a text, in order; a month's name has to be one."""
        for match in _DATE.finditer(text, from_, len(text) if to is None else to):
            name = match.group("month_a") or match.group("month_b")
            if name is None or _is_month(name.lower(), self.language):
                yield match


def has_decimals(text: str) -> bool:
    """Whether an amount shows its cents, which a count or a rate in per cent seldom does."""
    return re.search(r"[.,]\d{2}\)?[-−–]?(?:\s?\D*)?$", text) is not None


def is_money(text: str) -> bool:
    """Whether a number is written as money: with cents, grouped, or with a currency."""
    return re.search(r"\d[.,'\s\u00a0\u202f]\d", text) is not None or currency_in(text) is not None


def currency_in(text: str) -> str | None:
    """The currency code or mark in a text, None where there is none.

    >>> currency_in("1.177,30 EUR"), currency_in("12.00")
    ('EUR', None)
    """
    codes = re.search(rf"(?<!\w)(?:{_CODE})(?!\w)", text)
    match = codes or re.search(rf"(?<![^\W_]){_MARK}", text)
    return None if match is None else match.group()


def _trimmed(match: re.Match[str]) -> Amount:
    """The match without a bracket that closes elsewhere."""
    text = match.group()
    start, end = match.span()
    if text.count("(") != text.count(")"):
        lead = len(text) - len(text.lstrip("("))
        trail = len(text) - len(text.rstrip(")"))
        text, start, end = text.strip("()"), start + lead, end - trail
    lead = len(text) - len(text.lstrip())
    return Amount(text=text.strip(), start=start + lead, end=end)


def _last_mark(digits: str) -> str:
    """Which mark splits off the decimals where no locale says so: the last one."""
    return "." if digits.rfind(".") >= digits.rfind(",") else ","


@lru_cache(maxsize=256)
def _parsed(locale: str | None) -> Locale | None:
    """The locale, or its language alone where nobody lists the two together (en_HR)."""
    if locale is None:
        return None
    spelt = re.sub(r"^no(?![a-z])", "nb", locale.replace("-", "_"))
    for candidate in (spelt, spelt.partition("_")[0]):
        try:
            return Locale.parse(candidate)
        except (UnknownLocaleError, ValueError):
            continue
    return None


@lru_cache(maxsize=4096)
def _is_month(name: str, language: str | None) -> bool:
    """Whether a lower-case word is a month, spelt out or cut to three letters or more."""
    if language is None:
        return True
    names = {month for tongue in {language, "en"} for month in _months(tongue)}
    return any(month.startswith(name) for month in names)


@lru_cache(maxsize=64)
def _months(language: str) -> tuple[str, ...]:
    locale = Locale.parse(language)
    return tuple(
        month.lower().rstrip(".")
        for names in (
            get_month_names("wide", locale=locale),
            get_month_names("abbreviated", locale=locale),
            get_month_names("wide", context="stand-alone", locale=locale),
        )
        for month in names.values()
    )

"""How digits with marks between them are read as an exact number, under a declared locale.

The locale decides which mark is the decimal one. A string that its notation cannot have written is
read otherwise only where nothing else is possible:

- one point that cannot group (``4820.15`` under de_DE: two digits follow) marks the decimals, as in
  JSON and in labels;
- a point and a comma, of which only the last can mark the decimals (``1,234.56`` under de_DE), show
  the notation they are from.

Everything else is unreadable: a character is never dropped so that something parses. Without a
locale a number is read if it is a plain decimal, or if all notations that could have written it
agree.
"""

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from typing import NamedTuple

from babel import Locale, UnknownLocaleError
from babel.numbers import UnsupportedNumberingSystemError, get_decimal_symbol

from evals_pipeline.core.errors import InputError
from evals_pipeline.judge.kinds.characters import ARABIC_DECIMAL
from evals_pipeline.judge.kinds.protocol import Side

MAX_DIGITS = 100
_MAX_EXPONENT = 308

EXACT = Context(prec=1000, Emax=10_000, Emin=-10_000)
"""Decimal arithmetic that never rounds a number that this module reads."""

_PLAIN = re.compile(r"\d*\.?\d+")
_WESTERN = re.compile(r"[1-9]\d{0,2}(?:([,.' ])\d{3})(?:\1\d{3})*")
_INDIAN = re.compile(r"[1-9]\d?(?:(,)\d{2})+,\d{3}")


class NumberReading(NamedTuple):
    """An exact number with the step that read it, or None with the reason why it cannot be read."""

    value: Decimal | None
    step: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How a locale writes numbers: its decimal mark, and whether it may group as 12,34,567."""

    name: str
    decimal: str
    is_indian: bool


@cache
def parse_locale(identifier: str) -> Locale:
    """The locale of ``de_DE`` or ``de-DE``.

    Raises:
        InputError: No locale has that name.
    """
    name = identifier.strip().replace("-", "_")
    if name == "no" or name.startswith("no_"):
        name = "nb" + name[2:]  # Norwegian without saying which; CLDR keeps Bokmål under nb
    try:
        return Locale.parse(name)
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise InputError.one(
            "locale",
            f"{identifier!r} is not a locale",
            remedy="Write a language and a territory, such as de_DE.",
        ) from error


@cache
def notation_of(identifier: str) -> Notation:
    """How the locale writes numbers in Latin digits."""
    locale = parse_locale(identifier)
    try:
        mark = get_decimal_symbol(locale, numbering_system="latn")
    except UnsupportedNumberingSystemError:
        mark = get_decimal_symbol(locale, numbering_system="default")
    pattern = locale.decimal_formats[None]
    return Notation(
        name=str(locale),
        decimal="," if mark == "," else ".",
        is_indian=tuple(pattern.grouping) == (3, 2),
    )


def read_digits(core: str, *, locale: str | None, side: Side) -> NumberReading:
    """The number that digits and the marks between them write; sign and symbols are read apart.

    Args:
        core: Starts with a digit or a decimal mark and ends with a digit, as ``fold_numeric`` left
            it; may carry an exponent.
        locale: The declared locale.
        side: A label's plain decimal is one under every locale.
    """
    if len(core) > MAX_DIGITS:
        return NumberReading(value=None, problem=f"{len(core)} characters are too long a number")
    if "e" in core or "E" in core:
        return _read_exponent(core, locale)
    return _read_plain_or_grouped(core, locale=locale, side=side)


def plain_text(value: Decimal) -> str:
    """The shortest plain decimal of a number, no exponent; zero has no sign.

    >>> plain_text(Decimal("-0.00")), plain_text(Decimal("1E+3")), plain_text(Decimal("12.10"))
    ('0', '1000', '12.1')
    """
    if not value:
        return "0"
    text = str(value)
    if "E" in text:
        text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_in_range(value: Decimal) -> bool:
    """Whether a number is finite and not absurdly long, so that it can be written out."""
    if not value.is_finite():
        return False
    return not value or (
        abs(value.adjusted()) <= _MAX_EXPONENT and len(value.as_tuple().digits) <= MAX_DIGITS
    )


def _read_exponent(core: str, locale: str | None) -> NumberReading:
    """Exponents are a machine's notation: no groups, and a point marks decimals everywhere."""
    mantissa, _, exponent = core.replace("E", "e").partition("e")
    if locale is not None and notation_of(locale).decimal == "," and mantissa.count(",") == 1:
        mantissa = mantissa.replace(",", ".")
    if not _PLAIN.fullmatch(mantissa):
        return NumberReading(value=None, problem=f"{core} has an exponent behind grouped digits")
    if len(exponent) > 4 or abs(int(exponent)) > _MAX_EXPONENT:
        return NumberReading(value=None, problem=f"{core} is not of a size that can be written out")
    value = Decimal(mantissa).scaleb(int(exponent), EXACT)
    return NumberReading(value=value, step=f"{core} is {mantissa} × 10^{int(exponent)}")


def _read_plain_or_grouped(core: str, *, locale: str | None, side: Side) -> NumberReading:
    if core.isdecimal():
        return NumberReading(value=Decimal(core))
    if side is Side.LABEL and _PLAIN.fullmatch(core):
        return NumberReading(value=Decimal(core), step=_label_step(core, locale))
    if locale is None:
        return _read_undeclared(core)
    notation = notation_of(locale)
    plain = _read_as(core, notation.decimal, is_indian=notation.is_indian)
    if plain is None:
        return _read_foreign(core, notation)
    if plain == core:
        return NumberReading(Decimal(plain))
    step = f'{notation.name} marks decimals with "{notation.decimal}": {core} is {plain}'
    return NumberReading(Decimal(plain), step)


def _label_step(core: str, locale: str | None) -> str | None:
    """Said only where the locale would have grouped: 1.234."""
    if locale is None or notation_of(locale).decimal == "." or not _WESTERN.fullmatch(core):
        return None
    return f'a label is a plain decimal, so "." marks the decimals in {core}'


def _read_foreign(core: str, notation: Notation) -> NumberReading:
    """A number that the declared notation cannot have written."""
    point = _read_as(core, ".", is_indian=False)
    if notation.decimal == "," and point is not None and "," not in core:
        step = f'{notation.name} cannot group like this, so "." marks the decimals in {core}'
        return NumberReading(Decimal(point), step)
    other = "." if notation.decimal == "," else ","
    foreign = _read_as(core, other, is_indian=False)
    if foreign is not None and "." in core and "," in core and not _ends_in_three(core):
        step = (
            f'{core} has both marks, and only "{other}" can mark the decimals, '
            f'though {notation.name} uses "{notation.decimal}"'
        )
        return NumberReading(Decimal(foreign), step)
    problem = f"{core} is not a number as {notation.name} writes one"
    if foreign is not None:
        problem += f" (with {other!r} for the decimals it would be {foreign})"
    return NumberReading(value=None, problem=problem)


def _ends_in_three(core: str) -> bool:
    return len(core) > 3 and not core[-4].isdecimal()


def _read_undeclared(core: str) -> NumberReading:
    if _PLAIN.fullmatch(core):
        return NumberReading(value=Decimal(core))
    readings = [_read_as(core, mark, is_indian=mark == ".") for mark in ".,"]
    values = {Decimal(plain) for plain in readings if plain is not None}
    if len(values) == 1:
        value = values.pop()
        return NumberReading(value, f"{core} can only be {value:f} in any notation")
    if values:
        either = " or ".join(f"{value:f}" for value in sorted(values))
        return NumberReading(
            None, problem=f"ambiguous: {core} is {either}, and no locale is declared"
        )
    return NumberReading(None, problem=f"{core} is not a number in any notation")


def _read_as(core: str, decimal: str, *, is_indian: bool) -> str | None:
    """The plain decimal with ``decimal`` as its mark and groups well formed; None if it is none."""
    if ARABIC_DECIMAL in core:
        decimal = ARABIC_DECIMAL
    whole, mark, fraction = core.partition(decimal)
    if mark and not fraction.isdecimal():
        return None
    if whole and not whole.isdecimal():
        grouped = _WESTERN.fullmatch(whole) or (_INDIAN.fullmatch(whole) if is_indian else None)
        if grouped is None or grouped[1] == decimal:
            return None
        whole = whole.replace(grouped[1], "")
    return f"{whole or '0'}.{fraction}" if mark else whole

"""Which currency a symbol, a code or a name means, and how many decimals its amounts have.

Names and symbols come from babel, for the declared locale and for English; the few spellings that
documents use and CLDR does not list are below. A symbol of several currencies means the declared
one, else the one that the locale writes so, else its territory's; else it stays ambiguous.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_name, get_territory_currencies

from evals_pipeline.judge.kinds.characters import fold_numeric
from evals_pipeline.judge.kinds.notation import parse_locale

DEFAULT_MINOR_UNITS = 2

# ISO 4217. CLDR's digits are for display (it shows no fils of some currencies that have them), so
# they would call amounts equal that are not.
_CODES_BY_MINOR_UNITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_MINOR_UNITS: Mapping[str, int] = {
    code: units for units, codes in _CODES_BY_MINOR_UNITS.items() for code in codes.split()
}

_DOLLARS = (
    "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP BBD BSD BZD BMD BND FJD GYD JMD KYD LRD "
    "NAD SBD SRD TTD XCD"
)
_POUNDS = "GBP EGP LBP SYP FKP GIP SHP SSP SDG"
_RUPEES = "INR PKR LKR NPR MUR SCR"
_SPELLINGS: Mapping[str, str] = {
    "$": _DOLLARS, "dollar": _DOLLARS, "dollars": _DOLLARS,
    "us$": "USD", "u$s": "USD", "usd$": "USD", "c$": "CAD", "ca$": "CAD", "can$": "CAD",
    "cdn$": "CAD", "cad$": "CAD", "a$": "AUD", "au$": "AUD", "aud$": "AUD", "nz$": "NZD",
    "s$": "SGD", "sg$": "SGD", "hk$": "HKD", "nt$": "TWD", "r$": "BRL", "mx$": "MXN",
    "mex$": "MXN", "rd$": "DOP", "ec$": "XCD", "j$": "JMD", "tt$": "TTD", "bz$": "BZD",
    "£": _POUNDS, "pound": _POUNDS, "pounds": _POUNDS, "€": "EUR", "euro": "EUR", "euros": "EUR",
    "¥": "JPY CNY", "￥": "JPY CNY", "円": "JPY", "yen": "JPY", "元": "CNY TWD HKD", "rmb": "CNY",
    "cn¥": "CNY", "jp¥": "JPY", "kr": "SEK NOK DKK ISK", "skr": "SEK", "nkr": "NOK", "dkr": "DKK",
    "ikr": "ISK", "rs": _RUPEES, "re": _RUPEES, "rupee": _RUPEES, "rupees": _RUPEES, "₹": "INR",
    "r": "ZAR", "rm": "MYR", "rp": "IDR", "zł": "PLN", "zl": "PLN", "kč": "CZK", "ft": "HUF",
    "lei": "RON MDL", "leu": "RON MDL", "лв": "BGN", "₽": "RUB", "руб": "RUB", "р": "RUB",
    "грн": "UAH", "₴": "UAH", "₸": "KZT", "₺": "TRY", "tl": "TRY", "fr": "CHF XAF XOF",
    "sfr": "CHF",
    "₩": "KRW KPW", "₫": "VND", "đ": "VND", "฿": "THB", "₪": "ILS", "₱": "PHP", "₦": "NGN",
    "s/": "PEN", "b/": "PAB", "bs": "BOB VES", "q": "GTQ", "dhs": "AED", "dh": "AED MAD",
    "ksh": "KES", "dm": "DEM", "fcfa": "XAF XOF",
}  # fmt: skip

# Which territory used which money when; a fixed day, so that no figure changes with the date.
_TENDER_DAY = date(2025, 1, 1)


# Abbreviations whose dot belongs to them and not to the number behind it: "Rs.100".
_DOTTED = re.compile(
    r"(?<![^\W\d_])(?:rs|re|[dins]?kr|s?fr|руб|р|лв|din|дин|bs|r|[sb]/)$", re.IGNORECASE
)


def takes_dot(word: str, locale: str | None) -> bool:
    """Whether a point behind ``word`` is part of the currency's symbol.

    >>> takes_dot("Rs", "en_IN"), takes_dot("USD", "en_US")
    (True, False)
    """
    if _DOTTED.search(word):
        return True
    symbol = re.split(r"[ +\-(]", word)[-1]
    return locale is not None and symbol in _dotted_symbols(locale)


@cache
def _dotted_symbols(identifier: str) -> frozenset[str]:
    symbols = map(fold_numeric, parse_locale(identifier).currency_symbols.values())
    return frozenset(symbol[:-1] for symbol in symbols if symbol.endswith("."))


def minor_units(currency: str | None) -> int:
    """Decimals of the currency's amounts; 2 where none is known.

    >>> minor_units("JPY"), minor_units("KWD"), minor_units(None)
    (0, 3, 2)
    """
    return _MINOR_UNITS.get(currency or "", DEFAULT_MINOR_UNITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencyReading:
    """The ISO codes that the words around an amount can mean; empty with ``problem``: none.

    ``steps`` say what a spelling other than the code itself was read as.
    """

    codes: frozenset[str]
    steps: tuple[str, ...] = ()
    problem: str | None = None


@lru_cache(maxsize=4096)
def read_currency(
    words: tuple[str, ...], locale: str | None, declared: str | None
) -> CurrencyReading:
    """The currency that all ``words`` mean together; several codes where it stays ambiguous.

    >>> sorted(read_currency(("US$",), locale=None, declared=None).codes)
    ['USD']
    >>> sorted(read_currency(("$",), locale="en_CA", declared=None).codes)
    ['CAD']
    """
    spellings = [spelling for word in words for spelling in _spellings_in(word, locale)]
    index = _index(locale)
    unknown = [spelling for spelling in spellings if _key(spelling) not in index]
    if unknown:
        return CurrencyReading(codes=frozenset(), problem=f'"{unknown[0]}" is not a currency')
    codes = frozenset.intersection(*(index[_key(spelling)] for spelling in spellings))
    if not codes:
        both = " and ".join(spellings)
        return CurrencyReading(codes=codes, problem=f"{both} are different currencies")
    if len(codes) > 1:
        codes = _settled(codes, _key(spellings[0]), locale=locale, declared=declared)
    if words == tuple(codes):
        return CurrencyReading(codes=codes)
    step = f'"{" ".join(words)}" is {spell_codes(codes)}'
    return CurrencyReading(codes=codes, steps=(step,))


def spell_codes(codes: frozenset[str]) -> str:
    """A few of the codes, for a message."""
    return " or ".join(sorted(codes)[:4])


def _spellings_in(word: str, locale: str | None) -> list[str]:
    """``US Dollar`` is one spelling, ``CAD $`` are two."""
    return [word] if _key(word) in _index(locale) else word.split()


def _settled(
    codes: frozenset[str], key: str, *, locale: str | None, declared: str | None
) -> frozenset[str]:
    if declared in codes:
        return frozenset({declared})
    return codes if locale is None else _of_locale(key, codes, locale) or codes


@cache
def _of_locale(key: str, codes: frozenset[str], identifier: str) -> frozenset[str] | None:
    locale = parse_locale(identifier)
    written = {code for code in codes if _key(locale.currency_symbols.get(code, "")) == key}
    if len(written) == 1:
        return frozenset(written)
    tender = codes.intersection(
        get_territory_currencies(locale.territory, start_date=_TENDER_DAY)
        if locale.territory
        else ()
    )
    return tender if len(tender) == 1 else None


@cache
def _index(identifier: str | None) -> Mapping[str, frozenset[str]]:
    """Every spelling to the codes it can mean, for one locale, English and the ISO codes."""
    index: dict[str, set[str]] = defaultdict(set)
    for spelling, codes in _SPELLINGS.items():
        index[_key(spelling)].update(codes.split())
    locales = [Locale("en")] if identifier is None else [parse_locale(identifier), Locale("en")]
    for locale in locales:
        for spelling, code in _names(locale):
            index[_key(spelling)].add(code)
    # A code means itself, even where it is also somebody's symbol.
    return {
        **{key: frozenset(codes) for key, codes in index.items() if key},
        **{code.casefold(): frozenset({code}) for code in get_global("all_currencies")},
    }


def _names(locale: Locale) -> Iterator[tuple[str, str]]:
    for code in get_global("all_currencies"):
        if symbol := locale.currency_symbols.get(code):
            yield symbol, code
        for count in (None, 1, 2, 5):
            yield get_currency_name(code, count=count, locale=locale), code


def _key(spelling: str) -> str:
    return "".join(fold_numeric(spelling).split()).rstrip(".").casefold()

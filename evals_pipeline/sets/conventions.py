"""How a source writes numbers and dates: locale, currency, date formats; stated, never guessed."""

import re
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Annotated

from babel import Locale, UnknownLocaleError
from babel.core import LOCALE_ALIASES
from babel.numbers import list_currencies
from pydantic import BeforeValidator

from evals_pipeline.core.edges import EdgeModel, complete_refusal, read_text
from evals_pipeline.core.records import SourceConvention


def read_locale(raw: object) -> object:
    """A locale that CLDR knows, as ``de_DE``; ``de-DE`` is taken too."""
    return _locale(str(read_text(raw)))


def read_currency(raw: object) -> object:
    """An ISO 4217 code that CLDR knows, such as ``KWD``."""
    return _currency(str(read_text(raw)))


def read_format(raw: object) -> object:
    """A date format of directives (``%d/%m/%Y``) that a date can be read by."""
    return _format(str(read_text(raw)))


@cache
def _locale(text: str) -> str:
    name = text.replace("-", "_")
    language, _, rest = name.partition("_")
    # "no_NO" is common for Norwegian, which CLDR files under its written forms (nb, nn).
    alias = LOCALE_ALIASES.get(language, language).partition("_")[0]
    for candidate in dict.fromkeys((name, f"{alias}_{rest}" if rest else alias)):
        with suppress(UnknownLocaleError, ValueError):
            # Babel also takes the encoding of a POSIX locale, which says nothing of notation.
            if re.fullmatch(r"[A-Za-z]{2,3}(_[A-Za-z0-9]+)*", candidate):
                Locale.parse(candidate)
                return candidate
    raise complete_refusal(
        f"no such locale, got {text[:60]!r}; expected a language and a region, such as en_GB",
        remedy="Write the one whose notation of numbers and dates the documents have.",
    )


@cache
def _currency(text: str) -> str:
    known = list_currencies()
    if text not in known:
        near = text.upper() if text.upper() in known else text
        raise complete_refusal(
            f"no such currency, got {text[:60]!r}; expected an ISO 4217 code, such as EUR",
            remedy=f'Did you mean "{near}"?' if near != text else "",
        )
    return text


@cache
def _format(text: str) -> str:
    try:
        datetime.strptime("", text)  # noqa: DTZ007 - only the format is looked at
    except ValueError as error:
        reason = str(error)
        if "does not match" not in reason:
            raise complete_refusal(f"no date format, got {text[:60]!r}: {reason}") from None
    except re.error:
        raise complete_refusal(f"no date format, got {text[:60]!r}: a part stands twice") from None
    if not re.search(r"%[YyGcx]", text):
        raise complete_refusal(
            f"no date format, got {text[:60]!r}: it reads no year",
            remedy='Write directives, such as "%d/%m/%Y".',
        )
    return text


def reads_two_digit_years(date_format: str) -> bool:
    """Whether a format reads years of two digits, which needs a stated pivot."""
    return re.search(r"(?<!%)(?:%%)*%y", date_format) is not None


LocaleName = Annotated[str, BeforeValidator(read_locale)]
Currency = Annotated[str, BeforeValidator(read_currency)]
DateFormat = Annotated[str, BeforeValidator(read_format)]


class ConventionModel(EdgeModel):
    """What a set, a source or a document states about its notation."""

    locale: LocaleName | None = None
    currency: Currency | None = None
    formats: tuple[DateFormat, ...] = ()

    def over(self, base: SourceConvention) -> SourceConvention:
        """This convention where it states something, ``base`` where it does not."""
        return SourceConvention(
            locale=self.locale or base.locale,
            currency=self.currency or base.currency,
            formats=self.formats or base.formats,
        )

import pytest
from pydantic_core import PydanticCustomError

from evals_pipeline.core.records import SourceConvention
from evals_pipeline.sets.conventions import (
    ConventionModel,
    read_currency,
    read_format,
    read_locale,
    reads_two_digit_years,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fi_FI", "fi_FI"),
        ("pt-BR", "pt_BR"),
        ("no-NO", "nb_NO"),
        ("zh_Hant_TW", "zh_Hant_TW"),
        ("da", "da"),
    ],
)
def test_locales_that_cldr_knows_pass(text: str, expected: str):
    assert read_locale(text) == expected


@pytest.mark.parametrize("text", ["german", "en_QQ", "de_DE.UTF-8", "_DE", "12"])
def test_other_locales_are_refused(text: str):
    with pytest.raises(PydanticCustomError, match="no such locale"):
        read_locale(text)


def test_currencies_are_codes():
    assert read_currency("KWD") == "KWD"
    for text in ("kwd", "Dinar", "XQX"):
        with pytest.raises(PydanticCustomError, match="no such currency"):
            read_currency(text)


@pytest.mark.parametrize("text", ["%d.%m.%Y", "%Y%m%d", "%d %b '%y", "%B %d, %Y", "100%% %Y"])
def test_formats_that_read_a_year_pass(text: str):
    assert read_format(text) == text


@pytest.mark.parametrize("text", ["%d.%m.", "dd.mm.yyyy", "%Y %", "%e %Y", "%Y %Y", "%-d.%m.%Y"])
def test_other_formats_are_refused(text: str):
    with pytest.raises(PydanticCustomError, match="no date format"):
        read_format(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("%d.%m.%y", True), ("%d.%m.%Y", False), ("%%y %Y", False)]
)
def test_two_digit_years_are_noticed(text: str, expected: bool):
    assert reads_two_digit_years(text) is expected


def test_what_is_stated_stands_over_what_is_not():
    base = SourceConvention(locale="da_DK", currency="DKK", formats=("%Y",))
    assert ConventionModel().over(base) == base
    assert ConventionModel(currency="EUR").over(base) == SourceConvention(
        locale="da_DK", currency="EUR", formats=("%Y",)
    )

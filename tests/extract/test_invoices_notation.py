"""How the invoice rules see numbers and dates in a text."""

from decimal import Decimal

import pytest

from evals_pipeline.extract.invoice_layouts.notation import (
    Notation,
    currency_in,
    has_decimals,
    is_money,
)


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("VAT 20% 1,110.11 £5", "en_GB", ["1,110.11", "£5"]),
        ("19 % USt. 1.103,00 EUR", "de_DE", ["1.103,00 EUR"]),
        ("Total TTC 1\u202f226,60 €", "fr_FR", ["1\u202f226,60 €"]),
        ("Att betala 13 712,50 kr", "sv_SE", ["13 712,50 kr"]),
        ("credit ($1,234.00)", "en_US", ["($1,234.00)"]),
        ("-$500.00 or − 7.25", "en_US", ["-$500.00", "− 7.25"]),
        ("on 12/03/2026, ref 2026-04", "en_GB", []),
    ],
)
def test_finds_amounts_as_they_stand_and_no_rates_or_dates(text, locale, expected):
    amounts = Notation(locale).amounts(text)
    assert [one.text for one in amounts if is_money(one.text)] == expected
    assert all(text[one.start : one.end].strip() == one.text for one in amounts)


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("1.234,56 €", "de_DE", "1234.56"),
        ("1,234.56", "en_GB", "1234.56"),
        ("(12.50)", "en_US", "-12.50"),
        ("− 3,5", "sv_SE", "-3.5"),
        ("1.234.567", None, "1234567"),
        ("1.234,5", None, "1234.5"),
    ],
)
def test_reads_an_amount_for_checking_sums(text, locale, expected):
    assert Notation(locale).value(text) == Decimal(expected)


def test_reads_no_value_where_there_is_no_number():
    assert Notation("en_GB").value("see below") is None


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("due 2nd April 2026.", "en_GB", ["2nd April 2026"]),
        ("May 1, 2026 to 05/31/2026", "en_US", ["May 1, 2026", "05/31/2026"]),
        ("den 4. März 2026", "de_DE", ["4. März 2026"]),
        ("9 de mayo de 2026", "es_ES", ["9 de mayo de 2026"]),
        ("12-MAR-2026 and 12.03.26", "en_GB", ["12-MAR-2026", "12.03.26"]),
        ("2026-05-31", "sv_SE", ["2026-05-31"]),
        ("12 Crates 2026, item 4/11/22/7", "en_GB", []),
        ("4 mars 2026", "it_IT", []),
    ],
)
def test_finds_dates_whose_month_is_one(text, locale, expected):
    assert [one.group() for one in Notation(locale).dates(text)] == expected


def test_language_of_a_locale_in_either_spelling_and_none_for_nonsense():
    assert Notation("de-DE").language == Notation("de_DE").language == "de"
    assert Notation("no_NO").language == "nb"
    assert Notation("en_HR").language == "en"
    assert Notation("nonsense").language is None
    assert Notation(None).language is None


def test_currency_and_decimals():
    assert currency_in("1 440,00 kr") == "kr"
    assert currency_in("US$5 or EUR 4") == "EUR"
    assert currency_in("krona 5") is None
    assert has_decimals("1.440,00 EUR")
    assert not has_decimals("1.440")

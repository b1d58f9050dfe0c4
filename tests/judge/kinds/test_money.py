"""Money: notation makes no difference, an amount, a sign or a currency does."""

from decimal import Decimal
from typing import Any

import pytest
from babel.numbers import format_currency
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import ScalarKindContract


class TestMoneyKind(ScalarKindContract):
    kind = "money"
    readable = ["7.310,25", "−12 €", "USD 3", Decimal("0.10"), 12, "(1.250,00)", "1e3"]
    unreadable = ["n/a", "5%", True, "1,2,3", "12 34", [1], {"amount": 1}, "(4", "3 parsecs"]


GROUPED_AND_MARKED = [
    ("de_DE", "7310.25", "7.310,25"),
    ("de_DE", "7310", "7.310"),
    ("de_DE", "2.5", "2,5"),
    ("de_AT", "7310.25", "7.310,25"),
    ("sv_SE", "8.05", "8,05"),
    ("fr_FR", "7310.25", "7 310,25"),
    ("fr_FR", "7310.25", "7\u202f310,25"),
    ("fr_FR", "7310.25", "7\u00a0310,25"),
    ("fr_FR", "7310.25", "7\u2009310,25"),
    ("de_CH", "7310.25", "7'310.25"),
    ("de_CH", "7310.25", "7’310.25"),
    ("en_IN", "7310250.5", "73,10,250.50"),
    ("en_IN", "7310250.5", "7,310,250.50"),
    ("en_US", "7310250.5", "7,310,250.50"),
    ("pt_BR", "7310.25", "7.310,25"),
    ("ar_EG", "7310.25", "٧٬٣١٠٫٢٥"),
    ("fa_IR", "7310.25", "۷٬۳۱۰٫۲۵"),
    ("ja_JP", "7310.25", "７，３１０．２５"),
    ("no_NO", "7310.25", "7 310,25"),
    ("de-DE", "7310.25", "7.310,25"),
]


@pytest.mark.parametrize(("locale", "want", "got"), GROUPED_AND_MARKED)
def test_the_locale_groups_and_marks(locale: str, want: str, got: str):
    assert outcome("money", want, got, locale=locale) == "correct"


@pytest.mark.parametrize(
    ("locale", "want", "got"),
    [
        ("sv_SE", "805", "8,05"),
        ("de_DE", "15", "1,5"),
        ("de_DE", "73.10", "731"),
        ("de_DE", "1234.567", "1.234.567"),
        ("en_US", "7.31", "731"),
        ("en_US", "7310", "7.310"),
    ],
)
def test_a_mark_is_never_dropped(locale: str, want: str, got: str):
    assert outcome("money", want, got, locale=locale) == "wrong"


@pytest.mark.parametrize(
    ("locale", "got"),
    [
        ("en_US", "7,31"),
        ("en_US", "1,5"),
        ("en_US", "73,10,250"),
        ("de_DE", "12,34,5"),
        ("en_IN", "12,34,5"),
        ("de_DE", "1.234.5"),
        ("de_DE", "1,234.567"),
        ("fr_FR", "12 34"),
        ("en_US", "1,000."),
        (None, "12,34,5"),
    ],
)
def test_malformed_grouping_is_unreadable(locale: str | None, got: str):
    assert outcome("money", "7310.25", got, locale=locale) == "unreadable"


class TestPlainDecimals:
    def test_a_label_is_one_under_every_locale(self):
        assert compared("money", "2.345", 1, locale="de_DE").want == "2.35"
        assert outcome("money", "2.5", "2,5", locale="de_DE") == "correct"

    def test_a_point_that_cannot_group_marks_decimals(self):
        found = compared("money", "7310.25", "7310.25", locale="de_DE")
        assert found.got == "7310.25"
        found = compared("money", "7310.250", "7310.25", locale="de_DE")
        assert found.outcome.value == "correct"
        assert any('cannot group like this, so "." marks the decimals' in s for s in found.trace)

    def test_a_point_that_can_group_does(self):
        assert compared("money", "1", "7.310", locale="de_DE").got == "7310.00"

    def test_a_leading_zero_cannot_group(self):
        assert outcome("number", "0.1230", "0.123", locale="de_DE") == "correct"
        assert outcome("number", "12345", "012.345", locale="de_DE") == "wrong"

    def test_json_numbers_are_exact_plain_decimals(self):
        assert outcome("money", "7.310", Decimal("7.310"), locale="de_DE") == "correct"
        assert outcome("money", "7310", Decimal("7.310"), locale="de_DE") == "wrong"
        assert outcome("money", "800", 800.0, locale="en_US") == "correct"

    def test_both_marks_show_their_notation(self):
        assert outcome("money", "7310.25", "7,310.25", locale="de_DE") == "correct"
        assert outcome("money", "7310.25", "7.310,25", locale="en_US") == "correct"

    def test_a_value_written_as_the_label_reads_as_the_label(self):
        same = compared("money", "2.345", "2.345", locale="de_DE")
        other = compared("money", "2.345", "2345", locale="de_DE")
        assert (same.outcome.value, other.outcome.value) == ("correct", "wrong")
        # Two answers that are judged differently must not count as the same answer.
        assert same.answer != other.answer


class TestWithoutLocale:
    def test_what_only_one_notation_can_have_written_is_read(self):
        for got in ("7310.25", "7,310.25", "7.310,25", "7'310.25", "7 310,25", "7310,25"):
            assert outcome("money", "7310.25", got) == "correct", got

    def test_what_two_notations_write_is_ambiguous(self):
        found = compared("money", "7310", "7,310")
        assert found.outcome.value == "unreadable"
        assert "ambiguous" in (found.note or "")
        assert outcome("money", "7.31", "7,310") == "unreadable"


@pytest.mark.parametrize(
    "got",
    ["-8", "(8)", "8-", "8 -", "−8", "–8", "-$8", "$-8", "$(8.00)", "($8)", "8.00 CR", "8CR"],
)
def test_signs_in_all_their_shapes(got: str):
    assert outcome("money", "-8.00", got, locale="en_US", currency="USD") == "correct"
    assert outcome("money", "8.00", got, locale="en_US", currency="USD") == "wrong"


def test_credit_is_negative_unless_the_field_says_otherwise():
    assert outcome("money", "8", "8 DR", locale="en_US") == "correct"
    assert outcome("money", "8", "8 CR", locale="en_US", credit_is_positive=True) == "correct"
    assert outcome("money", "-8", "8 DR", locale="en_US", credit_is_positive=True) == "correct"


@pytest.mark.parametrize("got", ["(-8)", "--8", "-8-", "(8", "8)", ")8(", "-8 CR"])
def test_two_signs_or_half_a_parenthesis_are_unreadable(got: str):
    assert outcome("money", "-8", got, locale="en_US") == "unreadable"


CURRENCIES: list[tuple[str, str, dict[str, Any]]] = [
    ("30.00 EUR", "€30,00", {"locale": "de_DE"}),
    ("30.00 EUR", "30 Euro", {"locale": "de_DE"}),
    ("30.00 EUR", "eur 30", {}),
    ("30 USD", "US$30", {"locale": "en_US"}),
    ("30 USD", "30 US dollars", {"locale": "en_US"}),
    ("30 USD", "$30", {"locale": "en_US"}),
    ("30 CAD", "$30", {"locale": "en_CA"}),
    ("30 AUD", "$30", {"locale": "en_AU"}),
    ("30", "$30", {"locale": "en_US", "currency": "CAD"}),
    ("30 CAD", "$ 30 CAD", {"locale": "en_US"}),
    ("30 USD", "$30", {}),
    ("30 BRL", "R$ 30,00", {"locale": "pt_BR"}),
    ("30 PLN", "30,00 zł", {"locale": "pl_PL"}),
    ("30 CZK", "30 Kč", {"locale": "cs_CZ"}),
    ("30 SEK", "30 kr", {"locale": "sv_SE"}),
    ("30 NOK", "kr 30,00", {"locale": "nb_NO"}),
    ("30 MYR", "RM30.00", {"locale": "en_MY"}),
    ("30 INR", "Rs.30", {"locale": "en_IN"}),
    ("30 INR", "Rs. 30/-", {"locale": "en_IN"}),
    ("30 CHF", "Fr. 30.–", {"locale": "de_CH"}),
    ("30 CHF", "CHF 30.--", {"locale": "de_CH"}),
    ("30 SEK", "30:-", {"locale": "sv_SE", "currency": "SEK"}),
    ("30 PEN", "S/.30", {"locale": "es_PE"}),
    ("30 JPY", "30円", {"locale": "ja_JP"}),
    ("30 AED", "30 د.إ.", {"locale": "ar_AE"}),
    ("30 LKR", "රු.30", {"locale": "si_LK"}),
    ("0.50 USD", "$.50", {"locale": "en_US"}),
]


@pytest.mark.parametrize(("want", "got", "declared"), CURRENCIES)
def test_currencies_are_read_apart(want: str, got: str, declared: dict[str, Any]):
    assert outcome("money", want, got, **declared) == "correct"


@pytest.mark.parametrize(
    ("want", "got", "declared"),
    [
        ("30 EUR", "30 USD", {}),
        ("30", "30 USD", {"currency": "EUR"}),
        ("30 USD", "30", {"currency": "EUR"}),
        ("30 CAD", "$30", {"locale": "en_US"}),
        ("30 NOK", "30 kr", {"locale": "sv_SE"}),
        ("30 EUR", "$30", {}),
    ],
)
def test_a_different_currency_is_a_different_amount(want: str, got: str, declared: dict[str, Any]):
    assert outcome("money", want, got, **declared) == "wrong"


def test_one_currency_alone_compares_the_amounts():
    found = compared("money", "30", "€30")
    assert found.outcome.value == "correct"
    assert "the amounts decide" in found.trace[-1]


@pytest.mark.parametrize("got", ["USD.50", "€30 USD", "30 EUR 5", "30 apples", "30 EUR / month"])
def test_what_nobody_can_explain_is_unreadable(got: str):
    assert outcome("money", "30", got, locale="en_US") == "unreadable"


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        ("8210.4", "8210.40", "correct"),
        ("8210 JPY", "8210.4 JPY", "correct"),
        ("8210 JPY", "8211 JPY", "wrong"),
        ("8.210 KWD", "8.211 KWD", "wrong"),
        ("8.21 EUR", "8.214 EUR", "correct"),
        ("8.21 EUR", "8.215 EUR", "wrong"),
        # CLDR shows no decimals of these two, ISO 4217 has two.
        ("8.21 RSD", "8.49 RSD", "wrong"),
        ("8.21 HUF", "8.49 HUF", "wrong"),
        ("0.00", "-0.00", "correct"),
        ("0.00", 0, "correct"),
    ],
)
def test_amounts_compare_at_the_minor_units(want: str, got: Any, expected: str):
    assert outcome("money", want, got, locale="en_US") == expected


@pytest.mark.parametrize(
    "got", ["7" * 4000, "1e999", 10**500, float("nan"), float("inf"), Decimal("Infinity"), "NaN"]
)
def test_numbers_without_measure_are_unreadable(got: Any):
    assert outcome("money", "7", got, locale="en_US") == "unreadable"


def test_exponents_are_powers_of_ten():
    assert outcome("money", "200000", "2e5", locale="en_US") == "correct"
    assert outcome("money", "25", "2e5", locale="en_US") == "wrong"
    assert outcome("money", "2500", "2,5E3", locale="de_DE") == "correct"
    # A point is a machine's decimal mark here, even where the locale would group with it.
    assert outcome("money", "1234", "1.234e3", locale="de_DE") == "correct"
    assert outcome("money", "1234000", "1,234e3", locale="en_US") == "unreadable"


@pytest.mark.parametrize("got", ["8%", "10²", "½", "eight", True])
def test_what_is_no_amount_is_unreadable(got: Any):
    assert outcome("money", "8", got, locale="en_US") == "unreadable"


def test_zero_is_a_value_and_null_is_none():
    assert outcome("money", "0.00", None) == "missed"
    assert outcome("money", None, 0) == "invented"
    assert outcome("money", None, "\u200b ") == "correct_null"


# Swiss locales are left out: babel takes pairs of their apostrophes for quotes and drops them.
_LOCALES = """
    en_US en_GB en_IN en_CA en_ZA de_DE de_AT fr_FR fr_CA es_ES es_MX it_IT pt_BR pt_PT nl_NL
    sv_SE nb_NO da_DK fi_FI is_IS pl_PL cs_CZ sk_SK hu_HU ro_RO bg_BG hr_HR sl_SI el_GR tr_TR
    ru_RU uk_UA et_EE lv_LV lt_LT ar_EG ar_MA fa_IR he_IL hi_IN bn_BD mr_IN ne_NP ja_JP ko_KR
    zh_CN zh_TW th_TH vi_VN id_ID ms_MY
"""
LOCALES = _LOCALES.split()


@settings(max_examples=50, deadline=None)
@given(
    locale=st.sampled_from(LOCALES),
    cents=st.integers(-(10**11), 10**11),
    currency=st.sampled_from(["EUR", "USD", "GBP", "INR", "PLN", "SEK", "BRL", "ZAR", "CNY"]),
    style=st.sampled_from(["standard", "accounting"]),
    digits=st.sampled_from(["latn", "default"]),
)
def test_what_babel_writes_is_read_back(
    locale: str, cents: int, currency: str, style: str, digits: str
):
    amount = Decimal(cents).scaleb(-2)
    written = format_currency(
        amount, currency, locale=locale, format_type=style, numbering_system=digits
    )
    assert outcome("money", f"{amount} {currency}", written, locale=locale) == "correct"
    assert outcome("money", f"{amount + 1} {currency}", written, locale=locale) == "wrong"

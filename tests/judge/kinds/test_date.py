"""Dates: ISO first, then the formats, then the locale, and never a guess."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.judge.kinds.date_formats import format_fault
from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import ScalarKindContract


class TestDateKind(ScalarKindContract):
    kind = "date"
    readable = ["2026-07-09", "09.07.2026", "9. Juli 2026", 20260709, "2026-07", "2026"]
    unreadable = ["soon", "2026-02-30", "31.04.2026", "9 July", True, 1783555200, "Q3 2026", 260709]


@pytest.mark.parametrize(
    "got",
    [
        "2026-07-09",
        "20260709",
        20260709,
        Decimal("20260709"),
        "2026-W28-4",
        "2026-07-09T00:00:00Z",
        "2026-07-09T00:00:00.000+00:00",
        "2026-07-09 16:45",
        "2026-07-09T23:59:59-05:00",
        "２０２６-０７-０９",
        date(2026, 7, 9),
        datetime(2026, 7, 9, 8, 30, tzinfo=UTC),
    ],
)
def test_iso_in_its_forms(got: Any):
    assert outcome("date", "2026-07-09", got, locale="en_US") == "correct"
    assert outcome("date", "2026-07-09", got, formats=("%d/%m/%Y",)) == "correct"


def test_iso_is_never_swapped():
    assert outcome("date", "2026-09-07", "2026-07-09", locale="en_GB") == "wrong"


def test_a_label_may_be_a_date_of_python():
    assert outcome("date", date(2026, 7, 9), "2026-07-09") == "correct"  # type: ignore[arg-type] # on purpose


class TestTimestamps:
    def test_the_day_stays_as_written(self):
        found = compared("date", "2026-07-10", "2026-07-09T23:30:00Z")
        assert found.outcome.value == "wrong"
        assert "got: the time 23:30:00 is dropped, the day stays as written" in found.trace
        assert "got: the offsetZ is not applied" in found.trace

    @pytest.mark.parametrize("got", ["2026-07-09T24:00:00", "2026-07-09T12:75", "2026-07-09T9"])
    def test_a_time_that_does_not_exist_is_unreadable(self, got: str):
        assert outcome("date", "2026-07-09", got) == "unreadable"


@pytest.mark.parametrize(
    ("locale", "got", "want"),
    [
        ("en_GB", "09/07/2026", "2026-07-09"),
        ("en_US", "09/07/2026", "2026-09-07"),
        ("de_DE", "9.7.2026", "2026-07-09"),
        ("cs_CZ", "9. 7. 2026", "2026-07-09"),
        ("bg_BG", "9.07.2026 г.", "2026-07-09"),
        ("hu_HU", "2026. 07. 09.", "2026-07-09"),
        ("en_GB", "2026/07/09", "2026-07-09"),
        ("ar_EG", "٩/٧/٢٠٢٦", "2026-07-09"),
        ("ja_JP", "2026年7月9日", "2026-07-09"),
        ("ja_JP", "2026年7月9日（木）", "2026-07-09"),
        ("ja_JP", "令和8年7月9日", "2026-07-09"),
        ("ja_JP", "令和元年7月9日", "2019-07-09"),
        ("ko_KR", "2026년 7월 9일", "2026-07-09"),
        ("fr_FR", "le 9 juillet 2026", "2026-07-09"),
        ("fr_FR", "1er août 2026", "2026-08-01"),
        ("fr_FR", "1er aout 2026", "2026-08-01"),
        ("es_ES", "9 de julio de 2026", "2026-07-09"),
        ("he_IL", "9 ביולי 2026", "2026-07-09"),
        ("vi_VN", "9 tháng 7, 2026", "2026-07-09"),
        ("ru_RU", "9 июля 2026 г.", "2026-07-09"),
        ("en_US", "July 9th, 2026", "2026-07-09"),
        ("en_US", "Sept. 9, 2026", "2026-09-09"),
        ("en_US", "9th day of July, 2026", "2026-07-09"),
        ("en_US", "Thursday, July 9, 2026", "2026-07-09"),
        ("en_GB", "09/07/2026 (THU)", "2026-07-09"),
        ("en_GB", "9 Jul 2026, 4:45 PM", "2026-07-09"),
        ("ro_RO", "marți, 2 decembrie 2036", "2036-12-02"),
        ("it_IT", "mar 9 giu 2026", "2026-06-09"),
        ("it_IT", "mar 3 mar 2026", "2026-03-03"),
        ("it_IT", "3 mar 2026", "2026-03-03"),
        # English names are read under every locale.
        ("de_DE", "09-JUL-2026", "2026-07-09"),
        ("en_GB", "July 2026", "2026-07"),
        ("en_GB", "07/2026", "2026-07"),
    ],
)
def test_the_locale_orders_and_names(locale: str, got: str, want: str):
    assert outcome("date", want, got, locale=locale) == "correct"


@pytest.mark.parametrize(
    ("locale", "got"),
    [
        (None, "09/07/2026"),
        (None, "25/07/2026"),
        ("en", "09/07/2026"),
        ("sv_SE", "09/07/2026"),
        ("ja_JP", "09/07/2026"),
    ],
)
def test_an_order_that_nothing_declares_is_ambiguous(locale: str | None, got: str):
    found = compared("date", "2026-07-09", got, locale=locale)
    assert found.outcome.value == "unreadable"
    assert "ambiguous" in (found.note or "")
    assert outcome("date", got, got, locale=locale) == "correct"


@pytest.mark.parametrize(
    ("locale", "got"),
    [
        ("en_US", "25/07/2026"),
        ("en_GB", "30/02/2026"),
        ("en_GB", "29/02/2026"),
        ("en_GB", "July 9"),
        ("en_GB", "9 July 2026 or 10 July 2026"),
        ("fr_FR", "9 foo 2026"),
        ("en_GB", "9/7-2026"),
    ],
)
def test_no_day_is_made_up(locale: str, got: str):
    assert outcome("date", "2026-07-25", got, locale=locale) == "unreadable"


def test_years_of_two_digits_need_a_pivot():
    assert outcome("date", "2026-07-09", "09/07/26", locale="en_GB") == "unreadable"
    assert outcome("date", "2026-07-09", "09/07/26", locale="en_GB", pivot=1950) == "correct"
    assert outcome("date", "1950-07-09", "09-JUL-50", locale="en_GB", pivot=1950) == "correct"
    assert outcome("date", "2049-07-09", "9.7.49", locale="de_DE", pivot=1950) == "correct"


@pytest.mark.parametrize(("want", "got"), [("2026-07", "2026-07-01"), ("2026-07-01", "2026-07")])
def test_a_month_is_not_a_day(want: str, got: str):
    found = compared("date", want, got)
    assert found.outcome.value == "wrong"
    assert "not as exact" in found.trace[-1]


class TestFormats:
    @pytest.mark.parametrize(
        ("template", "got"),
        [
            ("%d/%m/%Y", "09/07/2026"),
            ("%d/%m/%Y", "9/7/2026"),
            ("%d/%m/%Y", "09/07/2026 16:45"),
            ("%d/%m/%Y %H:%M", "09/07/2026 16:45"),
            ("%d %B %Y", "9 July 2026"),
            ("%d %B %Y", "9th  Jul. 2026"),
            ("%b %d, %Y", "JUL 9, 2026"),
            ("%A, %d %B %Y", "Thursday, 9 July 2026"),
            ("%d%m%Y", "09072026"),
            ("%Y/%j", "2026/190"),
            ("%F", "2026-07-09"),
        ],
    )
    def test_a_listed_format_is_read(self, template: str, got: str):
        assert outcome("date", "2026-07-09", got, formats=(template,)) == "correct"

    def test_month_names_are_the_locales(self):
        listed = {"formats": ("%d %B %Y",), "locale": "it_IT"}
        assert outcome("date", "2026-07-09", "9 luglio 2026", **listed) == "correct"

    def test_two_that_differ_are_ambiguous(self):
        both = ("%d/%m/%Y", "%m/%d/%Y")
        found = compared("date", "2026-07-09", "09/07/2026", formats=both)
        assert found.outcome.value == "unreadable"
        assert '2026-07-09 by "%d/%m/%Y" and 2026-09-07 by "%m/%d/%Y"' in (found.note or "")
        assert outcome("date", "2026-07-25", "25/07/2026", formats=both) == "correct"
        assert outcome("date", "2026-07-07", "07/07/2026", formats=both) == "correct"

    def test_what_no_format_reads_is_unreadable(self):
        found = compared(
            "date", "2026-07-09", "July 9, 2026", formats=("%d/%m/%Y",), locale="en_US"
        )
        assert "neither ISO 8601 nor of a listed format" in (found.note or "")

    def test_iso_goes_first_even_where_a_format_would_swap_it(self):
        assert outcome("date", "2026-07-25", "2026-25-07", formats=("%Y-%d-%m",)) == "unreadable"
        assert outcome("date", "2026-09-07", "2026-09-07", formats=("%Y-%d-%m",)) == "correct"

    def test_there_is_no_rollover(self):
        assert outcome("date", "2026-03-01", "29/02/2026", formats=("%d/%m/%Y",)) == "unreadable"

    def test_two_digits_need_a_pivot(self):
        assert outcome("date", "2026-07-09", "09/07/26", formats=("%d/%m/%y",)) == "unreadable"
        assert (
            outcome("date", "2026-07-09", "09/07/26", formats=("%d/%m/%y",), pivot=2000)
            == "correct"
        )

    @pytest.mark.parametrize("template", ["DD.MM.YYYY", "%d.%Q.%Y", "%d.%d.%Y", ""])
    def test_a_format_that_cannot_be_used_says_so(self, template: str):
        assert format_fault(template)
        assert outcome("date", "2026-07-09", "9.7.2026", formats=(template,)) == "unreadable"


_NAMED = """
    en_US en_GB en_AU de_DE de_CH fr_FR fr_CA es_ES es_MX it_IT pt_BR pt_PT nl_NL sv_SE nb_NO
    da_DK fi_FI is_IS pl_PL cs_CZ sk_SK hu_HU ro_RO bg_BG hr_HR sl_SI el_GR tr_TR ru_RU uk_UA
    et_EE lv_LV lt_LT ar_EG ar_SY he_IL hi_IN ja_JP ko_KR zh_CN zh_TW vi_VN id_ID ca_ES
"""
NAMED = _NAMED.split()


@settings(max_examples=50, deadline=None)
@given(
    locale=st.sampled_from(NAMED),
    day=st.dates(date(1990, 1, 1), date(2060, 12, 31)),
    length=st.sampled_from(["short", "medium", "long", "full"]),
)
def test_what_babel_writes_is_read_back(locale: str, day: date, length: str):
    written = format_date(day, length, locale=locale)
    assert outcome("date", day.isoformat(), written, locale=locale, pivot=1970) == "correct"

"""Bare numbers, percentages, and the tolerances of both."""

from decimal import Decimal
from typing import Any

import pytest
from babel.numbers import format_decimal, format_percent
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import ScalarKindContract
from tests.judge.kinds.test_money import LOCALES


class TestNumberKind(ScalarKindContract):
    kind = "number"
    readable = ["1.250,5", 3, Decimal("0.001"), "(7)", "1e-3", -2.5]
    unreadable = ["7%", "7 kg", "€7", "seven", False, "1.2.3"]


class TestPercentKind(ScalarKindContract):
    kind = "percent"
    readable = ["7,5 %", "7%", 7, "%7", "7 percent", "75‰", "٧٪"]
    unreadable = ["7 €", "seven percent", True, "7 %%", "7 of 9"]


@pytest.mark.parametrize("got", ["7%", "7 %", "7\u00a0%", "７％", 7, "7.0", "%7", "70‰", "7 pct"])
def test_percent_points_whatever_the_sign(got: Any):
    assert outcome("percent", "7", got) == "correct"
    assert outcome("percent", "7%", got) == "correct"


def test_a_share_is_not_its_percentage():
    assert outcome("percent", "7%", "0.07") == "wrong"
    assert outcome("number", "7", "7%") == "unreadable"


@pytest.mark.parametrize(
    ("want", "got", "tolerances", "expected"),
    [
        ("200", "201.9", {"relative_tolerance": "0.01"}, "correct"),
        ("200", "202", {"relative_tolerance": "0.01"}, "correct"),
        ("200", "202.1", {"relative_tolerance": "0.01"}, "wrong"),
        ("-200", "-201", {"relative_tolerance": "0.01"}, "correct"),
        ("0", "0.009", {"relative_tolerance": "0.01"}, "wrong"),
        ("0", "0", {"relative_tolerance": "0.01"}, "correct"),
        ("200", "198", {"absolute_tolerance": "2"}, "correct"),
        ("200", "197.9", {"absolute_tolerance": "2"}, "wrong"),
        ("0", "0.009", {"absolute_tolerance": "0.01"}, "correct"),
        ("200", "203", {"absolute_tolerance": "1", "relative_tolerance": "0.02"}, "correct"),
        ("0.3", 0.1 + 0.2, {}, "wrong"),
    ],
)
def test_tolerances(want: str, got: Any, tolerances: dict[str, str], expected: str):
    exact = {name: Decimal(value) for name, value in tolerances.items()}
    assert outcome("number", want, got, **exact) == expected


def test_the_reason_names_the_tolerance():
    found = compared("number", "200", "203", relative_tolerance=Decimal("0.01"))
    assert found.trace[-1] == ("wrong: they differ by 3, more than the relative tolerance 0.01")


def test_a_boolean_is_not_the_number_one():
    assert outcome("number", 1, True) == "unreadable"
    assert outcome("number", True, 1) == "unreadable"


@settings(max_examples=50, deadline=None)
@given(
    locale=st.sampled_from(LOCALES),
    thousandths=st.integers(-(10**12), 10**12),
    digits=st.sampled_from(["latn", "default"]),
)
def test_what_babel_writes_is_read_back(locale: str, thousandths: int, digits: str):
    number = Decimal(thousandths).scaleb(-3)
    written = format_decimal(number, locale=locale, numbering_system=digits)
    assert outcome("number", str(number), written, locale=locale) == "correct"
    share = format_percent(number, locale=locale, decimal_quantization=False)
    assert outcome("percent", str(number * 100), share, locale=locale) == "correct"


@settings(max_examples=50, deadline=None)
@given(
    text=st.text(alphabet="0123456789.,' -+()eE%€٫٣", max_size=14), locale=st.sampled_from(LOCALES)
)
def test_no_digit_is_ever_lost(text: str, locale: str):
    """Whatever is read holds all digits of the text, in their order, and nothing else."""
    got = compared("number", "1", text, locale=locale)
    if got.outcome.value in ("missed", "unreadable") or "e" in text.lower():
        return
    digits = "".join(str(int(char)) for char in text if char.isdecimal())
    assert got.got is not None
    assert digits.strip("0").startswith(got.got.replace(".", "").strip("-0"))

"""What a text's numbers are, however they are written."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.judge.numerals import readings, word_value
from evals_pipeline.judge.quantities import read_quantities
from evals_pipeline.judge.quantity import Bound, QuantityKind

SMALL = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number):
    """A whole number below a billion in English words."""
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joint = " and " if size == 100 and rest else " "
            return f"{spelled(number // size)} {name}{joint}{spelled(rest) if rest else ''}".strip()
    if number < 20:
        return SMALL[number]
    return TENS[number // 10] + (f"-{SMALL[number % 10]}" if number % 10 else "")


def only(text):
    [quantity] = read_quantities(text)
    return quantity


@given(number=st.integers(2, 10**9 - 1))
@settings(max_examples=50, deadline=None)
def test_number_words_state_what_the_digits_state(number):
    assert word_value(spelled(number)) == number
    assert only(f"They hold {spelled(number)} shares.").values == (number,)


@given(number=st.integers(1000, 10**9), decimals=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_every_grouping_states_the_same_number(number, decimals):
    value = number + Fraction(decimals, 100)
    english = f"{number:,}.{decimals:02}"
    for written in (
        english,
        english.replace(",", " "),
        english.replace(",", "'"),
        english.translate(str.maketrans(",.", ".,")),
        english.replace(",", "\u202f").replace(".", ","),
    ):
        assert only(f"Owed: {written} in all.").values == (value,)


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("1,250", ["1250"]),
        ("1.250", ["5/4", "1250"]),
        ("0.250", ["1/4"]),
        ("1,25", ["5/4"]),
        ("1,23,456.00", ["123456"]),
        ("1.234.567", ["1234567"]),
        ("1.2.3", []),
        ("1,234.5,6", []),
        (".5", ["1/2"]),
    ],
)
def test_marks_group_or_part_as_their_places_say(digits, expected):
    assert [str(value) for value in readings(digits)] == expected


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("-5 °C", -5, "celsius"),
        ("US$-5", -5, "USD"),
        ("$5m", 5_000_000, "dollar"),
        ("5m", 5, "length"),
        ("£3bn", 3 * 10**9, "GBP"),
        ("12 per cent", 12, "percent"),
        ("25 basis points", 25, "points"),
        ("half a million dollars", 500_000, "dollar"),
        ("3 Millionen Euro", 3_000_000, "EUR"),
        ("two-thirds", Fraction(2, 3), None),
        ("1 1/2", Fraction(3, 2), None),
        ("2½", Fraction(5, 2), None),
        ("nineteen ninety-nine", 1999, None),
        ("a dozen", 12, None),
        ("3万", 30_000, None),
    ],
)
def test_signs_scales_and_units(text, value, dimension):
    quantity = only(text)
    assert (quantity.values[0], quantity.dimension) == (value, dimension)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        "5 March 2024",
        "March 5th, 2024",
        "5. März 2024",
        "5 mars 2024",
        "5 de marzo de 2024",
        "2024年3月5日",
    ],
)
def test_a_date_in_any_words(text):
    assert only(text).dates == ((2024, 3, 5),)


def test_a_slashed_date_keeps_both_orders_where_both_exist():
    assert only("05/03/2024").dates == ((2024, 3, 5), (2024, 5, 3))
    assert only("25/03/2024").dates == ((2024, 3, 25),)


def test_a_range_is_two_numbers_and_no_minus():
    assert [q.values[0] for q in read_quantities("GDR (1948-1950)")] == [1948, 1950]


@pytest.mark.parametrize("text", ["no one came", "you may go", "it marches on", "a place", "I am"])
def test_words_that_only_look_like_numbers(text):
    assert read_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("more than 5", Bound.OVER),
        ("no more than 5", Bound.UNDER),
        ("at least $5", Bound.OVER),
        ("about 500", Bound.ABOUT),
        ("the 5", None),
    ],
)
def test_the_words_before_a_number_bound_it(text, bound):
    assert only(text).bound is bound


def test_a_code_is_its_text_and_a_time_its_minutes():
    assert (only("A320").kind, only("A320").code) == (QuantityKind.CODE, "a320")
    assert only("5:30 pm").values == (17 * 60 + 30,)
    assert only("5:30").values == (5 * 60 + 30, 17 * 60 + 30)


def test_the_words_around_a_quantity_are_kept():
    quantity = only("The fund holds 12 old shares.")
    assert (quantity.before, quantity.after, quantity.text) == ("holds", "old", "12")


def test_a_numeral_of_thousands_of_digits_is_no_number():
    assert only("9" * 5000).kind is QuantityKind.CODE

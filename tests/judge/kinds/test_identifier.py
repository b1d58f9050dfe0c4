"""Identifiers: loose on punctuation, strict on characters."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import ScalarKindContract


class TestIdentifierKind(ScalarKindContract):
    kind = "identifier"
    readable = ["PO-4471/b", 4471, Decimal("44.71"), "ЖД-12", "٤٤٧١"]
    unreadable = ["---", True, 4471.0, [1], {"id": 1}]


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ("PO-4471", "po 4471"),
        ("PO-4471", "PO\u200b-4471"),
        ("PO-4471", "PO\u00ad4471"),
        ("PO-4471", "ＰＯ－４４７１"),
        ("44-710023", "44710023"),
        ("DE44 5001 0517 5407 3249 31", "DE44500105175407324931"),
        ("4471", 4471),
        ("44.10", Decimal("44.10")),
        ("٤٤٧١", "4471"),
        ("жд-12", "ЖД12"),
        ("---", "---"),
    ],
)
def test_punctuation_and_case_make_no_difference(want: str, got: Any):
    assert outcome("identifier", want, got) == "correct"


@pytest.mark.parametrize(
    ("want", "got"),
    [("004471", "4471"), ("44.10", "44.1"), ("PO-44O1", "PO-4401"), ("PO-1", "PO-I"), ("A²", "A2")],
)
def test_a_character_does(want: str, got: str):
    assert outcome("identifier", want, got) == "wrong"


def test_it_never_goes_through_a_number():
    assert outcome("identifier", "44.1", Decimal("44.10")) == "wrong"
    assert outcome("identifier", "4471", 4471.0) == "unreadable"
    assert outcome("identifier", "44710", 4471.0) == "unreadable"


def test_look_alikes_are_named():
    assert "look-alike" in compared("identifier", "PO-44O1", "PO-4401").trace[-1]
    assert "look-alike" in compared("identifier", "АB1", "AB1").trace[-1]
    assert "leading zeros" in compared("identifier", "004471", "4471").trace[-1]


@settings(max_examples=50, deadline=None)
@given(parts=st.lists(st.text("ABCXYZ0123456789", min_size=1, max_size=5), min_size=1, max_size=5))
def test_separators_never_matter(parts: list[str]):
    assert outcome("identifier", "-".join(parts), " / ".join(parts).lower()) == "correct"
    assert outcome("identifier", "-".join(parts), "".join(parts) + "7") == "wrong"

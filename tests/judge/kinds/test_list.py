"""Lists: as a set with counts, or in order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.records import FieldSpec
from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import KindContract

DATES = FieldSpec(name="item", kind="date")
NAMES = FieldSpec(name="item", kind="text", threshold=0.8)


class TestListKind(KindContract):
    kind = "list"
    readable = [["b", "a"], "lone", ["x", None], [1]]
    unreadable = [{"a": 1}]


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        (["a", "b"], ["B", "a"], "correct"),
        (["a", "b"], ["a"], "wrong"),
        (["a"], ["a", "a"], "wrong"),
        (["a", None], ["a", " "], "correct"),
        (["a"], "A", "correct"),
        (["a"], [], "missed"),
        (None, [], "correct_null"),
        ([], None, "correct_null"),
        ([], [], "correct_null"),
        (None, ["a"], "invented"),
        (["a"], {"a": 1}, "unreadable"),
    ],
)
def test_in_any_order(want: Any, got: Any, expected: str):
    assert outcome("list", want, got) == expected


def test_in_order_where_it_counts():
    assert outcome("list", ["a", "b"], ["b", "a"], ordered=True) == "wrong"
    assert outcome("list", ["a", "b"], ["A", "B"], ordered=True) == "correct"
    found = compared("list", ["a", "b", "c"], ["a", "c"], ordered=True)
    assert [(cell.row, cell.outcome.value) for cell in found.cells] == [
        (0, "correct"),
        (1, "wrong"),
        (2, "missed"),
    ]


def test_items_are_read_by_their_kind():
    got = ["9.7.2026", "10.07.2026"]
    assert (
        outcome("list", ["2026-07-10", "2026-07-09"], got, item=DATES, locale="de_DE") == "correct"
    )


def test_similar_items_find_their_counterpart():
    want, got = ["Harbour Office", "Harbor Offices"], ["Harbor Ofices", "Harbour Offce"]
    assert outcome("list", want, got, item=NAMES) == "correct"


def test_an_unreadable_item_makes_the_list_wrong_and_is_named():
    found = compared("list", ["2026-07-09"], ["soon"], item=DATES)
    assert found.outcome.value == "wrong"
    assert any("soon" in line for line in found.trace)


@settings(max_examples=30, deadline=None)
@given(
    items=st.lists(st.sampled_from(["ab", "abc", "abd", "x", ""]), max_size=7), seed=st.randoms()
)
def test_shuffling_changes_nothing(items: list[str], seed: Any):
    shuffled = list(items)
    seed.shuffle(shuffled)
    assert compared("list", items, shuffled, item=NAMES).outcome.is_correct
    other = ["abc", *items[1:]]
    there = compared("list", other, items, item=NAMES)
    again = compared("list", other, shuffled, item=NAMES)
    assert there.outcome == again.outcome
    assert sorted(c.outcome.value for c in there.cells) == sorted(
        c.outcome.value for c in again.cells
    )

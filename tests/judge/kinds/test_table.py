"""Tables: rows paired by their keys, cells judged one by one."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.records import FieldSpec
from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import KindContract

COLUMNS = (
    FieldSpec(name="what", kind="text", threshold=0.8),
    FieldSpec(name="n", kind="number"),
    FieldSpec(name="amount", kind="money"),
)
LINES: dict[str, Any] = {"columns": COLUMNS, "key": ("what",), "locale": "de_DE"}

WANT: list[Any] = [
    {"what": "Rope, 20 m", "n": 2, "amount": "31.00"},
    {"what": "Anchor", "n": 1, "amount": "1240.50"},
    {"what": "Freight", "n": None, "amount": "15.00"},
]
GOT: list[Any] = [
    {"what": "freight", "amount": "15,00 €"},
    {"what": "Rope 20 m", "n": "2", "amount": "31"},
    {"what": "ANCHOR", "n": 1.0, "amount": "1.240,50"},
]


class TestTableKind(KindContract):
    kind = "table"
    settings = {"columns": COLUMNS, "key": ("what",)}
    readable = [GOT, GOT[0], [*GOT, {}], [{"what": "Anchor", "colour": "red"}]]
    unreadable = ["Anchor", [1], [["Anchor"]], 5]


def test_rows_find_one_another_in_any_order_and_notation():
    assert outcome("table", WANT, GOT, **LINES) == "correct"


def test_the_parent_is_never_green_over_a_red_cell():
    got = [{**GOT[0], "amount": "15,01"}, *GOT[1:]]
    found = compared("table", WANT, got, **LINES)
    assert found.outcome.value == "wrong"
    assert Counter(cell.outcome.value for cell in found.cells) == {
        "correct": 7,
        "correct_null": 1,
        "wrong": 1,
    }
    assert "row 3, amount: wrong, want 15.00, got 15.01: they differ by 0.01" in found.trace


def test_a_wrong_amount_does_not_move_a_row():
    want = [{"what": "Rope", "amount": "1"}, {"what": "Sail", "amount": "2"}]
    got = [{"what": "Sail", "amount": "1"}, {"what": "Rope", "amount": "2"}]
    found = compared("table", want, got, **LINES)
    assert [(c.row, c.column) for c in found.cells if not c.outcome.is_correct] == [
        (0, "amount"),
        (1, "amount"),
    ]


def test_equal_keys_are_told_apart_by_the_other_columns():
    want = [{"what": "Rope", "n": 1, "amount": "5"}, {"what": "Rope", "n": 2, "amount": "9"}]
    got = [{"what": "Rope", "n": 2, "amount": "9,10"}, {"what": "Rope", "n": 1, "amount": "5,10"}]
    found = compared("table", want, got, **LINES)
    assert {c.column for c in found.cells if not c.outcome.is_correct} == {"amount"}


def test_rows_that_have_no_counterpart_are_missed_and_invented():
    want = [{"what": "Rope", "amount": "1"}, {"what": "Pump", "amount": "2"}]
    got = [{"what": "Rope", "amount": "1"}, {"what": "Sundries", "amount": "2"}]
    found = compared("table", want, got, **LINES)
    assert Counter((c.row, c.outcome.value) for c in found.cells) == {
        (0, "correct"): 2,
        (0, "correct_null"): 1,
        (1, "missed"): 2,
        (None, "invented"): 2,
    }


def test_a_key_column_that_is_blank_in_both_rows_does_not_make_them_the_same():
    # "pump" and "sundries" share "u": 0.9 x 2 x 1 / (4 + 8) = 0.15, and "berth" says nothing.
    columns = (*COLUMNS, FieldSpec(name="berth", kind="text"))
    table: dict[str, Any] = {"columns": columns, "key": ("what", "berth")}
    want = [{"what": "Pump", "berth": None, "amount": "2"}]
    got = [{"what": "Sundries", "berth": "", "amount": "7"}]
    found = compared("table", want, got, **table)
    assert Counter((c.row, c.outcome.value) for c in found.cells) == {
        (0, "missed"): 2,
        (None, "invented"): 2,
    }
    # Without any key at all two rows can only be told apart by the rest.
    keyless: list[Any] = [{"berth": "", "amount": "2"}, {"berth": "", "amount": "7"}]
    found = compared("table", keyless, [keyless[1], {"amount": "3"}], **table)
    assert [(c.row, c.column) for c in found.cells if not c.outcome.is_correct] == [(0, "amount")]


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        (WANT, [*WANT, WANT[0]], "wrong"),
        (WANT, WANT[:2], "wrong"),
        (WANT, [*WANT, {}, {"what": None}], "correct"),
        (WANT[:1], WANT[0], "correct"),
        (WANT, [], "missed"),
        (None, [], "correct_null"),
        ([], None, "correct_null"),
        (None, WANT, "invented"),
        (WANT, "Rope", "unreadable"),
        ([{"what": "Rope"}], [{"what": "Rope", "n": None, "colour": "red"}], "correct"),
        ([{"what": "Rope", "n": 1}], [{"what": "Rope", "n": True}], "wrong"),
    ],
)
def test_what_counts_as_a_row(want: Any, got: Any, expected: str):
    assert outcome("table", want, got, **LINES) == expected


def test_without_a_key_all_columns_are_the_key():
    columns = {"columns": COLUMNS, "locale": "de_DE"}
    assert outcome("table", WANT, GOT, **columns) == "correct"
    found = compared("table", WANT, [*GOT[:2], {**GOT[2], "n": 3}], **columns)
    assert [c.column for c in found.cells if not c.outcome.is_correct] == ["n"]


def test_huge_tables_stay_bounded_and_say_so():
    def rows(n: int, amount: str, *, is_keyed: bool) -> list[Any]:
        return [
            {"what": f"Part {i if is_keyed else i * 7919 + n}", "amount": amount} for i in range(n)
        ]

    keyed = compared(
        "table", rows(900, "1", is_keyed=True), rows(901, "2", is_keyed=True)[::-1], **LINES
    )
    wrong = Counter(c.outcome.value for c in keyed.cells if not c.outcome.is_correct)
    assert wrong == {"wrong": 900, "invented": 2}
    unkeyed = compared(
        "table", rows(600, "1", is_keyed=False), rows(601, "2", is_keyed=False), **LINES
    )
    assert "too many rows" in unkeyed.trace[-1]


def test_a_long_list_of_wrong_cells_is_counted():
    want = [{"what": f"Part {i}", "amount": "1"} for i in range(90)]
    got = [{"what": f"Part {i}", "amount": "2"} for i in range(90)]
    assert "and 50 more" in compared("table", want, got, **LINES).trace


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "what": st.sampled_from(["Rope", "Ropes", "Sail", "Pump", None]),
                "n": st.sampled_from([1, 2, None]),
                "amount": st.sampled_from(["1", "2.50", "x", None]),
            }
        ),
        max_size=6,
    ),
    seed=st.randoms(),
)
def test_shuffling_changes_nothing(rows: list[Any], seed: Any):
    shuffled = list(rows)
    seed.shuffle(shuffled)
    assert compared("table", rows, shuffled, **LINES).outcome.is_correct
    there, again = (
        compared("table", WANT, rows, **LINES),
        compared("table", WANT, shuffled, **LINES),
    )
    assert there.outcome == again.outcome
    assert there.answer == again.answer
    assert Counter(c.outcome for c in there.cells) == Counter(c.outcome for c in again.cells)

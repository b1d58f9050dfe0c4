import json

import pytest

from evals_pipeline.report.numbers import miss_lines
from evals_pipeline.report.table_rows import differing_cells, laid_over
from tests.report.examples import miss


def test_rows_of_tables_are_paired_by_what_they_share() -> None:
    want = '[{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]'
    table = laid_over(want, '[{"a": "2", "b": "z"}, {"a": "9", "b": "q"}]')
    assert table is not None
    assert table.columns == ("a", "b")
    assert [(row.want, row.got) for row in table.rows] == [
        (("1", "x"), None),
        (("2", "y"), ("2", "z")),
        (None, ("9", "q")),
    ]


@pytest.mark.parametrize("other", ["no table", "[1, 2]", '[{"a": ', "[]x", '{"a": 1}'])
def test_what_is_no_table_is_left_as_text(other) -> None:
    assert laid_over('[{"a": "1"}]', other) is None


def test_a_table_beside_nothing_is_all_missing() -> None:
    table = laid_over('[{"a": "1"}]', None)
    assert table is not None
    assert table.rows[0].got is None
    assert laid_over(None, None) is None


def test_cells_that_differ_are_named_with_their_row() -> None:
    want = '[{"a": "1", "b": "x"}, {"a": "2", "b": "y"}, {"a": "3", "b": "z"}]'
    got = '[{"a": "1", "b": "x"}, {"a": "2"}, {"a": "9", "b": "q"}]'
    table = laid_over(want, got)
    assert table is not None
    assert list(differing_cells(table)) == [
        ("row 2 b", "y", "null"),
        ("row 3", "3, z", "no row"),
        ("extra row", "no row", "9, q"),
    ]


def test_a_miss_of_a_long_table_shows_where_it_differs() -> None:
    rows = [{"amount": f"{n}.00 GBP", "what": f"item {n}"} for n in range(20)]
    other = [*rows[:12], {"amount": "7.00 GBP", "what": "item 12"}, *rows[13:19]]
    want, got = json.dumps(rows), json.dumps(other)
    (line,) = miss_lines([miss("acme-01", want, got)])
    assert (line.want, line.got) == ("row 13 amount: 12.00 GBP", "7.00 GBP")
    assert line.remark == "and 1 more cell, run 0"
    (short,) = miss_lines([miss("acme-01", '[{"a": "1"}]', '[{"a": "2"}]')])
    assert short.want == '[{"a": "1"}]'

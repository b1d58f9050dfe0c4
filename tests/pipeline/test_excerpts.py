"""Lines around a place: the marked characters are always the value's own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.judge.places import Place
from evals_pipeline.pipeline.excerpts import excerpts
from evals_pipeline.report.html.page import Side

INVOICE = """ACME Ltd                                                     Invoice no.   A-1
Mill Lane                                                    Date          17 March 2026
Dunmere                                                      Due           16 April 2026

Thank you for your order.
"""


def place_of(text: str, value: str) -> Place:
    start = text.index(value)
    return Place(start, start + len(value))


def marked(found) -> list[tuple[str, str]]:
    return [
        (one.text[mark.start : mark.end], mark.side.value) for one in found for mark in one.marks
    ]


def test_columns_are_cut_to_where_the_mark_stands() -> None:
    (found,) = excerpts(INVOICE, [(place_of(INVOICE, "17 March 2026"), Side.GOT)])
    assert marked([found]) == [("17 March 2026", "got")]
    assert found.line == 1
    assert found.text.splitlines() == [
        "…Invoice no.   A-1",
        "…Date          17 March 2026",
        "…Due           16 April 2026",
    ]


def test_two_places_close_by_share_an_excerpt_and_far_ones_do_not() -> None:
    near = [
        (place_of(INVOICE, "17 March 2026"), Side.GOT),
        (place_of(INVOICE, "16 April 2026"), Side.WANT),
    ]
    (found,) = excerpts(INVOICE, near)
    assert marked([found]) == [("17 March 2026", "got"), ("16 April 2026", "want")]
    far = [(place_of(INVOICE, "A-1"), Side.GOT), (place_of(INVOICE, "order"), Side.WANT)]
    assert [one.line for one in excerpts(INVOICE, far)] == [1, 5]


def test_of_a_line_without_end_only_the_surroundings_are_shown() -> None:
    text = f"first\n{'x' * 5_000} needle {'y' * 5_000}\nlast"
    (found,) = excerpts(text, [(place_of(text, "needle"), Side.BOTH)])
    assert marked([found]) == [("needle", "both")]
    assert len(found.text) < 200
    assert found.line == 2


@pytest.mark.parametrize("text", ["value", "\n\nvalue\n", "value\n", "a\nvalue"])
def test_at_the_edges_of_a_text(text) -> None:
    assert marked(excerpts(text, [(place_of(text, "value"), Side.WANT)])) == [("value", "want")]


LINES = st.lists(st.text(st.sampled_from("ab 1"), max_size=90), min_size=1, max_size=6)


@settings(max_examples=50)
@given(LINES, LINES, st.sampled_from(["NEEDLE", "N 12.05"]))
def test_what_is_marked_is_the_value(before, after, value) -> None:
    text = "\n".join(before) + value + "\n".join(after)
    start = len("\n".join(before))
    found = excerpts(text, [(Place(start, start + len(value)), Side.WANT)])
    assert marked(found) == [(value, "want")]
    shown = found[0]
    line = text.split("\n")[shown.line - 1 + shown.text[: shown.marks[0].start].count("\n")]
    assert value in line

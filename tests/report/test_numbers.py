from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.report.numbers import (
    Remark,
    delta_text,
    document_text,
    miss_lines,
    money_text,
    remark_lines,
    share_text,
    value_text,
)
from tests.report.examples import miss


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        (None, "n/a"),
        (Fraction(0), "+0.000"),
        (Fraction(7, 100), "+0.070"),
        (Fraction(-1, 3), "-0.333"),
        (Fraction(-1, 4000), "-0.0003"),
        (Fraction(1, 10**9), "+0.000000"),
    ],
)
def test_a_delta_shows_its_sign_and_as_many_places_as_it_needs(
    delta: Fraction | None, text: str
) -> None:
    assert delta_text(delta) == text


def test_unmeasured_is_neither_zero_nor_free() -> None:
    assert share_text(None) == "n/a"
    assert money_text(None) == "unknown"
    assert money_text(Decimal("0.4125")) == "0.412 USD"


def test_a_document_is_named_by_hash_and_name() -> None:
    assert document_text("0a3f1c" + "0" * 58, "acme-2026-03") == "0a3f1c acme-2026-03"
    assert document_text("0a3f1c" + "0" * 58, "0a3f1c" + "0" * 58) == "0a3f1c"
    assert document_text("case-001", "") == "case-001"


def test_absence_and_the_word_for_it_look_different() -> None:
    assert value_text(None) == "null"
    assert value_text("null") == '"null"'


def test_equal_misses_of_several_runs_are_one_line() -> None:
    same = [replace(miss(), run_index=run) for run in (0, 1, 2)]
    other = replace(miss(got="3"), run_index=4)
    first, second = miss_lines([*same, other])
    assert (first.got, first.remark) == ("2", "runs 0-2")
    assert (second.got, second.remark) == ("3", "run 4")


def test_what_kind_of_miss_it_is_stands_beside_it() -> None:
    invented = replace(miss(want=None), outcome=FieldOutcome.INVENTED)
    failed = replace(miss(got=None), outcome=FieldOutcome.ERROR)
    assert miss_lines([invented])[0].remark == "invented, run 0"
    assert miss_lines([failed])[0].got == "no extraction"


def test_runs_of_which_the_same_is_said_are_one_line_and_nothing_is_lost() -> None:
    said = [("coin-1", 0, "a"), ("coin-1", 1, "a"), ("coin-1", 0, "b"), ("coin-2", 0, "a")]
    remarks = [Remark(case_id=case, run_index=run, text=text) for case, run, text in said]
    assert remark_lines([*remarks, remarks[2]]) == [
        "coin-1, runs 0, 1: a",
        "coin-1, run 0 (2 times): b",
        "coin-2, run 0: a",
    ]

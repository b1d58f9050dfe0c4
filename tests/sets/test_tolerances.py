from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from evals_pipeline.core.records import Tolerance
from evals_pipeline.sets.tolerances import read_tolerance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 docs", Tolerance(documents=3)),
        ("1 doc", Tolerance(documents=1)),
        ("0docs", Tolerance(documents=0)),
        ("2 documents", Tolerance(documents=2)),
        ("0", Tolerance(fraction=Fraction(0))),
        ("0.05", Tolerance(fraction=Fraction(1, 20))),
        (".5", Tolerance(fraction=Fraction(1, 2))),
        ("2e-2", Tolerance(fraction=Fraction(1, 50))),
        (Decimal("0.1"), Tolerance(fraction=Fraction(1, 10))),
    ],
)
def test_counts_and_fractions_are_exact(text: object, expected: Tolerance):
    assert read_tolerance(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", None, True, "-1 docs", "-0.1", "nan", "inf", "1", "1.0", "2", "5%", "docs", "1.5 docs"],
)
def test_anything_else_is_refused(text: object):
    with pytest.raises(PydanticCustomError, match="cannot be read as a tolerance"):
        read_tolerance(text)


@settings(max_examples=50)
@given(st.integers(0, 999_999))
def test_a_decimal_is_never_rounded(millionths: int):
    found = read_tolerance(f"0.{millionths:06}")
    assert found == Tolerance(fraction=Fraction(millionths, 1_000_000))

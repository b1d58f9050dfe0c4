from decimal import Decimal

import pytest

from evals_pipeline.core.confidence import read_confidence


@pytest.mark.parametrize("raw", [0, 1, 0.0, Decimal("0.35"), 0.999])
def test_numbers_within_zero_and_one_are_confidences(raw: float):
    assert read_confidence(raw, is_present=True) == (float(raw), None)


@pytest.mark.parametrize(
    ("raw", "flag"),
    [
        ("Medium", 'not a number: "Medium"'),
        ("0.4", 'not a number: "0.4"'),
        (True, "not a number: true"),
        ([0.4], "not a number: [0.4]"),
        (float("nan"), "not a number: NaN"),
        (Decimal("NaN"), "not a number: NaN"),
        (Decimal("1.01"), "outside [0, 1]: 1.01"),
        (-1, "outside [0, 1]: -1"),
        (95, "outside [0, 1]: 95"),
        (float("inf"), "outside [0, 1]: inf"),
        (None, "null"),
    ],
)
def test_anything_else_is_flagged(raw: object, flag: str):
    assert read_confidence(raw, is_present=True) == (None, flag)


def test_an_absent_key_is_absent():
    assert read_confidence(None, is_present=False) == (None, "absent")

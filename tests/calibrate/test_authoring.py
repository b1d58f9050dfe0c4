"""The authoring contract of calibration suites."""

from pathlib import Path

import pytest

from evals_pipeline.calibrate.authoring import authoring_faults, header_of
from evals_pipeline.core.outcomes import UncertaintyNature
from evals_pipeline.core.records import Fixture, GoldClaim, Suite, SuiteCase

HEADER = "# A population for a parser.\n# The mint marks are left out of the gold on purpose.\n"
BODY = """suite_id: coins-cal-001
cases:
  - case_id: coin-1
    expected:
      - content: "It is of silver."
        confidence_min: {floor}
"""


def suite(floor: float) -> Suite:
    fixture = Fixture(
        fixture_id="coin-1", name="coin-1", sha256="0" * 64, source_type="COIN", media_type="x/y"
    )
    claim = GoldClaim(
        content="It is of silver.",
        confidence_min=floor,
        uncertainty_nature=UncertaintyNature.EPISTEMIC,
    )
    return Suite(
        suite_id="coins-cal-001",
        name="Coins",
        version="1",
        domain="coins",
        source_types=("COIN",),
        cases=(
            SuiteCase(
                case_id="coin-1", fixture=fixture, expected=(claim,), declares_source_type=True
            ),
        ),
        path=Path("suites/calibration/coins.yaml"),
        digest="0",
        is_calibration=True,
    )


def faults(text: str, *, floor: float = 0.0, is_deterministic: bool = True):
    written = text.format(floor=floor)
    return authoring_faults(suite(floor), written, is_deterministic=is_deterministic)


def test_a_suite_that_keeps_the_contract_has_no_fault():
    assert faults(HEADER + BODY) == []


def test_a_floor_is_a_fault_with_its_line():
    [found] = faults(HEADER + BODY, floor=0.4)
    assert (found.where, found.line) == ("coins.yaml", 8)
    assert "cases[0].expected[0].confidence_min" in found.problem
    assert "got 0.4" in found.problem
    assert "0.0" in found.remedy


def test_a_parser_s_suite_has_to_say_what_it_leaves_out():
    [found] = faults("# A population for a parser.\n" + BODY)
    assert "does not say which claims the gold leaves out" in found.problem
    assert [found] == faults(BODY + "# the legends are left out\n")  # no header, a comment below


def test_a_model_s_suite_names_everything_and_says_nothing_of_omissions():
    assert faults("# Two texts.\n" + BODY, is_deterministic=False) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The gold is deliberately partial.",
        "Legends are deliberately UNNAMED.",
        "It leaves out the mint.",
        "This file does not name the third emission.",
        "One emission is omitted.",
    ],
)
def test_many_wordings_say_that_something_is_left_out(sentence):
    assert faults(f"# {sentence}\n" + BODY) == []


def test_the_header_ends_at_the_first_key():
    assert header_of("\ufeff# a\n\n#b\nkey: 1\n# c\n") == "a b"

"""Fits and review thresholds of a golden set's fields, over judged runs."""

import json

import pytest

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.pipeline.calibration import fit_calibration
from evals_pipeline.pipeline.field_reviews import field_reviews
from tests.defs.bills import DUE, NUMBERS
from tests.pipeline.tellers import STAMP


@pytest.fixture
def stated(bills, opened, run):
    """``steady`` states 0.9 for numbers and 0.6 for days, of which one is wrong."""
    lines = [
        json.dumps(
            {
                "fixture": f"bill-{number}",
                "run_index": run_index,
                "fields": {
                    "number": {"value": number, "confidence": 0.9},
                    "due": {
                        "value": "2026-06-01" if number == "A-2" else DUE,
                        "confidence": "High" if number == "A-3" else 0.6,
                    },
                },
            }
        )
        for run_index in range(2)
        for number in NUMBERS
    ]
    bills.write("golden/bills/steady.jsonl", "\n".join(lines))
    project = opened()
    run(project, "steady")
    return project


def test_every_field_has_its_threshold_and_all_of_them_come_last(stated):
    number, due, everything = field_reviews(stated, "bills", "steady", wanted=0.9)
    assert (number.field, due.field, everything.field) == ("number", "due", None)
    assert number.calibration.n == 6
    assert number.calibration.ece == pytest.approx(0.1)
    assert (number.threshold.threshold, number.threshold.review_share) == (0.9, 0.0)
    # Of the due dates two of six state "High" and go to review; two of the other four are wrong.
    assert (due.calibration.n, due.calibration.n_left_out) == (4, 2)
    assert due.calibration.ece == pytest.approx(0.1)
    assert (due.threshold.threshold, due.threshold.review_share) == (None, 1.0)
    # Of all twelve the six at 0.9 hold the precision, and 0.6 does not.
    assert (everything.threshold.threshold, everything.threshold.review_share) == (0.9, 0.5)


def test_a_lower_precision_lets_more_values_pass(stated):
    due = field_reviews(stated, "bills", "steady", wanted=0.5)[1]
    assert (due.threshold.threshold, due.threshold.n_accepted, due.threshold.n_correct) == (
        0.6,
        4,
        2,
    )


def test_without_a_judged_run_there_is_nothing_to_review(bills, opened):
    with pytest.raises(RefusedError, match="evals run bills --model hasty"):
        field_reviews(opened(), "bills", "hasty")


def test_a_golden_set_is_halved_by_document(stated, bills):
    found = fit_calibration(stated, "bills", "steady", stamp=STAMP, save=False)
    halves = [int(bills.document(number).stem[:8], 16) % 2 for number in NUMBERS]
    assert {0, 1} == set(halves)
    n_fitted = halves.count(0)
    assert f"fitted on {n_fitted} documents and checked on {3 - n_fitted} others" in found.notes[0]
    assert found.n_pairs + found.heldout_n == 10
    assert found.refusal_code is not None  # three documents are too few for any fit


def test_answers_without_confidences_give_no_pairs(bills, opened, run):
    project = opened()
    run(project, "hasty")
    found = fit_calibration(project, "bills", "hasty", stamp=STAMP)
    assert found.refusal_code == "no_pairs"
    wanted = "The answers have to state a confidence beside each value: ask for it in the prompt."
    assert found.remedy == wanted

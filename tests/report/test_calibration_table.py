"""Fits, review thresholds and reliability diagrams as people and tools read them."""

import json

import pytest

from evals_pipeline.calibrate.review import review_threshold
from evals_pipeline.core import strict_json
from evals_pipeline.core.figures import ConfidencePair, FieldReview
from evals_pipeline.report.calibration_table import (
    fit_json,
    fit_table,
    review_json,
    review_table,
)
from evals_pipeline.report.reliability import BAR, reliability_text
from evals_pipeline.report.terminal import as_text
from evals_pipeline.score.calibration import calibration_figures
from tests.calibrate.populations import fit, labels, pairs
from tests.report.expected import assert_as_accepted

OVERSURE = {0.95: labels(30, 10), 0.8: labels(12, 8), 0.6: labels(5, 5)}
ALIKE = {0.95: labels(15, 5), 0.8: labels(6, 4)}
APT = {0.95: labels(38, 2), 0.8: labels(16, 4)}


def review(field, picture, n_left_out=0, wanted=0.95):
    found = pairs(picture)
    return FieldReview(
        field=field,
        calibration=calibration_figures(found, n_left_out=n_left_out),
        threshold=review_threshold(found, wanted=wanted, n_left_out=n_left_out),
    )


REVIEWS = (
    review("invoice_number", {0.9: labels(196, 4)}),
    review("due_date", {0.9: labels(19, 1), 0.6: labels(4, 6)}, n_left_out=10),
    review("supplier", {0.7: labels(3, 3)}),
    review("iban", {}, n_left_out=4),
    review(None, {0.9: labels(215, 5), 0.7: labels(3, 3), 0.6: labels(4, 6)}, n_left_out=14),
)


def test_the_report_on_fits_is_the_accepted_one():
    fits = [
        fit(OVERSURE, ALIKE, notes=("2 of 2 passes pooled",)),
        fit(OVERSURE, APT),
        fit({0.9: labels(5, 5)}),
    ]
    text = "\n".join(as_text(fit_table(one), width=100) for one in fits)
    text += as_text(review_table(REVIEWS), width=110)
    text += reliability_text(REVIEWS[-1].calibration)
    assert_as_accepted(text, "calibration.txt")


def test_a_fit_as_json_says_what_the_table_says():
    found = fit(OVERSURE, APT)
    value = json.loads(strict_json.dumps(fit_json(found)))
    assert value["accepted"] is False
    assert value["refusal"]["code"] == "heldout_regression"
    assert value["refusal"]["remedy"]
    assert value["pairs"] == {
        "n": 70,
        "movable": 70,
        "correct": 47,
        "left_out": 0,
        "sources": ["fit-001"],
    }
    assert value["calibration_error"]["before"] == pytest.approx(13 / 70)
    assert value["heldout"]["before"] == pytest.approx(0)
    accepted = json.loads(strict_json.dumps(fit_json(fit(OVERSURE, ALIKE))))
    assert accepted["refusal"] is None
    assert accepted["parameters"]["temperature"] > 1


def test_review_thresholds_as_json_keep_their_counts():
    rows = json.loads(strict_json.dumps(review_json(REVIEWS)))
    assert [row["field"] for row in rows] == [
        "invoice_number",
        "due_date",
        "supplier",
        "iban",
        None,
    ]
    due = rows[1]["review"]
    assert (due["threshold"], due["accepted"], due["correct"], due["n"]) == (0.9, 20, 19, 40)
    assert due["review_share"] == 0.5
    assert rows[2]["review"]["threshold"] is None
    assert rows[2]["review"]["reason"]
    assert rows[3]["ece"] is None
    assert sum(inside["n"] for inside in rows[0]["bins"]) == 200


# --- reliability --------------------------------------------------------------------------------


def figures(picture, n_left_out=0):
    return calibration_figures(pairs(picture), n_left_out=n_left_out)


def test_the_diagram_shows_every_bin_with_its_count():
    lines = reliability_text(figures({0.95: "1110", 0.4: "10"}, n_left_out=2)).splitlines()
    assert len(lines) == 12
    top, bottom = lines[1], lines[10]
    assert top.split()[:4] == ["0.9-1.0", "4", "0.95", "0.75"]
    assert bottom.split() == ["0.0-0.1", "0", "n/a", "n/a"]
    bar = top.split()[4]
    assert (len(bar), bar.count("#"), bar.index("|")) == (BAR, 30, 38)
    assert lines[6].split()[:3] == ["0.4-0.5", "2", "0.40"]
    assert lines[11].startswith("n 6, 2 without a usable confidence; calibration error")


def test_nothing_to_show_says_so_and_draws_no_zero():
    text = reliability_text(figures({}, n_left_out=3))
    assert "none of 3 states a usable confidence" in text
    assert "0.000" not in text


def test_pairs_at_both_ends_stay_in_the_picture():
    text = reliability_text(figures({1.0: "1", 0.0: "0"}))
    bars = [line.split()[4] for line in text.splitlines()[1:11] if line.endswith(("#", "-", "|"))]
    assert all(len(bar) == BAR for bar in bars)
    assert len(bars) == 2
    assert (
        calibration_figures([ConfidencePair(confidence=1.0, is_correct=True)], n_left_out=0).ece
        == 0
    )

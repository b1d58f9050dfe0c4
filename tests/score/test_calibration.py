"""Stated confidence against being right."""

import math
import random
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from evals_pipeline.core.figures import ConfidencePair
from evals_pipeline.score.calibration import (
    bin_index,
    calibration_figures,
    exact_calibration_error,
)

PAIRS = st.lists(
    st.tuples(st.integers(0, 100).map(lambda percent: percent / 100), st.booleans()),
    min_size=1,
    max_size=30,
)


def figures(stated, n_left_out=0, **arguments):
    pairs = [ConfidencePair(confidence=p, is_correct=bool(right)) for p, right in stated]
    return calibration_figures(pairs, n_left_out=n_left_out, **arguments)


def test_a_constant_wrong_predictor_is_off_by_all_it_states():
    for wrong in (figures([(0.7, 0)] * 5), figures([(0.7, 0)])):
        assert wrong.ece == pytest.approx(0.7)
        assert wrong.ece_adaptive == pytest.approx(0.7)
        assert wrong.brier == pytest.approx(0.49)
        assert wrong.auroc is None
        assert "all" in wrong.reason


def test_two_bins_worked_by_hand():
    # [0.6, 0.7): 0.6 right, 0.6 wrong -> |0.5 - 0.6| = 0.1; [0.9, 1]: 0.9 and 1.0 right ->
    # |1 - 0.95| = 0.05. ECE = 2/4 * 0.1 + 2/4 * 0.05 = 0.075.
    # Brier = (0.16 + 0.36 + 0.01 + 0) / 4 = 0.1325. AUROC: 3 right against 1 wrong: the wrong
    # one ties with one right and loses to two: (0.5 + 1 + 1) / 3.
    got = figures([(0.6, 1), (0.6, 0), (0.9, 1), (1.0, 1)])
    assert got.ece == pytest.approx(0.075)
    assert got.brier == pytest.approx(0.1325)
    assert got.auroc == pytest.approx(2.5 / 3)
    assert (got.n, got.reason) == (4, None)


def test_bins_of_equal_count_keep_ties_together_and_are_worked_by_hand():
    # Mid-ranks of 4: 0.2 -> 0.125 (bin 1), 0.5 twice -> 0.5 (bin 5), 0.9 -> 0.875 (bin 8).
    # |0 - 0.2| + |1 - 2 * 0.5| + |1 - 0.9| = 0.3; / 4 = 0.075.
    assert figures([(0.2, 0), (0.5, 1), (0.5, 0), (0.9, 1)]).ece_adaptive == pytest.approx(0.075)


def test_nothing_to_calibrate_is_null_not_zero():
    nothing = figures([])
    assert (nothing.ece, nothing.brier, nothing.ece_adaptive, nothing.auroc) == (None,) * 4
    assert nothing.reason == "there is nothing to calibrate"
    assert (nothing.n, len(nothing.bins)) == (0, 10)
    assert figures([], n_left_out=3).reason == "none of 3 states a usable confidence"


def test_what_a_judge_left_open_makes_everything_null_and_keeps_the_counts():
    unmeasured = figures([(0.5, 1)], unmeasured="1 of 2 claims are unjudged")
    assert (unmeasured.ece, unmeasured.brier, unmeasured.n) == (None, None, 1)
    assert unmeasured.reason == "1 of 2 claims are unjudged"


def test_empty_bins_are_kept_with_null_figures():
    bins = figures([(0.35, 1)]).bins
    assert [each.n for each in bins] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert (bins[3].mean_confidence, bins[3].accuracy) == (0.35, 1.0)
    assert (bins[4].mean_confidence, bins[4].accuracy) == (None, None)


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, math.inf])
def test_a_number_that_is_no_confidence_is_refused(bad):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        figures([(bad, 1)])


@given(hundredths=st.integers(0, 100), places=st.sampled_from([1, 10, 100, 10**7]))
@settings(max_examples=50)
def test_the_bin_is_that_of_the_decimal(hundredths, places):
    stated = Decimal(hundredths * places + (places > 1 and hundredths < 100)) / (100 * places)
    assert bin_index(float(stated)) == min(int(stated * 10), 9)


def test_edges_that_binary_arithmetic_puts_wrong():
    assert [bin_index(k / 10) for k in range(11)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
    assert bin_index(0.1 + 0.2) == 3
    assert bin_index(float("0.5999999")) == 5


@given(stated=PAIRS, seed=st.integers(0, 99))
@settings(max_examples=50)
def test_order_changes_nothing_and_errors_stay_within_bounds(stated, seed):
    shuffled = list(stated)
    random.Random(seed).shuffle(shuffled)
    got = figures(stated)
    assert figures(shuffled) == got
    assert 0 <= got.ece <= 1
    assert 0 <= got.ece_adaptive <= 1


@given(stated=PAIRS)
@settings(max_examples=50, deadline=None)
def test_the_figures_are_those_of_other_implementations(stated):
    got = figures(stated)
    confidences = np.array([p for p, _ in stated])
    right = np.array([r for _, r in stated])
    places = np.array([min(int(Decimal(repr(p)) * 10), 9) for p, _ in stated])
    gaps = [
        abs(right[places == k].mean() - confidences[places == k].mean()) * (places == k).mean()
        for k in range(10)
        if (places == k).any()
    ]
    assert got.ece == pytest.approx(sum(gaps))
    assert got.brier == pytest.approx(brier_score_loss(right, confidences))
    if 0 < right.sum() < len(right):
        assert got.auroc == pytest.approx(roc_auc_score(right, confidences))


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=30),
)
@settings(max_examples=50)
def test_the_exact_error_is_the_shown_one_within_rounding(stated):
    pairs = [ConfidencePair(confidence=n / 1000, is_correct=right) for n, right in stated]
    exact = exact_calibration_error(pairs)
    assert float(exact) == pytest.approx(calibration_figures(pairs, n_left_out=0).ece, abs=1e-12)
    assert exact.denominator <= 1000 * len(pairs)


def test_no_pairs_have_no_exact_error():
    with pytest.raises(ValueError, match="no pairs"):
        exact_calibration_error([])

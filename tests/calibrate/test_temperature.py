"""The temperature of pairs, against hand calculation and another way of finding it."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from evals_pipeline.calibrate.temperature import (
    HIGHEST,
    LOWEST,
    Bound,
    fit_temperature,
    logit,
    scaled,
)
from tests.calibrate.populations import labels, pairs

STATED = st.floats(0.01, 0.99)
MOVABLE = st.lists(st.tuples(STATED, st.booleans()), min_size=2, max_size=40)


def as_picture(drawn):
    picture = {}
    for confidence, is_right in drawn:
        picture[confidence] = picture.get(confidence, "") + ("1" if is_right else "0")
    return picture


def test_one_confidence_is_drawn_to_the_share_that_is_right():
    # sigmoid(ln 9 / T) = 3/4 where ln 9 / T = ln 3, so T = ln 9 / ln 3 = 2.
    found = fit_temperature(pairs({0.9: "1110"}))
    assert found.bound is None
    assert found.temperature == pytest.approx(2, abs=1e-6)


def test_two_confidences_share_one_temperature():
    # 0.9 right in 3 of 4 and 0.1 right in 1 of 4 both ask for T = 2.
    found = fit_temperature(pairs({0.9: "1110", 0.1: "1000"}))
    assert found.temperature == pytest.approx(2, abs=1e-6)


def test_timid_confidence_is_sharpened():
    # sigmoid(ln 1.5 / T) = 0.9 where T = ln 1.5 / ln 9 = 0.18454
    found = fit_temperature(pairs({0.6: labels(9, 1)}))
    assert found.temperature == pytest.approx(math.log(1.5) / math.log(9), abs=1e-6)


def test_confidence_that_falls_with_being_right_has_no_temperature():
    found = fit_temperature(pairs({0.8: "000", 0.2: "111"}))
    assert (found.temperature, found.bound) == (HIGHEST, Bound.HIGHEST)


def test_confidence_that_parts_right_from_wrong_has_no_temperature_either():
    found = fit_temperature(pairs({0.8: "111", 0.2: "000"}))
    assert (found.temperature, found.bound) == (LOWEST, Bound.LOWEST)


def test_confidence_that_says_nothing_runs_to_the_highest():
    # As often right at 0.7 as at 0.3: 0.5 for both is best, which only T without end gives.
    assert fit_temperature(pairs({0.7: "10", 0.3: "10"})).bound is Bound.HIGHEST


def test_0_and_1_are_left_out():
    alone = fit_temperature(pairs({0.9: "1110"}))
    beside = fit_temperature(pairs({0.9: "1110", 1.0: "0000", 0.0: "1111"}))
    assert beside == alone
    with pytest.raises(ValueError, match="between 0 and 1"):
        fit_temperature(pairs({1.0: "10", 0.0: "1"}))


def test_confidences_that_hardly_differ_from_a_coin_still_have_their_temperature():
    # logit is 4e-9 here: two of three right ask for 4e-9 / T = ln 2, which no T in range gives, so
    # the sharpest is best; with a logit of 0.02 it is 0.02 / ln 2.
    assert fit_temperature(pairs({0.5 + 1e-9: "110"})).bound is Bound.LOWEST
    found = fit_temperature(pairs({1 / (1 + math.exp(-0.02)): "110"}))
    assert found.temperature == pytest.approx(0.02 / math.log(2), rel=1e-9)


def test_confidences_next_to_the_ends_give_finite_numbers():
    found = fit_temperature(pairs({math.nextafter(1, 0): "10", 5e-324: "01", 0.6: "110"}))
    assert math.isfinite(found.temperature)
    assert 0 <= scaled(5e-324, found.temperature) <= scaled(math.nextafter(1, 0), 0.5) <= 1


@pytest.mark.parametrize("seed", range(8))
def test_scipy_finds_the_same_temperature(seed):
    """Both as a minimum over T and as the root of the slope over 1/T."""
    rng = random.Random(seed)
    stated = [rng.choice([0.35, 0.5, 0.62, 0.7, 0.81, 0.9, 0.97]) for _ in range(150)]
    right = [rng.random() < 0.3 + 0.5 * confidence for confidence in stated]
    picture = as_picture(zip(stated, right, strict=True))
    found = fit_temperature(pairs(picture))
    assert found.bound is None
    margins = np.array([logit(c) if r else -logit(c) for c, r in zip(stated, right, strict=True)])
    minimum = minimize_scalar(
        lambda t: np.log1p(np.exp(-margins / t)).sum(), bounds=(0.01, 10), method="bounded"
    )
    root = brentq(lambda b: (margins / (1 + np.exp(margins * b))).sum(), 0.1, 100)
    assert found.temperature == pytest.approx(minimum.x, abs=1e-3)
    assert found.temperature == pytest.approx(1 / root, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(drawn=MOVABLE, rng=st.randoms())
def test_the_order_of_pairs_changes_nothing(drawn, rng):
    shuffled = rng.sample(drawn, len(drawn))
    one, other = (
        fit_temperature(pairs(as_picture(drawn))),
        fit_temperature(pairs(as_picture(shuffled))),
    )
    assert other.bound == one.bound
    assert other.temperature == pytest.approx(one.temperature, rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(drawn=MOVABLE, offset=st.floats(-0.3, 0.3))
def test_no_other_temperature_explains_the_labels_better(drawn, offset):
    found = fit_temperature(pairs(as_picture(drawn)))
    other = min(max(found.temperature * (1 + offset), LOWEST), HIGHEST)

    def loss(temperature):
        shown = [(scaled(c, temperature), r) for c, r in drawn]
        return -sum(math.log(max(p if r else 1 - p, 1e-300)) for p, r in shown)

    assert loss(found.temperature) <= loss(other) + 1e-6 * max(1, abs(loss(other)))


@given(confidence=st.floats(0, 1), temperature=st.floats(LOWEST, HIGHEST))
def test_a_scaled_confidence_is_one_and_keeps_its_side(confidence, temperature):
    moved = scaled(confidence, temperature)
    assert 0 <= moved <= 1
    assert (moved - 0.5) * (confidence - 0.5) >= 0
    assert scaled(confidence, 1.0) == pytest.approx(confidence, abs=1e-12)

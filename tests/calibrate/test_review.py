"""The confidence from which on values may go unreviewed, on counts worked out by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.calibrate.review import review_threshold
from evals_pipeline.core.intervals import wilson
from tests.calibrate.populations import labels, pairs


def test_the_lowest_confidence_that_holds_is_taken():
    # From 0.9 on 19 of 20 are right, from 0.8 on 28 of 30, from 0.7 on 30 of 40.
    found = review_threshold(
        pairs({0.9: labels(19, 1), 0.8: labels(9, 1), 0.7: labels(2, 8)}), wanted=0.9, n_left_out=0
    )
    assert (found.threshold, found.n_accepted, found.n_correct) == (0.8, 30, 28)
    assert found.precision == pytest.approx(28 / 30)
    interval = wilson(28, 30)
    assert (found.ci_low, found.ci_high) == (interval.low, interval.high)
    assert found.review_share == pytest.approx(10 / 40)
    assert not found.is_assured  # the interval begins at 0.787


def test_a_wanted_precision_is_reached_when_it_is_met_exactly():
    # 11 of 20 is 0.55, whatever 0.55 * 20 is in binary.
    assert review_threshold(pairs({0.4: labels(11, 9)}), wanted=0.55, n_left_out=0).threshold == 0.4


def test_one_wrong_value_at_the_top_does_not_hide_a_threshold_below():
    found = review_threshold(pairs({1.0: "0", 0.9: labels(39, 0)}), wanted=0.95, n_left_out=0)
    assert (found.threshold, found.n_accepted) == (0.9, 40)


def test_values_without_a_confidence_always_go_to_review():
    found = review_threshold(pairs({0.9: "1111"}), wanted=0.9, n_left_out=6)
    assert (found.n, found.review_share) == (10, 0.6)


def test_with_many_values_the_interval_holds_too():
    found = review_threshold(pairs({0.9: labels(990, 10)}), wanted=0.98, n_left_out=0)
    assert found.is_assured


def test_where_nothing_holds_everything_is_reviewed_and_the_reason_is_said():
    found = review_threshold(pairs({0.9: "10", 0.5: "10"}), wanted=0.9, n_left_out=0)
    assert (found.threshold, found.precision, found.review_share) == (None, None, 1.0)
    assert "every value goes to review" in found.reason
    assert review_threshold([], wanted=0.9, n_left_out=0).review_share is None
    assert "none of 2 values" in review_threshold([], wanted=0.9, n_left_out=2).reason


@pytest.mark.parametrize("wanted", [0, -0.1, 1.1, float("nan")])
def test_a_wanted_precision_outside_0_to_1_is_refused(wanted):
    with pytest.raises(ValueError, match=r"\(0, 1\]"):
        review_threshold([], wanted=wanted, n_left_out=0)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), max_size=30), st.integers(1, 100))
def test_at_the_threshold_the_precision_holds_and_nowhere_below(drawn, percent):
    picture = {}
    for stated, is_right in drawn:
        picture[stated / 10] = picture.get(stated / 10, "") + ("1" if is_right else "0")
    found = review_threshold(pairs(picture), wanted=percent / 100, n_left_out=0)

    def share_from(confidence):
        accepted = "".join(text for stated, text in picture.items() if stated >= confidence)
        return accepted.count("1") * 100 >= percent * len(accepted)

    if found.threshold is not None:
        assert share_from(found.threshold)
    below = [c for c in picture if found.threshold is None or c < found.threshold]
    assert not any(share_from(confidence) for confidence in below)

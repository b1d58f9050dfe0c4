"""The isotonic fit against pools drawn by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.calibrate.isotonic import IsotonicFit, fit_isotonic, placed
from tests.calibrate.populations import pairs


def test_violators_are_pooled():
    # 0.6: 1 of 2 right, 0.7: 0 of 1, which falls; pooled 1 of 3. 0.8: 1 of 1.
    found = fit_isotonic(pairs({0.6: "10", 0.7: "0", 0.8: "1"}))
    assert found.confidences == (0.6, 0.7, 0.8)
    assert found.values == pytest.approx((1 / 3, 1 / 3, 1))
    assert not found.is_flat


def test_a_pool_is_weighted_by_its_pairs():
    # 0.4: 3 of 3, 0.5: 0 of 1: pooled 3 of 4, not the mean of 1 and 0.
    assert fit_isotonic(pairs({0.4: "111", 0.5: "0"})).values == pytest.approx((0.75, 0.75))


def test_confidence_that_falls_with_being_right_is_flat():
    assert fit_isotonic(pairs({0.9: "000", 0.2: "11"})).is_flat


def test_0_and_1_are_left_out_and_stay():
    found = fit_isotonic(pairs({0.0: "11", 0.3: "0", 0.7: "1", 1.0: "000"}))
    assert found == fit_isotonic(pairs({0.3: "0", 0.7: "1"}))
    assert (placed(0.0, found), placed(1.0, found)) == (0.0, 1.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        fit_isotonic(pairs({1.0: "1"}))


def test_between_knots_the_line_is_straight_and_beyond_them_flat():
    line = IsotonicFit(confidences=(0.2, 0.6), values=(0.1, 0.5))
    assert placed(0.4, line) == pytest.approx(0.3)
    assert (placed(0.1, line), placed(0.9, line)) == (0.1, 0.5)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=30),
    st.randoms(),
)
def test_values_never_fall_and_order_changes_nothing(drawn, rng):
    def fitted(those):
        picture = {}
        for stated, is_right in those:
            picture[stated / 100] = picture.get(stated / 100, "") + ("1" if is_right else "0")
        return fit_isotonic(pairs(picture))

    found = fitted(drawn)
    assert list(found.values) == sorted(found.values)
    assert all(0 <= value <= 1 for value in found.values)
    assert fitted(rng.sample(drawn, len(drawn))) == found

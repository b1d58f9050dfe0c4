import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evals_pipeline.core.intervals import Interval, wilson


@settings(max_examples=50)
@given(n=st.integers(1, 5000), data=st.data())
def test_equals_scipy(n: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, n))
    expected = binomtest(correct, n).proportion_ci(confidence_level=0.95, method="wilson")
    actual = wilson(correct, n)
    assert actual is not None
    assert actual.low == pytest.approx(expected.low, abs=1e-12)
    assert actual.high == pytest.approx(expected.high, abs=1e-12)


def test_stays_within_the_unit_interval_and_touches_its_ends() -> None:
    none_right, all_right = wilson(0, 7), wilson(7, 7)
    assert none_right is not None
    assert all_right is not None
    assert none_right.low == 0.0
    assert all_right.high == 1.0
    assert 0 < none_right.high < 0.5 < all_right.low < 1


def test_nothing_counted_has_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("correct", "n"), [(-1, 3), (4, 3)])
def test_refuses_counts_that_cannot_be(correct: int, n: int) -> None:
    with pytest.raises(ValueError, match="between 0 and n"):
        wilson(correct, n)


def test_overlap_includes_a_shared_end() -> None:
    low, high = Interval(low=0.1, high=0.4), Interval(low=0.4, high=0.9)
    assert low.overlaps(high)
    assert high.overlaps(low)
    assert not low.overlaps(Interval(low=0.41, high=0.9))

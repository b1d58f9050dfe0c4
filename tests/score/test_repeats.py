"""A metric over its runs."""

import statistics
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.score.repeats import figure

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def test_mean_range_and_sample_deviation_of_three_runs():
    # mean (0.5 + 0.7 + 0.9) / 3 = 0.7; sample variance (0.04 + 0 + 0.04) / 2 = 0.04.
    over_runs = figure([0.5, 0.7, 0.9])
    assert over_runs.mean == pytest.approx(0.7)
    assert (over_runs.min, over_runs.max) == (0.5, 0.9)
    assert over_runs.stdev == pytest.approx(0.2)
    assert over_runs.range == pytest.approx(0.4)
    assert over_runs.values == (0.5, 0.7, 0.9)


def test_one_run_has_no_deviation():
    over_runs = figure([0.25])
    assert (over_runs.mean, over_runs.stdev, over_runs.range) == (0.25, None, 0.0)


def test_a_run_without_a_value_makes_the_figure_null_and_keeps_the_values():
    over_runs = figure([1.0, None, 1.0])
    assert (over_runs.mean, over_runs.min, over_runs.stdev) == (None, None, None)
    assert over_runs.values == (1.0, None, 1.0)
    assert over_runs.reason == "1 of 3 runs could not be measured"
    assert over_runs.range is None


def test_a_reason_that_is_given_is_kept():
    assert (
        figure([None], reason="run 0: nothing was emitted").reason == "run 0: nothing was emitted"
    )
    assert figure([0.5], reason="unused").reason is None


def test_no_run_at_all_is_null():
    assert figure([]).reason == "there is no run"


@given(values=SHARES)
@settings(max_examples=50)
def test_the_mean_lies_between_the_extremes_and_agrees_with_the_library(values):
    over_runs = figure(values)
    assert over_runs.min <= over_runs.mean <= over_runs.max
    assert over_runs.mean == pytest.approx(statistics.fmean(values))
    if len(values) > 1:
        assert over_runs.stdev == pytest.approx(statistics.stdev(values))


@given(value=st.floats(0, 1), n=st.integers(2, 6))
@settings(max_examples=50)
def test_runs_that_agree_have_no_spread(value, n):
    over_runs = figure([value] * n)
    assert (over_runs.mean, over_runs.stdev, over_runs.range) == (value, 0.0, 0.0)


def test_the_mean_of_fractions_is_the_double_nearest_to_the_exact_one():
    assert figure([Fraction(3, 5), Fraction(4, 5), Fraction(1)]).mean == 0.8
    assert sum([0.6, 0.8, 1.0]) / 3 != 0.8

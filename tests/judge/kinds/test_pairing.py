"""Pairing rows one to one."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evals_pipeline.judge.kinds.pairing import MOST_SCORED, in_order, pair_up


def never(row: int, column: int) -> float:
    raise AssertionError(f"rows {row} and {column} needed no scoring")


def test_equal_rows_pair_without_scoring():
    found = pair_up(["a", "b", "a"], ["a", "a", "b"], never, least=1)
    assert found.pairs == ((0, 0), (1, 2), (2, 1))
    assert (found.only_want, found.only_got, found.is_complete) == ((), (), True)


def test_what_is_alike_enough_pairs_and_the_rest_is_left():
    likeness = {(0, 0): 0.9, (0, 1): 0.8, (1, 0): 0.8, (1, 1): 0.1}
    found = pair_up(["a", "b"], ["x", "y"], lambda i, j: likeness[i, j], least=0.5)
    # 0.8 + 0.8 beats 0.9 + 0.1: the best whole, not the best first pair.
    assert found.pairs == ((0, 1), (1, 0))
    found = pair_up(["a", "b"], ["x", "y"], lambda i, j: likeness[i, j], least=0.85)
    assert (found.only_want, found.only_got) == ((0, 1), (0, 1))


@pytest.mark.parametrize(("want", "got"), [([], []), (["a"], []), ([], ["a"])])
def test_an_empty_side_leaves_the_other(want: list[str], got: list[str]):
    found = pair_up(want, got, never, least=0)
    assert found.pairs == ()
    assert (len(found.only_want), len(found.only_got)) == (len(want), len(got))


def test_too_many_rows_pair_by_their_keys_or_are_left():
    n = int(MOST_SCORED**0.5) + 1
    want, got = [f"w{i}" for i in range(n)], [f"g{i}" for i in range(n)]
    left = pair_up(want, got, never, least=0)
    assert (left.pairs, left.is_complete) == ((), False)
    keys = [str(i) for i in range(n)]
    paired = pair_up(want, got, never, least=0, keys=(keys, keys[::-1]))
    assert paired.is_complete
    assert paired.pairs[0] == (0, n - 1)
    assert len(paired.pairs) == n


def test_in_order():
    found = in_order(3, 2)
    assert (found.pairs, found.only_want, found.only_got) == (((0, 0), (1, 1)), (2,), ())


@settings(max_examples=30, deadline=None)
@given(data=st.data(), n_want=st.integers(1, 6), n_got=st.integers(1, 6))
def test_the_total_is_the_best_there_is(data: Any, n_want: int, n_got: int):
    row = st.lists(st.integers(0, 9), min_size=n_got, max_size=n_got)
    scores = data.draw(st.lists(row, min_size=n_want, max_size=n_want))
    found = pair_up(
        [f"w{i}" for i in range(n_want)],
        [f"g{j}" for j in range(n_got)],
        lambda i, j: float(scores[i][j]),
        least=0,
    )
    rows, columns = linear_sum_assignment(scores, maximize=True)
    best = sum(scores[i][j] for i, j in zip(rows, columns, strict=True))
    assert sum(scores[i][j] for i, j in found.pairs) == best

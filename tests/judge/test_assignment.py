"""One to one, best first, decided by content alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evals_pipeline.judge import assignment
from evals_pipeline.judge.assignment import ContentOrder, greedy, optimal
from tests.judge.fakes import claim, gold


def run(way, matrix, claims, wanted, *, decide=None, at_least=0.8):
    order = ContentOrder.of(claims, wanted)
    return way(np.array(matrix, dtype=float), order, at_least=at_least, decide=decide)


def assign(matrix, claims, wanted, **arguments):
    return set(run(greedy, matrix, claims, wanted, **arguments).matched)


def claims_of(*texts):
    return [claim(text) for text in texts]


def gold_of(*texts):
    return [gold(text) for text in texts]


def test_the_closest_pair_goes_first_and_each_claim_goes_once():
    # Greedy gives 0.95 to (0, 0), which leaves row 1 only its 0.82.
    matrix = [[0.95, 0.90], [0.94, 0.82]]
    assert assign(matrix, claims_of("a", "b"), gold_of("x", "y")) == {(0, 0), (1, 1)}


def test_the_threshold_is_inclusive():
    claims, wanted = claims_of("a"), gold_of("x")
    assert assign([[0.8]], claims, wanted) == {(0, 0)}
    assert assign([[0.799999]], claims, wanted) == set()


def test_a_repeated_emission_matches_once():
    assert len(assign([[1.0], [1.0]], claims_of("a", "a"), gold_of("a"))) == 1


def test_among_equals_the_more_confident_claim_wins_wherever_it_stands():
    timid, sure = claim("a", 0.4), claim("a", 0.9)
    assert assign([[1.0], [1.0]], [timid, sure], gold_of("a")) == {(1, 0)}
    assert assign([[1.0], [1.0]], [sure, timid], gold_of("a")) == {(0, 0)}


def test_a_claim_without_confidence_comes_after_one_with_confidence_zero():
    assert assign([[1.0], [1.0]], [claim("a", None), claim("a", 0.0)], gold_of("a")) == {(1, 0)}


def test_among_equals_required_gold_is_served_before_optional():
    wanted = [gold("a", required=False), gold("b", required=True)]
    assert assign([[0.9, 0.9]], claims_of("c"), wanted) == {(0, 1)}


def test_confidence_decides_before_required_and_text_decides_last():
    claims = [claim("b", 0.9), claim("a", 0.9), claim("c", 0.95)]
    wanted = gold_of("x", "y")
    matrix = np.full((3, 2), 0.9)
    # "c" is the surest and takes "x", the first by text; of the equally sure, "a" takes "y".
    assert assign(matrix, claims, wanted) == {(2, 0), (1, 1)}


def test_what_decide_refuses_leaves_both_free():
    refused = {(0, 0)}
    matrix = [[0.95, 0.85], [0.90, 0.0]]
    pairs = assign(
        matrix,
        claims_of("a", "b"),
        gold_of("x", "y"),
        decide=lambda row, column: (row, column) not in refused,
    )
    assert pairs == {(0, 1), (1, 0)}


def test_no_claims_or_no_gold_gives_no_pairs():
    assert assign(np.zeros((0, 2)), [], gold_of("x", "y")) == set()
    assert assign(np.zeros((2, 0)), claims_of("a", "b"), []) == set()


def test_optimal_beats_greedy_where_the_closest_pair_costs_too_much():
    # Greedy: 0.95 and nothing for row 1 above the threshold. Optimal: 0.90 + 0.94 = 1.84.
    matrix = [[0.95, 0.90], [0.94, 0.10]]
    claims, wanted = claims_of("a", "b"), gold_of("x", "y")
    assert assign(matrix, claims, wanted) == {(0, 0)}
    assert set(run(optimal, matrix, claims, wanted).matched) == {(0, 1), (1, 0)}


def test_optimal_too_prefers_the_more_confident_of_equals():
    claims = [claim("a", 0.4), claim("a", 0.9)]
    assert run(optimal, [[1.0], [1.0]], claims, gold_of("a")).matched == ((1, 0),)


def test_optimal_waits_until_every_pair_is_decided():
    result = run(
        optimal,
        [[0.9], [0.85]],
        claims_of("a", "b"),
        gold_of("x"),
        decide=lambda row, _: None if row == 1 else True,
    )
    assert (result.matched, result.pending) == ((), ((1, 0),))


def test_optimal_leaves_out_what_decide_refuses():
    refuse = run(optimal, [[0.9]], claims_of("a"), gold_of("x"), decide=lambda *_: False)
    assert (refuse.matched, refuse.pending) == ((), ())


MATRICES = st.integers(1, 5).flatmap(
    lambda n: st.integers(1, 5).flatmap(
        lambda m: st.lists(
            st.lists(st.sampled_from([0.1, 0.7, 0.8, 0.9, 1.0]), min_size=m, max_size=m),
            min_size=n,
            max_size=n,
        )
    )
)


@given(matrix=MATRICES, data=st.data())
@settings(max_examples=50, deadline=None)
def test_shuffling_either_list_changes_nothing(matrix, data):
    n, m = len(matrix), len(matrix[0])
    claims = [claim(f"c{i}", data.draw(st.sampled_from([None, 0.5, 0.9]))) for i in range(n)]
    wanted = [gold(f"g{j}", required=data.draw(st.booleans())) for j in range(m)]
    rows = data.draw(st.permutations(range(n)))
    columns = data.draw(st.permutations(range(m)))
    shuffled = [[matrix[i][j] for j in columns] for i in rows]
    shuffled_claims = [claims[i] for i in rows]
    shuffled_gold = [wanted[j] for j in columns]

    for assign_all in (greedy_pairs, optimal_pairs):
        before = assign_all(matrix, claims, wanted)
        after = {
            (rows[i], columns[j]) for i, j in assign_all(shuffled, shuffled_claims, shuffled_gold)
        }
        assert after == before


def greedy_pairs(matrix, claims, wanted):
    return assign(matrix, claims, wanted)


def optimal_pairs(matrix, claims, wanted):
    return set(run(optimal, matrix, claims, wanted).matched)


@given(matrix=MATRICES)
@settings(max_examples=50, deadline=None)
def test_optimal_reaches_the_sum_that_scipy_reaches(matrix):
    claims = [claim(f"c{i}") for i in range(len(matrix))]
    wanted = [gold(f"g{j}") for j in range(len(matrix[0]))]
    close = np.where(np.array(matrix) >= 0.8, matrix, 0.0)
    rows, columns = linear_sum_assignment(close, maximize=True)

    reached = sum(matrix[i][j] for i, j in optimal_pairs(matrix, claims, wanted))
    assert reached == pytest.approx(close[rows, columns].sum())


@given(matrix=MATRICES, data=st.data())
@settings(max_examples=50, deadline=None)
def test_rounds_of_questions_end_where_asking_one_by_one_ends(matrix, data):
    claims = [claim(f"c{i}") for i in range(len(matrix))]
    wanted = [gold(f"g{j}") for j in range(len(matrix[0]))]
    pairs = [(i, j) for i in range(len(claims)) for j in range(len(wanted))]
    answers = {pair: data.draw(st.booleans()) for pair in pairs}
    one_by_one = []

    def ask_now(row, column):
        if matrix[row][column] >= 0.9:
            return True
        one_by_one.append((row, column))
        return answers[row, column]

    expected = assign(matrix, claims, wanted, decide=ask_now, at_least=0.7)

    known = {}

    def ask_in_rounds(row, column):
        return True if matrix[row][column] >= 0.9 else known.get((row, column))

    arguments = {"decide": ask_in_rounds, "at_least": 0.7}
    while (result := run(greedy, matrix, claims, wanted, **arguments)).pending:
        known |= {pair: answers[pair] for pair in result.pending}

    assert set(result.matched) == expected
    assert set(known) == set(one_by_one)


def plainly_greedy(matrix, at_least):
    """The definition: sort all pairs, take each whose two sides are free."""
    pairs = sorted((-matrix[i, j], i, j) for i, j in np.argwhere(matrix >= at_least).tolist())
    rows, columns, matched = set(), set(), set()
    for _, row, column in pairs:
        if row not in rows and column not in columns:
            matched.add((row, column))
            rows.add(row)
            columns.add(column)
    return matched


@pytest.mark.parametrize("decimals", [1, 2, 6])
def test_many_pairs_taken_in_blocks_are_assigned_as_if_sorted_at_once(decimals):
    rng = np.random.default_rng(5)
    matrix = np.round(rng.random((320, 400)), decimals)
    assert (matrix >= 0.3).sum() > assignment._BLOCK
    # Names in the order of their places, so that content breaks ties as the definition does.
    claims = [claim(f"c{i:03}") for i in range(320)]
    wanted = [gold(f"g{j:03}") for j in range(400)]

    assert assign(matrix, claims, wanted, at_least=0.3) == plainly_greedy(matrix, 0.3)

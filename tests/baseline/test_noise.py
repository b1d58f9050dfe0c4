from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evals_pipeline.baseline.noise import is_within_noise, mcnemar, run_spread
from evals_pipeline.baseline.pairing import Pair
from evals_pipeline.core.figures import DocumentTally


def tally(correct: int, n: int = 1) -> DocumentTally:
    return DocumentTally(fixture_id="f", document="d", correct=correct, n=n, gold_digest="g")


def pairs(worse: int, better: int, same: int = 0) -> list[Pair]:
    right, wrong = tally(1), tally(0)
    return (
        [Pair(before=right, now=wrong)] * worse
        + [Pair(before=wrong, now=right)] * better
        + [Pair(before=right, now=right)] * same
    )


@settings(max_examples=50)
@given(worse=st.integers(0, 40), better=st.integers(0, 40))
def test_mcnemar_equals_the_exact_binomial_test(worse: int, better: int) -> None:
    expected = binomtest(worse, worse + better).pvalue if worse + better else 1.0
    assert mcnemar(pairs(worse, better, same=3)) == pytest.approx(expected, abs=1e-12)


def test_mcnemar_by_hand() -> None:
    # 5 worse, 1 better: 2 · (C(6,0) + C(6,1)) / 2⁶ = 14/64.
    assert mcnemar(pairs(5, 1)) == pytest.approx(14 / 64)


def test_mcnemar_over_no_document_is_unmeasured() -> None:
    assert mcnemar([]) is None


def test_a_document_counts_once_whatever_its_runs() -> None:
    # 3/3 to 2/3 and 1/3 to 0/3 are two documents worse, as 1/1 to 0/1 would be: 2 / 2².
    assert mcnemar(
        [Pair(before=tally(3, 3), now=tally(2, 3)), Pair(before=tally(1, 3), now=tally(0, 3))]
    ) == pytest.approx(0.5)


def test_a_change_of_the_number_of_runs_moves_no_share() -> None:
    assert Pair(before=tally(1, 2), now=tally(3, 6)).movement == 0
    assert Pair(before=tally(1, 2), now=tally(1, 3)).movement < 0


def test_spread_needs_two_runs() -> None:
    assert run_spread([0.75]) is None
    assert run_spread([0.75, None]) is None
    assert run_spread([0.75, 0.5, 1.0]) == 0.5


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ((5, 5), (4, 5), True),  # [0.57, 1] and [0.38, 0.96]
        ((12, 12), (4, 12), False),  # [0.76, 1] and [0.14, 0.61]
        ((200, 200), (200, 200), None),  # nothing changed
        ((0, 0), (0, 0), None),
    ],
)
def test_noise(before: tuple[int, int], now: tuple[int, int], expected: bool | None) -> None:
    share = [Fraction(*side) if side[1] else Fraction(0) for side in (before, now)]
    assert is_within_noise(share[1] - share[0], before=before, now=now) is expected

"""The figures of a suite, with what they are figures of."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    GoldOutcome,
    UncertaintyNature,
)
from evals_pipeline.core.records import GoldClaim
from evals_pipeline.core.run_records import Claim, JudgedCase, JudgedClaim, JudgedGold, StatusCounts
from evals_pipeline.score.claims import (
    METRICS,
    confidence_pairs,
    exact_mean,
    is_left_open,
    score_claims,
)

M, U, S, OPEN = (
    ClaimOutcome.MATCHED,
    ClaimOutcome.UNDER_CONFIDENCE,
    ClaimOutcome.SPURIOUS,
    ClaimOutcome.UNJUDGED,
)


def emitted(outcome, confidence=0.9, suspect=()):
    return JudgedClaim(
        claim=Claim(content="c", confidence=confidence),
        outcome=outcome,
        gold_index=None,
        similarity=0.5,
        suspect=suspect,
        rendering="c",
    )


def wanted(outcome, *, required=True):
    return JudgedGold(
        gold=GoldClaim(
            content="g",
            confidence_min=0.5,
            uncertainty_nature=UncertaintyNature.EPISTEMIC,
            required=required,
        ),
        outcome=outcome,
        claim_index=None,
        similarity=None,
    )


def judged(
    claims=(), gold=(), *, case_id="a", run=0, status=ExtractionStatus.OK, reason=None, n_open=0
):
    return JudgedCase(
        case_id=case_id,
        run_index=run,
        status=status,
        reason=reason,
        claims=tuple(claims),
        gold=tuple(gold),
        n_unjudged_pairs=n_open,
    )


def score(cases, runs=(0,), statuses=None):
    return score_claims(
        cases,
        set_name="s",
        model_version="m",
        run_indices=runs,
        statuses=statuses or StatusCounts(planned=len(cases), ok=len(cases)),
    )


def mean(figures, name):
    return figures.metrics[name].mean


def test_precision_and_recall_are_pooled_over_cases_and_worked_by_hand():
    # Emitted 5, matched 2 -> 0.4. Required 4, matched 1 -> 0.25; the optional match counts for
    # precision only, the under-confident one for neither.
    first = judged(
        [emitted(M), emitted(M), emitted(S)],
        [wanted(GoldOutcome.MATCHED), wanted(GoldOutcome.MATCHED, required=False)],
    )
    second = judged(
        [emitted(U), emitted(S)],
        [
            wanted(GoldOutcome.UNDER_CONFIDENCE),
            wanted(GoldOutcome.MISSED),
            wanted(GoldOutcome.MISSED),
            wanted(GoldOutcome.MISSED, required=False),
        ],
        case_id="b",
    )
    figures = score([first, second])
    assert mean(figures, "precision") == pytest.approx(0.4)
    assert mean(figures, "recall") == pytest.approx(0.25)
    assert figures.counts["emitted"] == 5
    assert figures.counts["gold_required"] == 4
    assert figures.counts["gold_required_matched"] == 1
    assert figures.counts["missed"] == 3
    assert tuple(figures.metrics) == METRICS


def test_calibration_counts_full_matches_and_semantic_calibration_timid_ones_too():
    # Bin [0.8, 0.9]: 0.8 matched, 0.8 timid: full |0.5 - 0.8| = 0.3; semantic |1 - 0.8| = 0.2.
    figures = score([judged([emitted(M, 0.8), emitted(U, 0.8)], [wanted(GoldOutcome.MATCHED)])])
    assert mean(figures, "calibration_error") == pytest.approx(0.3)
    assert mean(figures, "calibration_error_semantic") == pytest.approx(0.2)
    assert figures.calibration.ece == pytest.approx(0.3)
    assert figures.calibration_semantic.ece == pytest.approx(0.2)


def test_nothing_emitted_has_no_precision_and_a_recall_of_zero():
    figures = score([judged([], [wanted(GoldOutcome.MISSED)] * 2)])
    assert mean(figures, "precision") is None
    assert figures.metrics["precision"].reason == "run 0: nothing was emitted"
    assert mean(figures, "recall") == 0.0
    assert mean(figures, "calibration_error") is None


def test_nothing_required_has_no_recall_and_a_precision_of_zero():
    figures = score([judged([emitted(S)] * 2, [])])
    assert mean(figures, "precision") == 0.0
    assert mean(figures, "recall") is None
    assert figures.metrics["recall"].reason == "run 0: no gold claim is required"


def test_a_repeated_right_claim_costs_precision_and_does_not_raise_recall():
    figures = score([judged([emitted(M), emitted(S)], [wanted(GoldOutcome.MATCHED)])])
    assert (mean(figures, "precision"), mean(figures, "recall")) == (0.5, 1.0)


def test_failed_documents_stay_in_the_denominator():
    # 8 documents with one required claim each: 2 right, 4 wrong, 2 failed -> 2/8.
    cases = [judged([emitted(M)], [wanted(GoldOutcome.MATCHED)], case_id=f"r{n}") for n in range(2)]
    cases += [judged([emitted(S)], [wanted(GoldOutcome.MISSED)], case_id=f"w{n}") for n in range(4)]
    cases += [
        judged(
            [],
            [wanted(GoldOutcome.MISSED)],
            case_id=f"e{n}",
            status=ExtractionStatus.ERROR,
            reason="timed out",
        )
        for n in range(2)
    ]
    figures = score(cases, statuses=StatusCounts(planned=8, ok=6, error=2))
    assert mean(figures, "recall") == 0.25
    assert figures.statuses.error == 2
    assert figures.notes[0] == (
        "run 0: case e0 ended error: timed out; its 1 gold claims count as missed"
    )


def test_a_declined_case_is_skipped_noted_and_counted():
    figures = score(
        [
            judged([emitted(M)], [wanted(GoldOutcome.MATCHED)]),
            judged(case_id="b", status=ExtractionStatus.DECLINED, reason="not a coin"),
        ]
    )
    assert mean(figures, "recall") == 1.0
    assert figures.counts["skipped_cases"] == 1
    assert figures.notes == ("run 0: case b was skipped (declined: not a coin)",)


def test_unjudged_claims_make_the_figures_null_with_their_bounds():
    figures = score(
        [
            judged(
                [emitted(M)] * 5 + [emitted(OPEN)] * 5,
                [wanted(GoldOutcome.MATCHED)] * 5 + [wanted(GoldOutcome.UNJUDGED)] * 5,
            )
        ]
    )
    for name in METRICS:
        assert mean(figures, name) is None
        assert "unjudged" in figures.metrics[name].reason
    assert "between 0.500 and 1.000" in figures.metrics["precision"].reason
    assert (figures.counts["unjudged"], figures.counts["gold_unjudged"]) == (5, 5)


def test_an_unjudged_optional_gold_claim_does_not_touch_recall():
    gold = [wanted(GoldOutcome.MATCHED), wanted(GoldOutcome.UNJUDGED, required=False)]
    assert mean(score([judged([emitted(M)], gold)]), "recall") == 1.0


def test_claims_without_confidence_are_left_out_of_calibration_and_counted():
    figures = score([judged([emitted(M, None), emitted(M, 0.0)], [])])
    assert figures.counts["confidence_left_out"] == 1
    assert (figures.calibration.n, figures.calibration.n_left_out) == (1, 1)
    assert figures.calibration.ece == 1.0
    assert mean(figures, "precision") == 1.0


def test_suspects_are_counted_and_change_no_figure():
    figures = score([judged([emitted(M, suspect=("numbers",)), emitted(M)], [])])
    assert figures.counts["suspect"] == 1
    assert mean(figures, "precision") == 1.0


def test_each_run_is_one_value_and_the_calibration_pools_them():
    cases = [
        judged([emitted(M, 0.9)], [wanted(GoldOutcome.MATCHED)], run=0),
        judged([emitted(S, 0.9)], [wanted(GoldOutcome.MISSED)], run=1),
    ]
    figures = score(cases, runs=(0, 1))
    precision = figures.metrics["precision"]
    assert (precision.values, precision.mean, precision.min, precision.max) == ((1, 0), 0.5, 0, 1)
    assert precision.stdev == pytest.approx(0.5**0.5)
    assert figures.calibration.n == 2
    assert figures.calibration.ece == pytest.approx(0.4)


def test_a_run_without_cases_is_unmeasured():
    figures = score([judged([emitted(M)], [])], runs=(0, 1), statuses=StatusCounts(planned=2, ok=1))
    assert figures.metrics["precision"].values == (1.0, None)
    assert mean(figures, "precision") is None
    assert "run 1: no case was judged" in figures.metrics["precision"].reason


def test_planned_cases_that_are_absent_make_the_run_unmeasured():
    figures = score(
        [judged([emitted(M)], [wanted(GoldOutcome.MATCHED)])],
        statuses=StatusCounts(planned=3, ok=1, absent=2),
    )
    assert mean(figures, "recall") is None
    assert "2 of 3 planned cases are absent" in figures.metrics["recall"].reason
    assert figures.notes == ("2 of 3 planned extractions are absent",)


def test_a_case_of_another_run_or_judged_twice_is_refused():
    with pytest.raises(ValueError, match=r"cases of runs \[3\]"):
        score([judged(run=3)])
    with pytest.raises(ValueError, match="judged twice in run 0"):
        score([judged(), judged()])


def test_what_calibration_is_fitted_on_leaves_out_the_unusable_and_the_open():
    pairs = confidence_pairs(
        [
            judged(
                [emitted(M, 0.9), emitted(U, 0.4), emitted(S, 0.7), emitted(OPEN), emitted(M, None)]
            )
        ]
    )
    assert [(pair.confidence, pair.is_correct) for pair in pairs] == [
        (0.9, True),
        (0.4, True),
        (0.7, False),
    ]


CASES = st.lists(
    st.tuples(
        st.lists(st.tuples(st.sampled_from([M, U, S]), st.sampled_from([None, 0.1, 0.3, 0.9]))),
        st.lists(
            st.tuples(st.sampled_from([GoldOutcome.MATCHED, GoldOutcome.MISSED]), st.booleans())
        ),
    ),
    min_size=1,
    max_size=5,
)


@given(cases=CASES, seed=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_the_order_of_cases_and_claims_changes_no_figure(cases, seed):
    def built(order):
        return [
            judged(
                [emitted(outcome, confidence) for outcome, confidence in claims],
                [wanted(outcome, required=required) for outcome, required in gold],
                case_id=str(place),
            )
            for place, (claims, gold) in order
        ]

    rng = random.Random(seed)
    shuffled = [
        (place, (rng.sample(claims, len(claims)), gold))
        for place, (claims, gold) in enumerate(cases)
    ]
    rng.shuffle(shuffled)
    one, other = score(built(enumerate(cases))), score(built(shuffled))
    assert (one.metrics, one.counts) == (other.metrics, other.counts)
    counts = one.counts
    assert counts["emitted"] == sum(
        counts[name] for name in ("matched", "under_confidence", "spurious", "unjudged")
    )
    assert all(figure.mean is None or 0 <= figure.mean <= 1 for figure in one.metrics.values())


def test_pairs_without_a_verdict_are_counted_and_what_hangs_on_them_is_told():
    """The bounds by hand: 1 of 3 claims matched, 1 open: 1/3 to 2/3; recall 0/1 to 1/1."""
    case = judged(
        [emitted(M), emitted(S), emitted(OPEN)],
        [wanted(GoldOutcome.MATCHED, required=False), wanted(GoldOutcome.UNJUDGED)],
        n_open=2,
    )
    figures = score([case])
    assert figures.counts["unjudged_pairs"] == 2
    assert "between 0.333 and 0.667" in figures.metrics["precision"].reason
    assert "between 0.000 and 1.000" in figures.metrics["recall"].reason
    assert figures.notes == (
        "run 0: case a: 2 pairs unjudged; 1 claim and 1 gold claim hang on what the judge would "
        "have said",
    )


@pytest.mark.parametrize(
    "case",
    [
        judged([emitted(OPEN)]),
        judged([emitted(M)], [wanted(GoldOutcome.UNJUDGED, required=False)]),
        judged([emitted(M)], [wanted(GoldOutcome.MATCHED)], n_open=1),
    ],
    ids=["claim", "gold", "pair"],
)
def test_a_case_is_left_open_by_whatever_was_left_open_in_it(case):
    assert is_left_open(case)
    assert not is_left_open(judged([emitted(M), emitted(S)], [wanted(GoldOutcome.MISSED)]))


def test_the_mean_that_a_threshold_is_compared_with_knows_no_rounding():
    """Precision 3/5, 4/5, 1: mean 4/5. Stated 0.9 each, so errors 3/10, 1/10, 1/10: mean 1/6."""
    figures = score(
        [judged([emitted(M)] * n + [emitted(S)] * (5 - n), run=n) for n in (3, 4, 5)],
        runs=(3, 4, 5),
        statuses=StatusCounts(planned=3, ok=3),
    )
    assert exact_mean(figures, "precision") == Fraction(4, 5)
    assert mean(figures, "precision") == 0.8
    assert exact_mean(figures, "calibration_error") == Fraction(1, 6)
    assert exact_mean(figures, "recall") is None


def test_the_exact_semantic_error_counts_a_timid_match_as_right():
    # 0.8 timid: full |0 - 0.8|, semantic |1 - 0.8|.
    figures = score([judged([emitted(U, 0.8)])])
    assert exact_mean(figures, "calibration_error") == Fraction(4, 5)
    assert exact_mean(figures, "calibration_error_semantic") == Fraction(1, 5)

"""What becomes of claims whose match hangs on a pair without a verdict."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evals_pipeline.core.judge_settings import Assignment, JudgeKind, JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from tests.judge.fakes import (
    FakeArbiter,
    claim,
    gold,
    judge,
    outcomes,
)

LLM = JudgeSettings(kind=JudgeKind.LLM, model="judge-1")


def by_verdicts(verdicts):
    """An arbiter that answers (gold, emitted) as stated; what is not stated is never asked."""
    return FakeArbiter(lambda pair: verdicts[pair.want, pair.got])


BOTH_WAYS = [
    pytest.param(LLM, id="greedy"),
    pytest.param(LLM.model_copy(update={"assignment": Assignment.OPTIMAL}), id="optimal"),
]


@pytest.mark.parametrize("settings", BOTH_WAYS)
def test_a_match_that_only_the_judges_silence_made_is_none(settings):
    """c would take g, closer and optional; without a verdict on that, h is not won by it."""
    wanted = [gold("g", required=False), gold("h")]
    cosines = {"c": [0.72, 0.68]}
    answered = judge(
        [claim("c")], wanted, cosines, settings=settings, arbiter=FakeArbiter(lambda _: True)
    )
    assert outcomes(answered)[1] == [GoldOutcome.MATCHED, GoldOutcome.MISSED]
    assert answered.n_unjudged_pairs == 0

    silent = by_verdicts({("g", "c"): None, ("h", "c"): True})
    judged = judge([claim("c")], wanted, cosines, settings=settings, arbiter=silent)
    assert outcomes(judged) == ([ClaimOutcome.UNJUDGED], [GoldOutcome.UNJUDGED] * 2)
    assert judged.n_unjudged_pairs == 1
    assert judged.claims[0].note == "unjudged: a rule"


@pytest.mark.parametrize("settings", BOTH_WAYS)
def test_a_claim_that_lost_its_gold_to_the_judges_silence_is_unjudged_too(settings):
    """With a verdict a takes g and leaves h to b; without one a takes h, and b is not spurious."""
    wanted = [gold("g"), gold("h"), gold("far")]
    claims = [claim("a"), claim("b"), claim("sure")]
    cosines = {"a": [0.70, 0.68, 0], "b": [0.1, 0.67, 0], "sure": [0, 0, 0.9]}
    verdicts = {("g", "a"): None, ("h", "a"): True, ("h", "b"): True}
    judged = judge(claims, wanted, cosines, settings=settings, arbiter=by_verdicts(verdicts))
    assert outcomes(judged)[0] == [ClaimOutcome.UNJUDGED] * 2 + [ClaimOutcome.MATCHED]
    assert outcomes(judged)[1] == [GoldOutcome.UNJUDGED] * 2 + [GoldOutcome.MATCHED]
    assert "may take the gold claim of this one" in judged.claims[1].note


def test_what_was_settled_before_an_unjudged_pair_came_up_stays():
    """b takes h at 0.75, before the open pair of a comes up; what a might do cannot touch it."""
    wanted = [gold("g"), gold("h")]
    cosines = {"a": [0.70, 0.68], "b": [0.66, 0.75]}
    settings = LLM.model_copy(update={"threshold": 0.74})
    judged = judge(
        [claim("a"), claim("b")],
        wanted,
        cosines,
        settings=settings,
        arbiter=by_verdicts({("g", "a"): None}),
    )
    assert outcomes(judged) == (
        [ClaimOutcome.UNJUDGED, ClaimOutcome.MATCHED],
        [GoldOutcome.UNJUDGED, GoldOutcome.MATCHED],
    )


@given(data=st.data(), assignment=st.sampled_from(list(Assignment)))
@hypothesis_settings(max_examples=50, deadline=None)
def test_what_is_settled_is_so_whatever_the_missing_verdicts_would_have_been(data, assignment):
    names, texts = "abc", "ghi"
    cosine = st.sampled_from([0.0, 0.31, 0.36, 0.41, 0.46, 0.51, 0.56])
    cosines = {
        name: data.draw(st.lists(cosine, min_size=3, max_size=3).map(_on_axes)) for name in names
    }
    verdicts = {
        (text, name): data.draw(st.sampled_from([True, False, None]))
        for text in texts
        for name in names
    }
    settings = JudgeSettings(
        kind=JudgeKind.LLM, model="m", threshold=0.5, low=0.3, assignment=assignment
    )

    def judged_by(known):
        return judge(
            [claim(name) for name in names],
            [gold(text) for text in texts],
            cosines,
            settings=settings,
            arbiter=by_verdicts(known),
        )

    left_open = judged_by(verdicts)
    is_open = left_open.n_unjudged_pairs > 0
    assert is_open == (ClaimOutcome.UNJUDGED in outcomes(left_open)[0])
    for answers in product([True, False], repeat=sum(one is None for one in verdicts.values())):
        answer = iter(answers)
        known = {pair: next(answer) if one is None else one for pair, one in verdicts.items()}
        answered = judged_by(known)
        for held, said in zip(
            (*left_open.claims, *left_open.gold), (*answered.claims, *answered.gold), strict=True
        ):
            assert held.outcome in ("unjudged", said.outcome)


def _on_axes(row):
    """The row as it is while it fits into a vector of length 1, else shortened."""
    length = sum(value * value for value in row) ** 0.5
    return row if length <= 1 else [round(value / length - 0.005, 2) for value in row]

"""The order of the lists changes nothing of what is judged."""

import random

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from tests.judge.fakes import (
    claim,
    gold,
    judge,
)

SENTENCES = st.lists(
    st.sampled_from(
        ["red fox runs", "grey owl sleeps", "red owl runs", "fox", "grey fox runs 5 km"]
    ),
    max_size=5,
)


def seen(judged):
    """What was decided, without positions."""
    claims = [
        (
            each.claim.content,
            each.claim.confidence,
            each.outcome,
            each.similarity,
            None if each.gold_index is None else judged.gold[each.gold_index].gold.content,
            each.near,
            each.suspect,
        )
        for each in judged.claims
    ]
    wanted = [
        (each.gold.content, each.gold.required, each.outcome, each.near) for each in judged.gold
    ]
    return sorted(map(repr, claims)), sorted(map(repr, wanted))


@given(
    emitted=SENTENCES,
    expected=SENTENCES,
    seed=st.integers(0, 99),
    guards=st.sampled_from([GuardMode.FLAG, GuardMode.REJECT]),
    assignment=st.sampled_from(list(Assignment)),
)
@hypothesis_settings(max_examples=50, deadline=None)
def test_shuffling_either_side_changes_nothing(emitted, expected, seed, guards, assignment):
    rng = random.Random(seed)
    claims = [claim(text, rng.choice([None, 0.3, 0.9])) for text in emitted]
    wanted = [gold(text, required=rng.random() < 0.5) for text in expected]
    settings = JudgeSettings(threshold=0.5, guards=guards, assignment=assignment)
    before = seen(judge(claims, wanted, settings=settings))
    rng.shuffle(claims)
    rng.shuffle(wanted)
    assert seen(judge(claims, wanted, settings=settings)) == before


@given(texts=st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=6, unique=True))
@hypothesis_settings(max_examples=30, deadline=None)
def test_emitting_the_gold_itself_matches_all_of_it(texts):
    judged = judge([claim(text) for text in texts], [gold(text) for text in texts])
    assert all(each.outcome is ClaimOutcome.MATCHED for each in judged.claims)
    assert all(each.outcome is GoldOutcome.MATCHED for each in judged.gold)


@pytest.mark.parametrize("assignment", list(Assignment))
@pytest.mark.parametrize("turned", [False, True])
def test_of_two_gold_claims_of_one_text_the_lower_floor_goes_first(turned, assignment):
    wanted = [gold("the mill burned", 0.9), gold("the mill burned", 0.5)]
    if turned:
        wanted.reverse()
    settings = JudgeSettings(assignment=assignment)
    judged = judge([claim("the mill burned", 0.7)], wanted, settings=settings)
    assert judged.claims[0].outcome is ClaimOutcome.MATCHED
    assert wanted[judged.claims[0].gold_index].confidence_min == 0.5

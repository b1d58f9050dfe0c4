"""Why did this not match?"""

import pytest

from evals_pipeline.core.judge_settings import GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.explain_claim import explain_claim
from tests.judge.fakes import (
    CosineEncoder,
    FakeArbiter,
    case,
    claim,
    extraction,
    gold,
    in_memory,
)

WANT = "Costs rose by 5%."
GOT = "Costs rose by 7%."
FULL = f"Mill: {GOT}"


def explain(as_written, with_names=None, *, settings=None, subjects=("Mill",)):
    cosines = {GOT: [as_written], FULL: [as_written if with_names is None else with_names]}
    vectors = in_memory(CosineEncoder([WANT], cosines))
    return explain_claim(WANT, GOT, subjects, settings or JudgeSettings(), vectors)


def test_both_renderings_are_shown_and_the_higher_counts():
    explained = explain(0.4, 0.9)
    assert explained.rendering == FULL
    assert explained.similarity == pytest.approx(0.9)
    assert explained.trace[:2] == (
        "similarity as written: 0.4000",
        f"similarity as {FULL!r}: 0.9000; the higher one counts",
    )


def test_a_pair_below_the_threshold_says_so():
    explained = explain(0.5)
    assert explained.is_match is False
    assert explained.trace[-1] == "below 0.8: no match, without another look"


def test_texts_that_point_away_from_each_other_are_shown_as_unlike():
    explained = explain(-0.002)
    assert explained.similarity == 0.0
    assert explained.trace[0] == "similarity as written: 0.0000"


def test_a_suspect_pair_names_the_guard_and_what_follows():
    assert explain(0.9).is_match is True
    assert explain(0.9).suspect == ("numbers: want 5%, got 7%",)
    refused = explain(0.9, settings=JudgeSettings(guards=GuardMode.REJECT))
    assert refused.is_match is False
    assert refused.trace[-2:] == (
        "suspect: numbers: want 5%, got 7%",
        'guards = "reject": no match',
    )


@pytest.mark.parametrize("guards", list(GuardMode))
@pytest.mark.parametrize("kind", list(JudgeKind))
@pytest.mark.parametrize("similarity", [0.5, 0.65, 0.79, 0.8, 0.95])
def test_the_explanation_agrees_with_the_judge(guards, kind, similarity):
    settings = JudgeSettings(kind=kind, guards=guards, model="judge-1")
    explained = explain(similarity, settings=settings, subjects=())
    arbiter = FakeArbiter(lambda pair: True)
    [judged] = judge_cases(
        [(case([gold(WANT)]), extraction([claim(GOT)]))],
        settings=settings,
        vectors=in_memory(CosineEncoder([WANT], {GOT: [similarity]})),
        arbiter=arbiter,
    )
    was_asked = bool(arbiter.rounds)
    assert was_asked == (explained.is_match is None)
    if not was_asked:
        assert explained.is_match == (judged.claims[0].gold_index is not None)

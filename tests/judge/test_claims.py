"""What becomes of each claim and of each gold claim."""

import pytest

from evals_pipeline.core.errors import RefusedError, SetupError
from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, GoldOutcome
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.rendering import with_subjects
from tests.judge.fakes import (
    CosineEncoder,
    FakeArbiter,
    WordEncoder,
    case,
    claim,
    extraction,
    gold,
    in_memory,
    judge,
    outcomes,
)

EMBEDDING = JudgeSettings()
LLM = JudgeSettings(kind=JudgeKind.LLM, model="judge-1")


def test_a_claim_at_the_threshold_matches_and_one_below_does_not():
    judged = judge(
        [claim("at"), claim("below")], [gold("g"), gold("h")], {"at": [0.8, 0], "below": [0, 0.79]}
    )
    assert outcomes(judged) == (
        [ClaimOutcome.MATCHED, ClaimOutcome.SPURIOUS],
        [GoldOutcome.MATCHED, GoldOutcome.MISSED],
    )
    assert judged.claims[0].gold_index == 0
    assert judged.gold[0].claim_index == 0
    assert judged.claims[0].similarity == pytest.approx(0.8)
    assert judged.claims[1].similarity == pytest.approx(0.79)


def test_a_text_equal_to_its_gold_reaches_a_threshold_of_one():
    settings = JudgeSettings(threshold=1.0)
    judged = judge(
        [claim("The tower has 3 bells.")], [gold("The tower has 3 bells.")], settings=settings
    )
    assert judged.claims[0].outcome is ClaimOutcome.MATCHED
    assert judged.claims[0].similarity == 1.0


def test_a_match_stated_below_the_floor_is_under_confident_on_both_sides():
    judged = judge([claim("c", 0.89)], [gold("g", 0.9)], {"c": [0.95]})
    assert outcomes(judged) == ([ClaimOutcome.UNDER_CONFIDENCE], [GoldOutcome.UNDER_CONFIDENCE])


def test_the_floor_itself_is_enough():
    assert judge([claim("c", 0.9)], [gold("g", 0.9)], {"c": [0.95]}).claims[0].outcome is (
        ClaimOutcome.MATCHED
    )


def test_a_claim_without_usable_confidence_still_matches_and_says_so():
    timid = claim("c", None, confidence_flag='not a number: "High"')
    judged = judge([timid], [gold("g", 0.9)], {"c": [0.95]})
    assert judged.claims[0].outcome is ClaimOutcome.MATCHED
    assert "floor was not checked" in judged.claims[0].note


def test_one_gold_claim_takes_one_of_two_repeats():
    judged = judge([claim("c"), claim("c")], [gold("g")], {"c": [0.95]})
    assert sorted(outcomes(judged)[0]) == [ClaimOutcome.MATCHED, ClaimOutcome.SPURIOUS]


def test_a_negative_cosine_is_kept_as_it_is_and_matches_nothing():
    judged = judge([claim("c")], [gold("g")], {"c": [-0.12]})
    assert judged.claims[0].outcome is ClaimOutcome.SPURIOUS
    assert judged.claims[0].similarity == pytest.approx(-0.12)


def test_a_negative_cosine_counts_as_no_similarity_and_is_recorded_as_it_came():
    """With ``low`` 0 every pair is asked about: -0.12 is compared as 0, which 0 admits."""
    arbiter = FakeArbiter(lambda pair: False)
    settings = JudgeSettings(kind=JudgeKind.LLM, model="judge-1", low=0.0)
    judged = judge([claim("c")], [gold("g")], {"c": [-0.12]}, settings=settings, arbiter=arbiter)
    [[asked]] = arbiter.rounds
    assert asked.similarity == 0.0
    assert judged.claims[0].similarity == pytest.approx(-0.12)
    assert judged.gold[0].near[0].similarity == pytest.approx(-0.12)


def test_nothing_emitted_leaves_every_gold_claim_missed():
    judged = judge([], [gold("g"), gold("h")])
    assert outcomes(judged) == ([], [GoldOutcome.MISSED] * 2)
    assert judged.gold[0].similarity is None


def test_nothing_expected_leaves_every_claim_spurious():
    judged = judge([claim("c")], [])
    assert outcomes(judged) == ([ClaimOutcome.SPURIOUS], [])
    assert (judged.claims[0].similarity, judged.claims[0].rendering) == (None, "c")


@pytest.mark.parametrize(
    "status", [ExtractionStatus.ERROR, ExtractionStatus.TRUNCATED, ExtractionStatus.UNPARSABLE]
)
def test_a_failed_extraction_misses_all_its_gold_and_embeds_nothing(status):
    encoder = WordEncoder()
    [judged] = judge_cases(
        [(case([gold("g"), gold("h")]), extraction(status=status, reason="timed out"))],
        settings=EMBEDDING,
        vectors=in_memory(encoder),
        arbiter=None,
    )
    assert (judged.status, judged.reason) == (status, "timed out")
    assert outcomes(judged) == ([], [GoldOutcome.MISSED] * 2)
    assert encoder.batches == []


def test_a_declined_case_expects_nothing():
    [judged] = judge_cases(
        [(case([gold("g")]), extraction(status=ExtractionStatus.DECLINED))],
        settings=EMBEDDING,
        vectors=in_memory(WordEncoder()),
        arbiter=None,
    )
    assert outcomes(judged) == ([], [])


def test_cases_come_back_in_order_and_are_embedded_in_one_batch():
    encoder = WordEncoder()
    pairs = [
        (case([gold("red fox")], "a"), extraction([claim("red fox")])),
        (case([gold("owl")], "b"), extraction(status=ExtractionStatus.ERROR)),
        (case([gold("grey owl")], "c"), extraction([claim("grey owl"), claim("red fox")])),
    ]
    judged = judge_cases(pairs, settings=EMBEDDING, vectors=in_memory(encoder), arbiter=None)

    assert [each.case_id for each in judged] == ["a", "b", "c"]
    assert [sorted(batch) for batch in encoder.batches] == [["grey owl", "red fox"]]


def test_the_nearest_three_are_kept_for_matched_and_unmatched_alike():
    wanted = [gold(text) for text in "ghij"]
    judged = judge([claim("c")], wanted, {"c": [0.1, 0.5, 0.7, 0.3]})
    near = [(each.content, round(each.similarity, 6)) for each in judged.claims[0].near]
    assert near == [("i", 0.7), ("h", 0.5), ("j", 0.3)]
    assert [each.content for each in judged.gold[0].near] == ["c"]


# --- subjects -------------------------------------------------------------------------------------


def test_absent_subjects_are_put_before_and_present_ones_are_not():
    assert with_subjects("Costs rose.", ["Halden Mill", "Oslo"]) == "Halden Mill, Oslo: Costs rose."
    assert (
        with_subjects("At HALDEN mill costs rose.", ["Halden Mill"]) == "At HALDEN mill costs rose."
    )
    assert with_subjects("Costs rose.", ["", "  ", "Oslo", "oslo"]) == "Oslo: Costs rose."
    assert with_subjects("Costs rose.", []) == "Costs rose."


def test_the_better_rendering_counts_and_is_the_one_that_is_kept():
    claims = [claim("costs", subjects=("Mill",)), claim("mill costs", subjects=("Mill",))]
    cosines = {"costs": [0.5, 0.9], "Mill: costs": [0.95, 0.1], "mill costs": [0.2, 0.85]}
    judged = judge(claims, [gold("g"), gold("h")], cosines)

    assert [each.gold_index for each in judged.claims] == [0, 1]
    assert [each.rendering for each in judged.claims] == ["Mill: costs", "mill costs"]
    assert judged.claims[0].similarity == pytest.approx(0.95)


def test_without_subject_awareness_only_the_words_as_written_count():
    settings = JudgeSettings(subject_aware=False)
    judged = judge(
        [claim("costs", subjects=("Mill",))], [gold("g")], {"costs": [0.5]}, settings=settings
    )
    assert judged.claims[0].outcome is ClaimOutcome.SPURIOUS


# --- guards ---------------------------------------------------------------------------------------

WANTED = gold("The deposit is 1,250 EUR.")
GIVEN = claim("The deposit is 12,500 EUR.")
CLOSE = {GIVEN.content: [0.97]}


def test_a_suspect_pair_is_flagged_and_the_outcome_stays():
    judged = judge([GIVEN], [WANTED], CLOSE)
    assert judged.claims[0].outcome is ClaimOutcome.MATCHED
    assert judged.claims[0].suspect == ("numbers: want 1,250 EUR, got 12,500 EUR",)


def test_a_suspect_pair_is_refused_where_guards_reject():
    settings = JudgeSettings(guards=GuardMode.REJECT)
    judged = judge([GIVEN], [WANTED], CLOSE, settings=settings)
    assert outcomes(judged) == ([ClaimOutcome.SPURIOUS], [GoldOutcome.MISSED])
    assert judged.claims[0].suspect
    assert "refused by a guard" in judged.claims[0].note


def test_a_refused_claim_may_still_match_the_gold_it_belongs_to():
    wanted = [WANTED, gold("A deposit of 12,500 EUR is due.")]
    judged = judge(
        [GIVEN],
        wanted,
        {GIVEN.content: [0.7, 0.7]},
        settings=JudgeSettings(threshold=0.7, guards=GuardMode.REJECT),
    )
    assert judged.claims[0].gold_index == 1
    assert judged.claims[0].suspect == ()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (True, ClaimOutcome.MATCHED),
        (False, ClaimOutcome.SPURIOUS),
        (None, ClaimOutcome.UNJUDGED),
    ],
)
def test_a_suspect_pair_is_asked_where_guards_judge(answer, outcome):
    arbiter = FakeArbiter(lambda pair: answer)
    settings = JudgeSettings(guards=GuardMode.JUDGE, model="judge-1")
    judged = judge(
        [GIVEN, claim("same")],
        [WANTED, gold("fine")],
        {GIVEN.content: [0.97, 0], "same": [0, 0.9]},
        settings=settings,
        arbiter=arbiter,
    )
    assert judged.claims[0].outcome is outcome
    assert judged.claims[1].outcome is ClaimOutcome.MATCHED
    assert [[pair.got for pair in asked] for asked in arbiter.rounds] == [[GIVEN.content]]


# --- the LLM judge --------------------------------------------------------------------------------


def test_only_the_band_is_asked():
    arbiter = FakeArbiter(lambda pair: True)
    wanted = [gold(text) for text in "ghi"]
    cosines = {"sure": [0.8, 0, 0], "band": [0, 0.65, 0], "far": [0, 0, 0.649]}
    judged = judge(
        [claim(text) for text in cosines], wanted, cosines, settings=LLM, arbiter=arbiter
    )

    assert outcomes(judged)[0] == [
        ClaimOutcome.MATCHED,
        ClaimOutcome.MATCHED,
        ClaimOutcome.SPURIOUS,
    ]
    assert [[(pair.want, pair.got) for pair in asked] for asked in arbiter.rounds] == [
        [("h", "band")]
    ]
    assert judged.claims[1].note == "accepted by the judge: a rule"


def test_the_judge_sees_the_rendering_whose_similarity_counted():
    arbiter = FakeArbiter(lambda pair: False)
    cosines = {"costs": [0.3], "Mill: costs": [0.7]}
    judged = judge(
        [claim("costs", subjects=("Mill",))], [gold("g")], cosines, settings=LLM, arbiter=arbiter
    )
    assert arbiter.rounds[0][0].got == "Mill: costs"
    assert judged.claims[0].note == "rejected by the judge: a rule"


def test_after_a_no_the_next_best_pair_is_asked():
    arbiter = FakeArbiter(lambda pair: pair.want == "h")
    judged = judge(
        [claim("c")], [gold("g"), gold("h")], {"c": [0.72, 0.68]}, settings=LLM, arbiter=arbiter
    )
    assert judged.claims[0].gold_index == 1
    assert [[pair.want for pair in asked] for asked in arbiter.rounds] == [["g"], ["h"]]


def test_an_unjudged_pair_is_neither_match_nor_miss():
    arbiter = FakeArbiter(lambda pair: None)
    judged = judge([claim("c")], [gold("g")], {"c": [0.7]}, settings=LLM, arbiter=arbiter)
    assert outcomes(judged) == ([ClaimOutcome.UNJUDGED], [GoldOutcome.UNJUDGED])
    assert "a rule" in judged.claims[0].note


def test_questions_of_all_cases_go_in_one_round_and_equal_ones_once():
    arbiter = FakeArbiter(lambda pair: True)
    encoder = CosineEncoder(["g"], {"c": [0.7]})
    pairs = [(case([gold("g")], name), extraction([claim("c")])) for name in ("a", "b")]
    judged = judge_cases(pairs, settings=LLM, vectors=in_memory(encoder), arbiter=arbiter)

    assert [len(asked) for asked in arbiter.rounds] == [1]
    assert all(each.claims[0].outcome is ClaimOutcome.MATCHED for each in judged)


class BrokenArbiter:
    def __init__(self, what):
        self._what = what

    def decide(self, pairs):
        if isinstance(self._what, Exception):
            raise self._what
        return self._what


@pytest.mark.parametrize("what", [RuntimeError("key sk-123"), []], ids=["crash", "too few"])
def test_an_arbiter_that_breaks_down_leaves_its_pairs_unjudged(what):
    judged = judge(
        [claim("c")], [gold("g")], {"c": [0.7]}, settings=LLM, arbiter=BrokenArbiter(what)
    )
    assert judged.claims[0].outcome is ClaimOutcome.UNJUDGED
    assert "sk-123" not in judged.claims[0].note


def test_a_refusal_on_purpose_stops_the_judging():
    broken = BrokenArbiter(RefusedError("the budget is spent"))
    with pytest.raises(RefusedError, match="budget"):
        judge([claim("c")], [gold("g")], {"c": [0.7]}, settings=LLM, arbiter=broken)


@pytest.mark.parametrize("settings", [LLM, JudgeSettings(guards=GuardMode.JUDGE)])
def test_settings_that_ask_need_somebody_to_ask(settings):
    with pytest.raises(SetupError, match=r"judge\.model"):
        judge([claim("c")], [gold("g")], {"c": [0.7]}, settings=settings)


def test_optimal_assignment_is_taken_where_it_is_set():
    cosines = {"a": [0.95, 0.9, 0], "b": [0.94, 0.1, 0]}
    claims = [claim("a"), claim("b")]
    wanted = [gold("g"), gold("h"), gold("i")]
    # Cosines over one another's axes exceed length 1, so scale the threshold with them.
    scaled = {text: [value / 2 for value in row] for text, row in cosines.items()}
    greedy = judge(claims, wanted, scaled, settings=JudgeSettings(threshold=0.4))
    best = judge(
        claims, wanted, scaled, settings=JudgeSettings(threshold=0.4, assignment=Assignment.OPTIMAL)
    )
    assert [each.gold_index for each in greedy.claims] == [0, None]
    assert [each.gold_index for each in best.claims] == [1, 0]

"""What is left of claims whose words are kept back."""

import pytest

from evals_pipeline.core.claim_text import WITHHELD, case_without_text, kind_alone
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, GoldOutcome
from evals_pipeline.core.record_json import to_text
from evals_pipeline.core.run_records import Claim, JudgedCase, JudgedClaim, JudgedGold, NearMiss
from tests.report.pages import gold

SECRET = "Xenia"


def test_no_word_of_a_claim_is_left_and_what_is_known_of_it_stays():
    claim = Claim(
        content=f"{SECRET} sank.",
        confidence=None,
        subjects=(SECRET,),
        confidence_flag=f'not a number: "{SECRET}"',
        properties={"who": SECRET},
    )
    judged = JudgedClaim(
        claim=claim,
        outcome=ClaimOutcome.SPURIOUS,
        gold_index=None,
        similarity=0.75,
        rendering=f"{SECRET}: {SECRET} sank.",
        suspect=(f"subject: want Yves, got {SECRET}",),
        note=f"rejected by the judge: {SECRET} is another",
    )
    missed = gold("Yves sank.", GoldOutcome.MISSED)
    case = JudgedCase(
        case_id="a",
        run_index=0,
        status=ExtractionStatus.OK,
        claims=(judged,),
        gold=(
            JudgedGold(
                gold=missed.gold,
                outcome=missed.outcome,
                claim_index=None,
                similarity=0.75,
                near=(NearMiss(content=f"{SECRET} sank.", similarity=0.75),),
            ),
        ),
    )
    told = case_without_text(case)
    assert SECRET not in to_text(told)
    [one] = told.claims
    assert (one.outcome, one.similarity, one.claim.content) == (judged.outcome, 0.75, WITHHELD)
    assert one.claim.confidence_flag == "not a number"
    assert (one.suspect, one.note) == (("subject",), "rejected by the judge")
    assert told.gold[0].gold.content == "Yves sank."


@pytest.mark.parametrize("remark", ["absent", "null", "no usable confidence, so no floor"])
def test_a_remark_that_quotes_nothing_stays(remark):
    assert kind_alone(remark) == remark

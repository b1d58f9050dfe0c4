"""What is left of emitted claims where ``record_claim_text = false`` keeps their words back.

Outcomes, confidences and similarities stay, and so does that a flag or a remark is there and of
which kind. The suite's own gold claims are no secret of a document's and stay too.
"""

from dataclasses import replace

from evals_pipeline.core.run_records import JudgedCase, JudgedClaim

WITHHELD = "(the settings keep claim text out of reports)"
"""What stands in the place of a claim's words."""


def kind_alone(remark: str) -> str:
    """A flag or remark without what it quotes, which comes after its first colon.

    >>> kind_alone('not a number: "High"'), kind_alone("absent")
    ('not a number', 'absent')
    """
    return remark.partition(":")[0]


def case_without_text(case: JudgedCase) -> JudgedCase:
    """A judged case of which no word of an emitted claim can be read."""
    return replace(
        case,
        claims=tuple(_without_text(one) for one in case.claims),
        gold=tuple(replace(one, near=()) for one in case.gold),
    )


def _without_text(one: JudgedClaim) -> JudgedClaim:
    flag = one.claim.confidence_flag
    return replace(
        one,
        claim=replace(
            one.claim,
            content=WITHHELD,
            subjects=(),
            confidence_flag=None if flag is None else kind_alone(flag),
            properties={},
        ),
        rendering=WITHHELD,
        suspect=tuple(kind_alone(reason) for reason in one.suspect),
        note=None if one.note is None else kind_alone(one.note),
    )

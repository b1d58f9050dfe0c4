"""The rows of a claim suite: every emitted claim, and every gold claim that nothing matched."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evals_pipeline.core.claim_text import WITHHELD, kind_alone
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from evals_pipeline.core.run_records import JudgedCase, JudgedClaim, JudgedGold, NearMiss
from evals_pipeline.core.similarity import clamped
from evals_pipeline.report.html.marking import words_of_one_side
from evals_pipeline.report.html.page import SuiteModel, SuiteSection
from evals_pipeline.report.html.rows import ABSENT, Json, Once, Rows, shown, shown_name

MISSED, MISSED_OPTIONAL = "missed", "missed_optional"
_Judged: TypeAlias = tuple[JudgedCase, JudgedClaim | JudgedGold]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What a row says, of either side; ``key`` is the text whose passage is shown."""

    outcome: str
    want: str | None
    got: str | None
    confidence: float | None
    floor: float | None
    why: tuple[str, ...]
    near: tuple[NearMiss, ...]
    key: str
    note: str | None = None


def claim_rows(section: SuiteSection) -> Json:
    """What the page shows of a suite's claims, what went wrong first."""
    rows = Rows(
        (
            "model", "outcome", "doc", "runs", "want", "got", "mark", "similarity", "confidence",
            "floor", "trace", "near", "note", "place",
        )
    )  # fmt: skip
    cases, near = Once(), Once()
    outcomes = [*(outcome.value for outcome in ClaimOutcome), MISSED, MISSED_OPTIONAL]
    for number, model in enumerate(section.models):
        for alike in _alike(model):
            case, one = alike[0]
            said = _said(one, case, with_text=section.with_claim_text)
            passage = model.passages.get((case.case_id, said.key))
            rows.add(
                model=number,
                outcome=outcomes.index(said.outcome),
                doc=cases.place(case.case_id),
                runs=rows.runs({found.run_index for found, _ in alike}),
                want=rows.text(said.want),
                got=rows.text(said.got),
                mark=rows.marked(said.want, said.got, words_of_one_side),
                similarity=_rounded(clamped(one.similarity)),
                confidence=_rounded(said.confidence),
                floor=_rounded(said.floor),
                trace=rows.text_list(said.why),
                near=_near(rows, near, said.near),
                note=rows.text(said.note),
                place=rows.excerpts(() if passage is None else (passage,)),
            )
    return rows.as_json(
        kind="claims",
        models=[shown_name(model.measured.model_version) for model in section.models],
        outcomes=outcomes,
        run_indices=sorted({run for model in section.models for run in model.figures.run_indices}),
        doc_ids=[shown_name(name) for name in cases.kept],
        doc_names=[shown_name(name) for name in cases.kept],
        nears=near.kept,
    )


def _alike(model: SuiteModel) -> Iterable[Sequence[_Judged]]:
    """Judged claims of all runs, those that say the same in several runs together."""
    alike: dict[tuple[Hashable, ...], list[_Judged]] = {}
    for case in model.figures.cases:
        for claim in case.claims:
            alike.setdefault(_claim_key(claim, case), []).append((case, claim))
        for gold in case.gold:
            if gold.outcome in (GoldOutcome.MISSED, GoldOutcome.UNJUDGED):
                key = (case.case_id, "gold", gold.outcome, gold.gold.content, gold.similarity)
                alike.setdefault(key, []).append((case, gold))
    return sorted(alike.values(), key=lambda same: _trouble(same[0][1]))


def _claim_key(claim: JudgedClaim, case: JudgedCase) -> tuple[Hashable, ...]:
    matched = None if claim.gold_index is None else case.gold[claim.gold_index].gold.content
    return (
        case.case_id, "claim", claim.outcome, claim.claim.content, matched,
        claim.claim.confidence, claim.similarity, claim.suspect, claim.note,
    )  # fmt: skip


def _trouble(one: JudgedClaim | JudgedGold) -> int:
    """What a reader looks at first: missed, spurious, open, timid, suspect, then what is right."""
    if isinstance(one, JudgedGold):
        return 0 if one.gold.required else 4
    order = (ClaimOutcome.SPURIOUS, ClaimOutcome.UNJUDGED, ClaimOutcome.UNDER_CONFIDENCE)
    if one.outcome in order:
        return 1 + order.index(one.outcome)
    return 5 if one.suspect else 6


def _said(one: JudgedClaim | JudgedGold, case: JudgedCase, *, with_text: bool) -> _Said:
    if isinstance(one, JudgedGold):
        return _gold_said(one, with_text=with_text)
    gold = None if one.gold_index is None else case.gold[one.gold_index].gold
    told = str if with_text else kind_alone
    why = [f"suspect: {told(reason)}" for reason in one.suspect]
    if one.rendering != one.claim.content and with_text:
        why.append(f"compared as: {one.rendering}")
    if one.claim.confidence_flag is not None:
        why.append(f"confidence: {told(one.claim.confidence_flag)}")
    return _Said(
        outcome=one.outcome.value,
        want=None if gold is None else gold.content,
        got=one.claim.content if with_text else WITHHELD,
        confidence=one.claim.confidence,
        floor=None if gold is None else gold.confidence_min,
        why=tuple(why),
        near=() if one.outcome is ClaimOutcome.MATCHED else one.near,
        key=one.claim.content,
        note=None if one.note is None else told(one.note),
    )


def _gold_said(gold: JudgedGold, *, with_text: bool) -> _Said:
    is_required = gold.gold.required
    missed = MISSED if is_required else MISSED_OPTIONAL
    return _Said(
        outcome=missed if gold.outcome is GoldOutcome.MISSED else gold.outcome.value,
        want=gold.gold.content,
        got=None,
        confidence=None,
        floor=gold.gold.confidence_min,
        why=("required" if is_required else "not required: its absence is not penalised",),
        near=gold.near if with_text else (),
        key=gold.gold.content,
    )


def _near(rows: Rows, near: Once, found: Sequence[NearMiss]) -> int:
    pairs = tuple(
        (rows.texts.place(shown(one.content)), round(clamped(one.similarity), 3)) for one in found
    )
    return near.place(pairs, [list(pair) for pair in pairs]) if pairs else ABSENT


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)

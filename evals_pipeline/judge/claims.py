"""Which emitted claims say what the gold claims say, for a whole partition at once.

All texts of the partition are embedded in one batch. Then each case is walked from the closest
pair down; pairs that need a second opinion are gathered over all cases and asked together, as often
as the answers leave something open. Nothing here depends on the order of claims or cases.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals_pipeline.core.errors import EvalsError, SetupError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, GoldOutcome
from evals_pipeline.core.records import GoldClaim, SuiteCase
from evals_pipeline.core.run_records import (
    Claim,
    Extraction,
    JudgedCase,
    JudgedClaim,
    JudgedGold,
    NearMiss,
)
from evals_pipeline.judge.arbiter import Arbiter, ClaimPair, Verdict
from evals_pipeline.judge.assignment import Assigned, Matrix, Pair
from evals_pipeline.judge.encoder import Vectors
from evals_pipeline.judge.open_case import OpenCase
from evals_pipeline.judge.rendering import LookUp, Renderings, similarities_of
from evals_pipeline.judge.vectors import VectorCache

N_NEAR = 3
_LOG = logging.getLogger(__name__)

_Near: TypeAlias = list[tuple[int, float]]
"""Indices on the other side with their similarities, best first."""


def judge_cases(
    pairs: Sequence[tuple[SuiteCase, Extraction]],
    *,
    settings: JudgeSettings,
    vectors: VectorCache,
    arbiter: Arbiter | None,
) -> list[JudgedCase]:
    """The cases judged, in the order given.

    A case whose extraction did not end ok has no emitted claims, and every gold claim of it is
    missed; of a declined one nothing was expected, so it has no gold claims either.

    Args:
        pairs: Each case with what was extracted from its document in one run.
        settings: Thresholds, guards and the way of assignment.
        vectors: Where the texts' vectors come from; new ones are embedded in one batch.
        arbiter: Whom to ask about what similarity leaves open.

    Raises:
        SetupError: The settings leave pairs to an arbiter and there is none.
    """
    if settings.asks_somebody and arbiter is None:
        raise SetupError(
            f"judge: kind {str(settings.kind)!r} with guards {settings.guards.value!r} needs a "
            f"model to ask, and none is set. Name one in judge.model, or judge by embeddings alone."
        )
    open_cases = _opened(pairs, settings=settings, vectors=vectors)
    assigned = _assigned(open_cases, arbiter)
    judged = map(_judged, open_cases, assigned)
    return [
        next(judged)
        if extraction.status is ExtractionStatus.OK
        else _without_claims(case, extraction)
        for case, extraction in pairs
    ]


def _opened(
    pairs: Sequence[tuple[SuiteCase, Extraction]],
    *,
    settings: JudgeSettings,
    vectors: VectorCache,
) -> list[OpenCase]:
    """The cases with an ok extraction, their texts embedded in one batch."""
    answered = [
        (case, extraction) for case, extraction in pairs if extraction.status is ExtractionStatus.OK
    ]
    renderings = [
        Renderings.of(
            extraction.claims,
            [wanted.content for wanted in case.expected],
            is_subject_aware=settings.subject_aware,
        )
        for case, extraction in answered
    ]
    look_up = _look_up(
        dict.fromkeys(text for rendering in renderings for text in rendering.texts()), vectors
    )
    return [
        OpenCase(
            case=case,
            extraction=extraction,
            similarities=similarities_of(rendering, look_up),
            settings=settings,
        )
        for (case, extraction), rendering in zip(answered, renderings, strict=True)
    ]


def _look_up(texts: Mapping[str, object], vectors: VectorCache) -> LookUp:
    rows = vectors.vectors(list(texts))
    places = {text: place for place, text in enumerate(texts)}

    def rows_of(wanted: Sequence[str]) -> Vectors:
        return rows[[places[text] for text in wanted]]

    return rows_of


# --- asking -------------------------------------------------------------------------------------


def _assigned(open_cases: Sequence[OpenCase], arbiter: Arbiter | None) -> list[Assigned]:
    """What each case comes to; what is pending anywhere is asked in one round."""
    assigned = [Assigned(matched=(), pending=())] * len(open_cases)
    unfinished = list(range(len(open_cases)))
    answered: dict[ClaimPair, Verdict] = {}
    while unfinished:
        pending: list[tuple[OpenCase, Pair]] = []
        still_open = []
        for place in unfinished:
            result = open_cases[place].assign()
            assigned[place] = result
            if result.pending:
                still_open.append(place)
                pending += [(open_cases[place], pair) for pair in result.pending]
        _ask(pending, arbiter, answered)
        unfinished = still_open
    return [
        one.settle() if one.n_unjudged_pairs else result
        for one, result in zip(open_cases, assigned, strict=True)
    ]


def _ask(
    pending: Sequence[tuple[OpenCase, Pair]],
    arbiter: Arbiter | None,
    answered: dict[ClaimPair, Verdict],
) -> None:
    """Gives each pending pair its verdict; equal texts are asked once."""
    texts = [(open_case, pair, open_case.texts_of(*pair)) for open_case, pair in pending]
    new = list(dict.fromkeys(text for _, _, text in texts if text not in answered))
    if new and arbiter is not None:
        answered.update(zip(new, _verdicts(arbiter, new), strict=True))
    for open_case, pair, text in texts:
        open_case.verdicts[pair] = answered[text]


def _verdicts(arbiter: Arbiter, pairs: Sequence[ClaimPair]) -> Sequence[Verdict]:
    """What the arbiter says; where it breaks down, every pair is unjudged."""
    try:
        verdicts = list(arbiter.decide(pairs))
    except EvalsError:
        raise  # refused on purpose, with a remedy: a budget, a missing key
    except Exception as crash:  # noqa: BLE001 - a plugin's call; its crash is an outcome, not ours
        _LOG.warning(
            "judge: the arbiter crashed over %d pairs (%s)", len(pairs), type(crash).__name__
        )
        return [_unjudged(f"the judge crashed ({type(crash).__name__})")] * len(pairs)
    if len(verdicts) != len(pairs):
        return [_unjudged(f"the judge gave {len(verdicts)} verdicts for {len(pairs)} pairs")] * len(
            pairs
        )
    return [_sound(verdict) for verdict in verdicts]


def _sound(verdict: object) -> Verdict:
    """A verdict as it is; whatever else a plugin may give is none."""
    if not isinstance(verdict, Verdict):
        return _unjudged(f"the judge gave a {type(verdict).__name__} in the place of a verdict")
    if verdict.aligned is not None and not isinstance(verdict.aligned, bool):
        return _unjudged("the judge's verdict is neither true nor false")
    return Verdict(aligned=verdict.aligned, reason=str(verdict.reason)[:300])


def _unjudged(reason: str) -> Verdict:
    return Verdict(aligned=None, reason=reason)


# --- outcomes -----------------------------------------------------------------------------------


def _without_claims(case: SuiteCase, extraction: Extraction) -> JudgedCase:
    is_expected = extraction.status is not ExtractionStatus.DECLINED
    return JudgedCase(
        case_id=case.case_id,
        run_index=extraction.run_index,
        status=extraction.status,
        reason=extraction.reason,
        claims=(),
        gold=tuple(
            JudgedGold(gold=wanted, outcome=GoldOutcome.MISSED, claim_index=None, similarity=None)
            for wanted in case.expected
            if is_expected
        ),
    )


def _judged(open_case: OpenCase, assigned: Assigned) -> JudgedCase:
    matrix = open_case.similarities.matrix
    near_gold = _nearest(matrix, open_case.order.gold)
    near_claims = _nearest(matrix.T, open_case.order.claims)
    column_of = dict(assigned.matched)
    row_of = {column: row for row, column in assigned.matched}
    return JudgedCase(
        case_id=open_case.case.case_id,
        run_index=open_case.extraction.run_index,
        status=open_case.extraction.status,
        reason=open_case.extraction.reason,
        claims=tuple(
            _judged_claim(
                open_case,
                row,
                column_of.get(row),
                near_gold[row],
                is_held=row in assigned.held_claims,
            )
            for row in range(len(open_case.claims))
        ),
        gold=tuple(
            _judged_gold(
                open_case,
                column,
                row_of.get(column),
                near_claims[column],
                is_held=column in assigned.held_gold,
            )
            for column in range(len(open_case.gold))
        ),
        n_unjudged_pairs=open_case.n_unjudged_pairs,
    )


def _judged_claim(
    open_case: OpenCase, row: int, column: int | None, near: _Near, *, is_held: bool
) -> JudgedClaim:
    matrix, claim = open_case.similarities.matrix, open_case.claims[row]
    shown = column if column is not None else next((j for j, _ in near), None)
    if column is not None:
        outcome, suspect, note = _when_matched(open_case, row, column)
    elif is_held:
        outcome, suspect, note = ClaimOutcome.UNJUDGED, (), _why_held(open_case, row)
    else:
        outcome, suspect, note = _when_unmatched(open_case, row)
    return JudgedClaim(
        claim=claim,
        outcome=outcome,
        gold_index=column,
        similarity=None if shown is None else float(matrix[row, shown]),
        suspect=suspect,
        rendering=claim.content if shown is None else open_case.similarities.rendering(row, shown),
        near=tuple(
            NearMiss(content=open_case.gold[j].content, similarity=similarity)
            for j, similarity in near
        ),
        note=note,
    )


_Said: TypeAlias = tuple[ClaimOutcome, tuple[str, ...], str | None]


def _when_matched(open_case: OpenCase, row: int, column: int) -> _Said:
    claim, wanted = open_case.claims[row], open_case.gold[column]
    notes = []
    if verdict := open_case.verdicts.get((row, column)):
        notes.append(f"accepted by the judge: {verdict.reason}")
    if claim.confidence is None and wanted.confidence_min > 0:
        notes.append("no usable confidence, so the floor was not checked")
    return (
        _outcome_of(claim, wanted),
        open_case.suspicion(row, column),
        "; ".join(notes) or None,
    )


def _outcome_of(claim: Claim, wanted: GoldClaim) -> ClaimOutcome:
    if claim.confidence is not None and claim.confidence < wanted.confidence_min:
        return ClaimOutcome.UNDER_CONFIDENCE
    return ClaimOutcome.MATCHED


def _why_held(open_case: OpenCase, row: int) -> str:
    """Why a claim is unjudged: a pair of its own, or one that may take its gold claim away."""
    own = [verdict for pair, verdict in open_case.verdicts.items() if pair[0] == row]
    reasons = {verdict.reason for verdict in own if verdict.aligned is None}
    if not reasons:
        return "unjudged: a pair that the judge left open may take the gold claim of this one"
    return f"unjudged: {'; '.join(sorted(reasons))}"


def _when_unmatched(open_case: OpenCase, row: int) -> _Said:
    """Spurious, with what stood against its best pair."""
    verdicts = [verdict for pair, verdict in open_case.verdicts.items() if pair[0] == row]
    if refusal := open_case.refusals.get(row):
        reasons = refusal.reasons
        return ClaimOutcome.SPURIOUS, reasons, f"refused by a guard: {'; '.join(reasons)}"
    if verdicts:
        return ClaimOutcome.SPURIOUS, (), f"rejected by the judge: {verdicts[0].reason}"
    return ClaimOutcome.SPURIOUS, (), None


def _judged_gold(
    open_case: OpenCase, column: int, row: int | None, near: _Near, *, is_held: bool
) -> JudgedGold:
    matrix, wanted = open_case.similarities.matrix, open_case.gold[column]
    shown = row if row is not None else next((i for i, _ in near), None)
    return JudgedGold(
        gold=wanted,
        outcome=_gold_outcome(open_case, column, row, is_held=is_held),
        claim_index=row,
        similarity=None if shown is None else float(matrix[shown, column]),
        near=tuple(
            NearMiss(content=open_case.claims[i].content, similarity=similarity)
            for i, similarity in near
        ),
    )


def _gold_outcome(
    open_case: OpenCase, column: int, row: int | None, *, is_held: bool
) -> GoldOutcome:
    if row is not None:
        outcome = _outcome_of(open_case.claims[row], open_case.gold[column])
        if outcome is ClaimOutcome.UNDER_CONFIDENCE:
            return GoldOutcome.UNDER_CONFIDENCE
        return GoldOutcome.MATCHED
    return GoldOutcome.UNJUDGED if is_held else GoldOutcome.MISSED


def _nearest(matrix: Matrix, ranks: NDArray[np.int64]) -> list[_Near]:
    """For each row the three columns that are most alike, best first, ties by content."""
    by_rank = np.argsort(ranks)
    left = matrix[:, by_rank]  # a copy, in which what was taken is struck out
    every_row = np.arange(len(left))
    best, alike = [], []
    for _ in range(min(N_NEAR, left.shape[1])):
        first = np.argmax(left, axis=1)  # the first of equals, so the one of the lowest rank
        best.append(by_rank[first])
        alike.append(left[every_row, first])
        left[every_row, first] = -np.inf
    if not best:
        return [[] for _ in every_row]
    columns, similarities = np.array(best).T.tolist(), np.array(alike).T.tolist()
    return [list(zip(*near, strict=True)) for near in zip(columns, similarities, strict=True)]

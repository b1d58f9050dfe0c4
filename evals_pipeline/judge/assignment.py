"""Which emitted claim goes with which gold claim: one to one, the same whatever the list order.

Both ways work over *candidates*, the pairs close enough to be considered, in an order that content
alone decides. A pair may need a second opinion (a guard, the LLM judge); ``decide`` gives it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from evals_pipeline.core.records import Claim, GoldClaim

Matrix: TypeAlias = NDArray[np.float64]
"""Similarities, emitted claims by gold claims."""

Pair: TypeAlias = tuple[int, int]
"""Index of an emitted claim, index of a gold claim."""

Decide: TypeAlias = Callable[[int, int], bool | None]
"""Whether a pair may be matched; None when that has yet to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The pairs that were matched, and those whose answer is needed before more can be."""

    matched: tuple[Pair, ...]
    pending: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentOrder:
    """Ranks of the claims of both sides by content; equal content may take any rank.

    ``confidence`` ranks emitted claims with the highest first, those without one last; ``claims``
    and ``gold`` rank by text and what else the claim says; ``optional`` is 1 for a gold claim that
    is not required.
    """

    confidence: NDArray[np.int64]
    claims: NDArray[np.int64]
    optional: NDArray[np.int64]
    gold: NDArray[np.int64]

    @classmethod
    def of(cls, claims: Sequence[Claim], gold: Sequence[GoldClaim]) -> "ContentOrder":
        """The ranks of these claims."""
        return cls(
            confidence=_dense_ranks([-_stated(claim) for claim in claims]),
            claims=_ranks([(claim.content, claim.subjects, -_stated(claim)) for claim in claims]),
            optional=np.array([not wanted.required for wanted in gold], dtype=np.int64),
            gold=_ranks(
                [
                    (wanted.content, wanted.confidence_min, wanted.uncertainty_nature)
                    for wanted in gold
                ]
            ),
        )

    def of_pairs(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.int64]:
        """One number a pair: higher confidence first, then required, then the two texts."""
        n_claims, n_gold = max(len(self.claims), 1), max(len(self.gold), 1)
        rank = self.confidence[rows] * 2 + self.optional[columns]
        return (rank * n_claims + self.claims[rows]) * n_gold + self.gold[columns]


def candidates(similarities: Matrix, order: ContentOrder, *, at_least: float) -> list[Pair]:
    """The pairs at or above ``at_least``, best first, ties broken by content."""
    rows, columns = np.nonzero(similarities >= at_least)
    by_rank = np.lexsort((order.of_pairs(rows, columns), -similarities[rows, columns]))
    return list(zip(rows[by_rank].tolist(), columns[by_rank].tolist(), strict=True))


def greedy(ordered: Sequence[Pair], decide: Decide) -> Assigned:
    """Takes the pairs in order, each whose two claims are still free and that ``decide`` admits.

    A pair that has yet to be asked holds its two claims back, and with them whatever would compete
    for them. With the answers known, walking again goes further; so exactly those pairs are asked
    that a walk asking one by one would ask, only many at a time.
    """
    taken_rows: set[int] = set()
    taken_columns: set[int] = set()
    held_rows: set[int] = set()
    held_columns: set[int] = set()
    matched: list[Pair] = []
    pending: list[Pair] = []
    for row, column in ordered:
        if row in taken_rows or column in taken_columns:
            continue
        verdict = decide(row, column)
        if verdict is False:
            continue
        is_held = row in held_rows or column in held_columns
        if verdict is True and not is_held:
            matched.append((row, column))
            taken_rows.add(row)
            taken_columns.add(column)
            continue
        if verdict is None and not is_held:
            pending.append((row, column))
        held_rows.add(row)
        held_columns.add(column)
    return Assigned(matched=tuple(matched), pending=tuple(pending))


def optimal(
    ordered: Sequence[Pair], decide: Decide, *, similarities: Matrix, order: ContentOrder
) -> Assigned:
    """The one-to-one pairs with the greatest sum of similarities; every candidate is decided.

    Ties prefer higher confidence, then required gold. Source: Crouse 2016 (as in scipy), on rows
    and columns put in content order first, so that the order of the lists cannot matter.
    """
    verdicts = {pair: decide(*pair) for pair in ordered}
    pending = tuple(pair for pair, verdict in verdicts.items() if verdict is None)
    admitted = [pair for pair, verdict in verdicts.items() if verdict]
    if pending or not admitted:
        return Assigned(matched=(), pending=pending)
    row_order, column_order = np.argsort(order.claims), np.argsort(order.gold)
    weights = np.zeros_like(similarities)
    rows, columns = np.array(admitted).T
    weights[rows, columns] = similarities[rows, columns] + _preference(order, rows, columns)
    picked = linear_sum_assignment(weights[np.ix_(row_order, column_order)], maximize=True)
    chosen = zip(row_order[picked[0]].tolist(), column_order[picked[1]].tolist(), strict=True)
    # Where nothing is admitted a row is still given some column, at no gain; those are no matches.
    matches = set(chosen) & set(admitted)
    return Assigned(matched=tuple(pair for pair in ordered if pair in matches), pending=())


def _preference(
    order: ContentOrder, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """A bonus per pair that breaks ties; all bonuses together stay under one step of similarity."""
    n_pairs = min(len(order.claims), len(order.gold))
    by_confidence = 1 - order.confidence[rows] / len(order.claims)
    preferred = (2 * by_confidence + (1 - order.optional[columns])) / 3
    return np.asarray(preferred * (1e-7 / n_pairs), dtype=np.float64)


def _stated(claim: Claim) -> float:
    return -1.0 if claim.confidence is None else claim.confidence


def _dense_ranks(keys: Sequence[float]) -> NDArray[np.int64]:
    """Ranks from 0, equal keys sharing one."""
    return np.unique(np.array(keys, dtype=np.float64), return_inverse=True)[1].astype(np.int64)


def _ranks(keys: Sequence[tuple[object, ...]]) -> NDArray[np.int64]:
    """Ranks from 0, each once."""
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return ranks

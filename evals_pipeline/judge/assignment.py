"""Which emitted claim goes with which gold claim: one to one, the same whatever the list order.

Pairs are considered in an order that content alone decides. A pair may need a second opinion (a
guard, the LLM judge); ``decide`` gives it, or says that it has yet to be asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from evals_pipeline.core.records import GoldClaim
from evals_pipeline.core.run_records import Claim

Matrix: TypeAlias = NDArray[np.float64]
"""Similarities, emitted claims by gold claims."""

Pair: TypeAlias = tuple[int, int]
"""Index of an emitted claim, index of a gold claim."""

Decide: TypeAlias = Callable[[int, int], bool | None]
"""Whether a pair may be matched; None when that has yet to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The pairs that were matched, and those whose answer is needed before more can be.

    ``held_claims`` and ``held_gold`` hold those whose outcome hangs on an answer that is not there:
    the two of a pending pair, and whatever may go another way with it. Everything else is settled.
    """

    matched: tuple[Pair, ...]
    pending: tuple[Pair, ...]
    held_claims: frozenset[int] = frozenset()
    held_gold: frozenset[int] = frozenset()


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


def greedy(
    similarities: Matrix, order: ContentOrder, *, at_least: float, decide: Decide | None = None
) -> Assigned:
    """Takes the pairs best first, each whose two claims are still free and that may be matched.

    A pair that has yet to be asked holds its two claims back, and with them whatever would compete
    for them. With the answers known, assigning again goes further; so exactly those pairs are asked
    that asking one by one would ask, only many at a time.

    Args:
        similarities: Emitted claims by gold claims.
        order: What breaks ties.
        at_least: The similarity from which on a pair is considered, inclusive.
        decide: Whether a pair may be matched; None admits every pair.
    """
    walk = _Walk(decide)
    rows, columns = (np.arange(size, dtype=np.intp) for size in similarities.shape)
    upper = np.inf
    while len(rows) and len(columns):
        block, upper = _next_block(similarities, order, rows, columns, (at_least, upper))
        if not block:
            break
        for row, column in block:
            walk.consider(row, column)
        rows = rows[~np.isin(rows, list(walk.row_of.values()))]
        columns = columns[~np.isin(columns, list(walk.row_of))]
    return Assigned(
        matched=tuple((row, column) for column, row in walk.row_of.items()),
        pending=tuple(walk.pending),
        held_claims=frozenset(walk.held_rows),
        held_gold=frozenset(walk.held_columns),
    )


def optimal(
    similarities: Matrix, order: ContentOrder, *, at_least: float, decide: Decide | None = None
) -> Assigned:
    """The one-to-one pairs with the greatest sum of similarities; every pair close enough decided.

    Claims that are linked to a pending pair, however far, are held back: the sum over those that
    are not is the greatest whatever the answer will be.

    Ties prefer higher confidence, then required gold. The algorithm is scipy's (Crouse 2016), run
    on rows and columns put in content order, so that the order of the lists cannot matter. The
    arguments are those of ``greedy``.
    """
    admitted = similarities >= at_least
    pending: list[Pair] = []
    held_rows = held_columns = np.empty(0, dtype=np.intp)
    if decide is not None:
        for row, column in np.argwhere(admitted).tolist():
            verdict = decide(row, column)
            admitted[row, column] = verdict is True
            if verdict is None:
                pending.append((row, column))
        held_rows, held_columns = _linked(admitted, pending)
        admitted[held_rows, :] = False
        admitted[:, held_columns] = False
    weights = np.where(admitted, similarities + _preference(order), 0.0)
    row_order, column_order = np.argsort(order.claims), np.argsort(order.gold)
    picked = linear_sum_assignment(weights[np.ix_(row_order, column_order)], maximize=True)
    chosen = zip(row_order[picked[0]].tolist(), column_order[picked[1]].tolist(), strict=True)
    # Where nothing is admitted a row is still given some column, at no gain; those are no matches.
    return Assigned(
        matched=tuple(pair for pair in chosen if admitted[pair]),
        pending=tuple(pending),
        held_claims=frozenset(held_rows.tolist()),
        held_gold=frozenset(held_columns.tolist()),
    )


def _linked(
    admitted: NDArray[np.bool_], pending: Sequence[Pair]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns that a chain of admitted and pending pairs links to a pending one."""
    n_rows, n_columns = admitted.shape
    if not pending:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    at_rows, at_columns = np.nonzero(admitted)
    open_rows, open_columns = np.array(pending, dtype=np.intp).T
    ends = (np.append(at_rows, open_rows), n_rows + np.append(at_columns, open_columns))
    links = coo_array((np.ones(len(ends[0])), ends), shape=(n_rows + n_columns,) * 2)
    part_of = connected_components(links, directed=False)[1]
    is_held = np.isin(part_of, part_of[open_rows])
    return np.flatnonzero(is_held[:n_rows]), np.flatnonzero(is_held[n_rows:])


_BLOCK = 50_000


def _next_block(
    similarities: Matrix,
    order: ContentOrder,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    between: tuple[float, float],
) -> tuple[list[Pair], float]:
    """The best pairs of these rows and columns in order, and the similarity they go down to.

    Some 50,000 at a time, with all that tie with the last: among thousands of claims that are all
    alike, most pairs are never needed, because their claims are gone before they come up.

    Args:
        similarities: Emitted claims by gold claims.
        order: What breaks ties.
        rows: Emitted claims that are not matched.
        columns: Gold claims that are not matched.
        between: The lowest similarity, inclusive, and the highest, exclusive.
    """
    lowest, upper = between
    left = similarities[np.ix_(rows, columns)]
    values = left[(left >= lowest) & (left < upper)]
    cutoff = lowest
    if len(values) > _BLOCK:
        cutoff = float(np.partition(values, len(values) - _BLOCK)[len(values) - _BLOCK])
    at_rows, at_columns = np.nonzero((left >= cutoff) & (left < upper))
    at_rows, at_columns = rows[at_rows], columns[at_columns]
    ranks = order.of_pairs(at_rows, at_columns)
    best_first = np.lexsort((ranks, -similarities[at_rows, at_columns]))
    block = zip(at_rows[best_first].tolist(), at_columns[best_first].tolist(), strict=True)
    return list(block), cutoff


class _Walk:
    """The state of a greedy assignment: who is taken, who is held back, what has to be asked."""

    def __init__(self, decide: Decide | None) -> None:
        self._decide = decide
        self.row_of: dict[int, int] = {}
        self.pending: list[Pair] = []
        self.held_rows: set[int] = set()
        self.held_columns: set[int] = set()
        self._taken_rows: set[int] = set()

    def consider(self, row: int, column: int) -> None:
        """Takes the pair, or holds its claims back, or passes over it."""
        if row in self._taken_rows or column in self.row_of:
            return
        verdict = True if self._decide is None else self._decide(row, column)
        if verdict is False:
            return
        is_held = row in self.held_rows or column in self.held_columns
        if verdict is True and not is_held:
            self.row_of[column] = row
            self._taken_rows.add(row)
            return
        if verdict is None and not is_held:
            self.pending.append((row, column))
        self.held_rows.add(row)
        self.held_columns.add(column)


def _preference(order: ContentOrder) -> Matrix:
    """A bonus per pair that breaks ties; all bonuses together stay under one step of similarity."""
    n_claims, n_pairs = len(order.claims), min(len(order.claims), len(order.gold))
    by_confidence = 1 - order.confidence[:, None] / max(n_claims, 1)
    preferred = (2 * by_confidence + (1 - order.optional[None, :])) / 3
    return np.asarray(preferred * (1e-7 / max(n_pairs, 1)), dtype=np.float64)


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

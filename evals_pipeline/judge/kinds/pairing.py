"""Pairs the rows of two tables, or the items of two lists, one to one.

Rows that are equal in full are paired first: no pairing can do better with them, and a table that
was extracted well has little else. The rest is an assignment problem. Above ``MOST_SCORED`` pairs
rows with equal keys are paired before it; what is too much even then stays unpaired, which the
caller says, rather than being solved at any cost.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_SCORED = 62_500
"""Pairs of rows whose likeness is worked out: 250 rows against 250, about a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Positions that belong together, and those left over on either side.

    ``is_complete`` False: there were too many rows to score, and only equal ones were paired.
    """

    pairs: tuple[tuple[int, int], ...]
    only_want: tuple[int, ...]
    only_got: tuple[int, ...]
    is_complete: bool = True


def pair_up(
    want: Sequence[str],
    got: Sequence[str],
    likeness: Callable[[int, int], float],
    *,
    least: float,
    keys: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Pairing:
    """The one-to-one pairing with the greatest total likeness.

    Args:
        want: One text per row; equal texts mean equal rows.
        got: The same for the other side.
        likeness: Of a row of ``want`` and a row of ``got``, by position; 0 or more.
        least: Pairs less alike than this stay apart.
        keys: One text per row of either side for its key alone; used where rows are too many.

    Returns:
        A pairing whose total does not depend on the order of either side.
    """
    # In the order of their texts, so that ties fall the same way however the rows were shuffled.
    left = sorted(range(len(want)), key=lambda position: (want[position], position))
    right = sorted(range(len(got)), key=lambda position: (got[position], position))
    pairs, left, right = _equal_ones(want, got, left, right)
    if keys is not None and len(left) * len(right) > MOST_SCORED:
        more, left, right = _equal_ones(*keys, left, right)
        pairs += more
    if left and right and len(left) * len(right) > MOST_SCORED:
        return _pairing(pairs, left, right, is_complete=False)
    if left and right:
        assigned = _assigned(left, right, likeness, least)
        pairs += assigned
        taken_left, taken_right = {i for i, _ in assigned}, {j for _, j in assigned}
        left = [i for i in left if i not in taken_left]
        right = [j for j in right if j not in taken_right]
    return _pairing(pairs, left, right)


def in_order(n_want: int, n_got: int) -> Pairing:
    """The first with the first, the second with the second; what one side has more is left."""
    shared = min(n_want, n_got)
    pairs = [(position, position) for position in range(shared)]
    return _pairing(pairs, list(range(shared, n_want)), list(range(shared, n_got)))


def _assigned(
    left: Sequence[int],
    right: Sequence[int],
    likeness: Callable[[int, int], float],
    least: float,
) -> list[tuple[int, int]]:
    # Only a table that differs needs these, and they load slowly.
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    scores = np.array([[likeness(i, j) for j in right] for i in left])
    rows, columns = linear_sum_assignment(scores, maximize=True)
    return [
        (left[row], right[column])
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if scores[row, column] >= least
    ]


def _equal_ones(
    want: Sequence[str], got: Sequence[str], left: Sequence[int], right: Sequence[int]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pairs positions with equal texts, in their order; and what is left on either side."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for position in right:
        waiting[got[position]].append(position)
    pairs: list[tuple[int, int]] = []
    alone: list[int] = []
    for position in left:
        if waiting.get(want[position]):
            pairs.append((position, waiting[want[position]].popleft()))
        else:
            alone.append(position)
    taken = {position for _, position in pairs}
    return pairs, alone, [position for position in right if position not in taken]


def _pairing(
    pairs: list[tuple[int, int]], left: list[int], right: list[int], *, is_complete: bool = True
) -> Pairing:
    return Pairing(
        pairs=tuple(sorted(pairs)),
        only_want=tuple(sorted(left)),
        only_got=tuple(sorted(right)),
        is_complete=is_complete,
    )

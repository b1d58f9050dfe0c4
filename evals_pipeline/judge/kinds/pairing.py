"""Pairs the rows of two tables, or the items of two lists, one to one.

Rows that are equal in full are paired first: no pairing can do better with them, and a table that
was extracted well has little else. The rest is an assignment problem; above ``MOST_SCORED`` pairs
it is left unpaired, which the caller says, rather than solved at any cost.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_SCORED = 250_000
"""Pairs of rows whose likeness is worked out; 500 rows against 500."""


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
) -> Pairing:
    """The one-to-one pairing with the greatest total likeness.

    Args:
        want: One text per row; equal texts mean equal rows.
        got: The same for the other side.
        likeness: Of a row of ``want`` and a row of ``got``, by position; 0 or more.
        least: Pairs less alike than this stay apart.

    Returns:
        A pairing whose total does not depend on the order of either side.
    """
    pairs, left, right = _equal_ones(want, got)
    if not left or not right:
        return _pairing(pairs, left, right)
    if len(left) * len(right) > MOST_SCORED:
        return _pairing(pairs, left, right, is_complete=False)
    import numpy as np  # noqa: PLC0415  only a table that differs needs scipy, which loads slowly
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  as above

    # In the order of their texts, so that ties fall the same way however the rows were shuffled.
    left.sort(key=lambda position: (want[position], position))
    right.sort(key=lambda position: (got[position], position))
    scores = np.array([[likeness(i, j) for j in right] for i in left])
    for row, column in zip(*linear_sum_assignment(scores, maximize=True), strict=True):
        if scores[row, column] >= least:
            pairs.append((left[row], right[column]))
    taken_left, taken_right = {i for i, _ in pairs}, {j for _, j in pairs}
    return _pairing(
        pairs,
        [i for i in left if i not in taken_left],
        [j for j in right if j not in taken_right],
    )


def _equal_ones(
    want: Sequence[str], got: Sequence[str]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for position, text in enumerate(got):
        waiting[text].append(position)
    pairs: list[tuple[int, int]] = []
    left: list[int] = []
    for position, text in enumerate(want):
        if waiting.get(text):
            pairs.append((position, waiting[text].popleft()))
        else:
            left.append(position)
    return pairs, left, sorted(position for queue in waiting.values() for position in queue)


def _pairing(
    pairs: list[tuple[int, int]], left: list[int], right: list[int], *, is_complete: bool = True
) -> Pairing:
    return Pairing(
        pairs=tuple(sorted(pairs)),
        only_want=tuple(sorted(left)),
        only_got=tuple(sorted(right)),
        is_complete=is_complete,
    )

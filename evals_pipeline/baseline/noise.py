"""How much of a change chance would explain; stands beside a drop and never decides."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from scipy.special import bdtr

from evals_pipeline.baseline.pairing import Pair
from evals_pipeline.core.intervals import wilson


def mcnemar(pairs: Iterable[Pair]) -> float | None:
    """The exact two-sided McNemar p-value over documents; None without a document.

    With b documents right less often than before, c more often, and X ~ Binomial(b + c, 1/2):
    p = min(1, 2 · P(X ≤ min(b, c))); 1 when no document moved. A document counts once, whatever its
    number of runs, since repeats of one document are no independent evidence.

    Source: McNemar 1947, Psychometrika 12, 153-157; with several runs it is the sign test.
    """
    movements = [pair.movement for pair in pairs]
    if not movements:
        return None
    worse = sum(1 for movement in movements if movement < 0)
    better = sum(1 for movement in movements if movement > 0)
    if worse == better:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(worse, better), worse + better, 0.5)))


def run_spread(shares: Sequence[float | None]) -> float | None:
    """Maximum minus minimum between runs; None for fewer than two runs."""
    measured = [share for share in shares if share is not None]
    return max(measured) - min(measured) if len(measured) > 1 else None


def is_within_noise(
    delta: Fraction, *, before: tuple[int, int], now: tuple[int, int]
) -> bool | None:
    """Whether a change is one that chance would make: the Wilson 95 % intervals overlap.

    ``before`` and ``now`` are counts (right, of how many). None when nothing changed, or nothing
    was counted.
    """
    earlier, later = wilson(*before), wilson(*now)
    if not delta or earlier is None or later is None:
        return None
    return earlier.overlaps(later)

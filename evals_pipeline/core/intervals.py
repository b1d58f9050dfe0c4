"""The interval that stands beside a share."""

from dataclasses import dataclass
from math import sqrt

_Z_95 = 1.959963984540054  # the 97.5 % quantile of the standard normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A closed interval within [0, 1]."""

    low: float
    high: float

    def overlaps(self, other: "Interval") -> bool:
        """Whether the two have a point in common."""
        return self.low <= other.high and other.low <= self.high


def wilson(correct: int, n: int) -> Interval | None:
    """The Wilson score interval (95 %) of ``correct`` out of ``n``; None when ``n`` is 0.

    With p = correct / n:  (p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) / (1 + z²/n).
    Unlike p ± z·√(p(1-p)/n) it stays within [0, 1] and has a width at 0 and at 1. Repeats of one
    document are counted as if independent, so the interval is the narrowest that may be claimed.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.

    Raises:
        ValueError: ``correct`` is not between 0 and ``n``.

    >>> interval = wilson(2, 3)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.21, 0.94)
    """
    if not 0 <= correct <= n:
        raise ValueError(f"correct must lie between 0 and n, got {correct} of {n}")
    if n == 0:
        return None
    share, shrink = correct / n, _Z_95**2 / n
    half = _Z_95 * sqrt((share * (1 - share) + shrink / 4) / n)
    return Interval(
        low=0.0 if correct == 0 else (share + shrink / 2 - half) / (1 + shrink),
        high=1.0 if correct == n else (share + shrink / 2 + half) / (1 + shrink),
    )

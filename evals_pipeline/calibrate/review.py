"""From which stated confidence on a value may go unreviewed."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from evals_pipeline.core.figures import ConfidencePair, ReviewThreshold
from evals_pipeline.core.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accepted:
    """The values stated at or above a confidence."""

    threshold: float
    n: int
    n_correct: int


def review_threshold(
    pairs: Sequence[ConfidencePair], *, wanted: float, n_left_out: int
) -> ReviewThreshold:
    """The lowest stated confidence at and above which the wanted precision holds.

    Lowest, because every step down spares reviews. The precision found at a threshold that was
    searched for flatters it a little, so the Wilson interval stands beside it and ``is_assured``
    says whether its lower end holds too.

    Args:
        pairs: Stated confidences, each with whether the value was right.
        wanted: The precision that unreviewed values shall have, in (0, 1].
        n_left_out: Values without a usable confidence; they always go to review.

    Raises:
        ValueError: ``wanted`` is not in (0, 1].

    >>> pairs = [ConfidencePair(confidence=c, is_correct=c > 0.5) for c in (0.4, 0.6, 0.8)]
    >>> found = review_threshold(pairs, wanted=0.9, n_left_out=1)
    >>> found.threshold, found.n_accepted, found.review_share
    (0.6, 2, 0.5)
    """
    if not 0 < wanted <= 1:
        raise ValueError(f"the wanted precision must lie in (0, 1], got {wanted}")
    n = len(pairs) + n_left_out
    share = Fraction(str(wanted))  # exact, so that 11 of 20 reach 0.55
    good = [one for one in _accepted_sets(pairs) if one.n_correct >= share * one.n]
    if not good:
        return ReviewThreshold(
            wanted=wanted,
            threshold=None,
            precision=None,
            ci_low=None,
            ci_high=None,
            n=n,
            n_accepted=0,
            n_correct=0,
            review_share=1.0 if n else None,
            reason=_no_threshold(len(pairs), n_left_out),
        )
    lowest = good[-1]
    interval = wilson(lowest.n_correct, lowest.n)
    return ReviewThreshold(
        wanted=wanted,
        threshold=lowest.threshold,
        precision=lowest.n_correct / lowest.n,
        ci_low=None if interval is None else interval.low,
        ci_high=None if interval is None else interval.high,
        n=n,
        n_accepted=lowest.n,
        n_correct=lowest.n_correct,
        review_share=(n - lowest.n) / n,
        is_assured=interval is not None and interval.low >= wanted,
    )


def _accepted_sets(pairs: Sequence[ConfidencePair]) -> list[_Accepted]:
    """One set a distinct confidence, the highest first; each holds those before it."""
    ordered = sorted(pairs, key=lambda pair: pair.confidence, reverse=True)
    sets: list[_Accepted] = []
    n = n_correct = 0
    for confidence, tied in groupby(ordered, key=lambda pair: pair.confidence):
        labels = [pair.is_correct for pair in tied]
        n, n_correct = n + len(labels), n_correct + sum(labels)
        sets.append(_Accepted(threshold=confidence, n=n, n_correct=n_correct))
    return sets


def _no_threshold(n_pairs: int, n_left_out: int) -> str:
    if n_pairs:
        return "no stated confidence holds the wanted precision; every value goes to review"
    if n_left_out:
        return f"none of {n_left_out} values states a usable confidence"
    return "there is no value"

"""How far stated confidence is from being right that often.

Every figure depends on the pairs alone, never on their order, and is null over no pairs.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import groupby
from math import fsum

from evals_pipeline.core.figures import CalibrationFigures, ConfidencePair, ReliabilityBin

N_BINS = 10
_EDGES = tuple(k / N_BINS for k in range(N_BINS + 1))


def calibration_figures(
    pairs: Sequence[ConfidencePair], *, n_left_out: int, unmeasured: str | None = None
) -> CalibrationFigures:
    """Expected calibration error over ten equal-width bins, and three figures without such bins.

    Args:
        pairs: Stated confidences in [0, 1], each with whether its claim or value was right.
        n_left_out: How many claims or values had no usable confidence.
        unmeasured: Why nothing may be said of these pairs (a judge left some open); makes every
            figure null, keeps the counts.

    Returns:
        ``ece`` = Σ over bins of (n_bin / n) · |accuracy − mean confidence|; empty bins are kept
        and add nothing. ``brier`` = mean of (confidence − right)². ``ece_adaptive``: the same sum
        over ten bins of equal count, equal confidences kept together. ``auroc``: the chance that
        a right one states more than a wrong one, ties counting half; null with only one of the
        two.

    Raises:
        ValueError: A confidence is not in [0, 1].
    """
    if bad := [pair.confidence for pair in pairs if not 0 <= pair.confidence <= 1]:
        raise ValueError(f"confidences must lie in [0, 1], got {bad[0]}")
    bins = reliability_bins(pairs)
    if unmeasured is not None or not pairs:
        return CalibrationFigures(
            ece=None,
            n=len(pairs),
            n_left_out=n_left_out,
            bins=bins,
            reason=unmeasured or _nothing(n_left_out),
        )
    area = auroc(pairs)
    return CalibrationFigures(
        ece=_ece(pairs, bin_of=lambda pair: bin_index(pair.confidence)),
        n=len(pairs),
        n_left_out=n_left_out,
        bins=bins,
        brier=fsum((pair.confidence - pair.is_correct) ** 2 for pair in pairs) / len(pairs),
        ece_adaptive=_ece_adaptive(pairs),
        auroc=area,
        reason=None if area is not None else _one_sided(pairs),
    )


def exact_calibration_error(pairs: Sequence[ConfidencePair]) -> Fraction:
    """Σ over bins of |Σ right − Σ confidence| / n, each confidence the decimal that was stated.

    For decisions; ``ece`` is the same within rounding and many times faster to come by.

    Raises:
        ValueError: There are no pairs.

    >>> exact_calibration_error([ConfidencePair(confidence=0.9, is_correct=True)])
    Fraction(1, 10)
    """
    if not pairs:
        raise ValueError("there is no calibration error over no pairs")
    gaps = [Fraction(0)] * N_BINS
    for pair in pairs:
        # The shortest text that gives the double again is the decimal of the answer.
        gaps[bin_index(pair.confidence)] += int(pair.is_correct) - Fraction(repr(pair.confidence))
    return sum(map(abs, gaps), Fraction(0)) / len(pairs)


def bin_index(confidence: float) -> int:
    """The bin [k/10, (k+1)/10) of a confidence, the last one closed; decided on the decimal.

    The doubles nearest to 0.1 … 0.9 are the edges themselves, so comparing with them decides as
    the decimals would, where ``int(confidence * 10)`` does not.

    >>> bin_index(0.3), bin_index(0.7), bin_index(0.29), bin_index(1.0)
    (3, 7, 2, 9)
    """
    return bisect_right(_EDGES, confidence, lo=1, hi=N_BINS) - 1


def reliability_bins(pairs: Sequence[ConfidencePair]) -> tuple[ReliabilityBin, ...]:
    """The ten bins of a reliability diagram, empty ones with null figures."""
    members: list[list[ConfidencePair]] = [[] for _ in range(N_BINS)]
    for pair in pairs:
        members[bin_index(pair.confidence)].append(pair)
    return tuple(
        ReliabilityBin(
            lower=_EDGES[k],
            upper=_EDGES[k + 1],
            n=len(inside),
            mean_confidence=fsum(pair.confidence for pair in inside) / len(inside)
            if inside
            else None,
            accuracy=sum(pair.is_correct for pair in inside) / len(inside) if inside else None,
        )
        for k, inside in enumerate(members)
    )


def auroc(pairs: Sequence[ConfidencePair]) -> float | None:
    """(R − m(m+1)/2) / (m·w), R the rank sum of the m right ones, tied ranks shared, w wrong ones.

    In [0, 1]; 0.5 says that stated confidence does not tell right from wrong. None unless there
    are both. Source: Hanley and McNeil 1982, Radiology 143, 29-36.
    """
    n_right = sum(pair.is_correct for pair in pairs)
    n_wrong = len(pairs) - n_right
    if not n_right or not n_wrong:
        return None
    rank_sum, n_below = 0.0, 0
    for tied in _by_confidence(pairs):
        shared_rank = n_below + (len(tied) + 1) / 2
        rank_sum += shared_rank * sum(pair.is_correct for pair in tied)
        n_below += len(tied)
    return (rank_sum - n_right * (n_right + 1) / 2) / (n_right * n_wrong)


def _ece_adaptive(pairs: Sequence[ConfidencePair]) -> float:
    """ECE where a confidence's bin is ⌊10 · (share below it + half the share that ties)⌋."""
    bins: dict[float, int] = {}
    n_below = 0
    for tied in _by_confidence(pairs):
        # In whole numbers, so that no rounding moves a tie over an edge.
        bins[tied[0].confidence] = N_BINS * (2 * n_below + len(tied)) // (2 * len(pairs))
        n_below += len(tied)
    return _ece(pairs, bin_of=lambda pair: bins[pair.confidence])


def _ece(pairs: Sequence[ConfidencePair], *, bin_of: Callable[[ConfidencePair], int]) -> float:
    """Σ over bins of |Σ right − Σ confidence| / n, which is Σ (n_bin/n)·|accuracy − mean|."""
    gaps: list[list[float]] = [[] for _ in range(N_BINS)]
    for pair in pairs:
        gaps[bin_of(pair)].extend((float(pair.is_correct), -pair.confidence))
    return fsum(abs(fsum(inside)) for inside in gaps) / len(pairs)


def _by_confidence(pairs: Sequence[ConfidencePair]) -> list[list[ConfidencePair]]:
    """The pairs grouped by equal confidence, lowest first."""
    ordered = sorted(pairs, key=lambda pair: pair.confidence)
    return [list(tied) for _, tied in groupby(ordered, key=lambda pair: pair.confidence)]


def _nothing(n_left_out: int) -> str:
    if n_left_out:
        return f"none of {n_left_out} states a usable confidence"
    return "there is nothing to calibrate"


def _one_sided(pairs: Sequence[ConfidencePair]) -> str:
    which = "right" if pairs[0].is_correct else "wrong"
    return f"AUROC needs right and wrong ones; all {len(pairs)} are {which}"

"""Precision and recall of a suite at other thresholds than the one that was judged with."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from evals_pipeline.core.run_records import JudgedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPoint:
    """Precision and recall, mean over runs, with pairs accepted at ``threshold`` and above.

    None as in the suite's figures: a run emitted nothing, or requires nothing.
    """

    threshold: float
    precision: float | None
    recall: float | None


def threshold_curve(
    judged: Sequence[JudgedCase], thresholds: Sequence[float]
) -> tuple[ThresholdPoint, ...]:
    """The trade of precision and recall, from one greedy judgement at the lowest threshold.

    Greedy assignment takes pairs from the closest down, so what it takes at a threshold is the
    beginning of what it takes at any lower one: a pair counts at ``t`` when its similarity is at
    least ``t``. No judgement is repeated.

    precision(t) = matched emitted with similarity ≥ t / emitted;
    recall(t) = matched required gold with similarity ≥ t / required gold; each the mean over runs.

    Args:
        judged: Every case of every run, judged greedily by similarity alone at a threshold no
            higher than the lowest of ``thresholds``.
        thresholds: In [0, 1].
    """
    runs: dict[int, list[JudgedCase]] = {}
    for case in judged:
        runs.setdefault(case.run_index, []).append(case)
    precisions = [_Run.of_claims(cases) for cases in runs.values()]
    recalls = [_Run.of_gold(cases) for cases in runs.values()]
    return tuple(
        ThresholdPoint(
            threshold=threshold,
            precision=_mean([run.share(threshold) for run in precisions]),
            recall=_mean([run.share(threshold) for run in recalls]),
        )
        for threshold in thresholds
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """The sorted similarities of one run's full matches, out of ``n``."""

    similarities: list[float]
    n: int

    @classmethod
    def of_claims(cls, cases: Sequence[JudgedCase]) -> "_Run":
        claims = [claim for case in cases for claim in case.claims]
        matched = [one for one in claims if one.outcome is ClaimOutcome.MATCHED]
        return cls(sorted(one.similarity or 0.0 for one in matched), len(claims))

    @classmethod
    def of_gold(cls, cases: Sequence[JudgedCase]) -> "_Run":
        gold = [one for case in cases for one in case.gold if one.gold.required]
        matched = [one for one in gold if one.outcome is GoldOutcome.MATCHED]
        return cls(sorted(one.similarity or 0.0 for one in matched), len(gold))

    def share(self, threshold: float) -> float | None:
        if not self.n:
            return None
        return (len(self.similarities) - bisect_left(self.similarities, threshold)) / self.n


def _mean(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return sum(measured) / len(measured) if measured and len(measured) == len(values) else None

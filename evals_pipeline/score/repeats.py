"""What a metric did over the repeats of a suite."""

from collections.abc import Sequence
from math import fsum
from statistics import stdev

from evals_pipeline.core.figures import Figure


def figure(values: Sequence[float | None], *, reason: str | None = None) -> Figure:
    """One metric over its runs: mean, min, max, sample standard deviation.

    A run without a value makes the whole figure null: the mean of the runs that could be measured
    is the mean of another, easier, population. The values themselves are kept.

    Args:
        values: The metric by run, in the order of the run indices; None where it was not measured.
        reason: Why a value is None; stands in the figure when the mean is None.

    >>> figure([0.5, 0.75]).mean
    0.625
    >>> figure([0.5, None], reason="run 1: nothing was emitted").mean is None
    True
    """
    measured = [value for value in values if value is not None]
    if not values or len(measured) < len(values):
        return Figure(
            mean=None,
            min=None,
            max=None,
            stdev=None,
            values=tuple(values),
            reason=reason or _unmeasured(len(measured), len(values)),
        )
    return Figure(
        mean=_mean(measured),
        min=min(measured),
        max=max(measured),
        stdev=stdev(measured) if len(measured) > 1 else None,
        values=tuple(values),
    )


def _mean(values: Sequence[float]) -> float:
    """fsum(values) / n, kept within [min, max], which the division alone may leave by one bit."""
    return min(max(fsum(values) / len(values), min(values)), max(values))


def _unmeasured(n_measured: int, n_runs: int) -> str:
    if n_runs == 0:
        return "there is no run"
    return f"{n_runs - n_measured} of {n_runs} runs could not be measured"

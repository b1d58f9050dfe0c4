"""What a metric did over the repeats of a suite."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import stdev

from evals_pipeline.core.figures import Figure


def figure(values: Sequence[Fraction | float | None], *, reason: str | None = None) -> Figure:
    """One metric over its runs: mean, min, max, sample standard deviation.

    A run without a value makes the whole figure null: the mean of the runs that could be measured
    is the mean of another, easier, population. The values themselves are kept.

    Args:
        values: The metric by run, in the order of the run indices; None where it was not measured.
            Of fractions the mean is the double nearest to the exact one.
        reason: Why a value is None; stands in the figure when the mean is None.

    >>> figure([0.5, 0.75]).mean
    0.625
    >>> figure([0.5, None], reason="run 1: nothing was emitted").mean is None
    True
    """
    measured = [value for value in values if value is not None]
    by_run = tuple(None if value is None else float(value) for value in values)
    if not values or len(measured) < len(values):
        return Figure(
            mean=None,
            min=None,
            max=None,
            stdev=None,
            values=by_run,
            reason=reason or _unmeasured(len(measured), len(values)),
        )
    rounded = [float(value) for value in measured]
    return Figure(
        mean=float(sum(Fraction(value) for value in measured) / len(measured)),
        min=min(rounded),
        max=max(rounded),
        stdev=stdev(rounded) if len(rounded) > 1 else None,
        values=by_run,
    )


def _unmeasured(n_measured: int, n_runs: int) -> str:
    if n_runs == 0:
        return "there is no run"
    return f"{n_runs - n_measured} of {n_runs} runs could not be measured"

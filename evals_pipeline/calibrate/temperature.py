"""Temperature scaling of a probability: p' = sigmoid(logit(p) / T).

0 and 1 are fixed points of it, whatever T is; a fit therefore looks at the *movable* confidences
between them only. T above 1 draws confidences towards 0.5, T below 1 towards 0 and 1.

Source: Guo, Pleiss, Sun and Weinberger 2017, "On Calibration of Modern Neural Networks", section 4,
for the binary case.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from evals_pipeline.core.figures import ConfidencePair

LOWEST, HIGHEST = 0.01, 10.0
_TOLERANCE = 1e-12


class Bound(StrEnum):
    """The end of the range of temperatures that a fit ran against."""

    LOWEST = "lowest"
    HIGHEST = "highest"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemperatureFit:
    """The temperature that explains the labels best; ``bound`` when no better one lies within."""

    temperature: float
    bound: Bound | None


def is_movable(confidence: float) -> bool:
    """Whether a temperature can move a confidence: it is neither 0 nor 1."""
    return 0 < confidence < 1


def logit(confidence: float) -> float:
    """log(p / (1 - p)), for 0 < p < 1.

    >>> round(logit(0.9), 4)
    2.1972
    """
    return math.log(confidence) - math.log1p(-confidence)


def scaled(confidence: float, temperature: float) -> float:
    """sigmoid(logit(p) / T); 0 and 1 stay as they are.

    >>> round(scaled(0.9, 2.0), 4), scaled(1.0, 2.0), scaled(0.5, 7.0)
    (0.75, 1.0, 0.5)
    """
    if not is_movable(confidence):
        return confidence
    return float(expit(logit(confidence) / temperature))


def fit_temperature(pairs: Sequence[ConfidencePair]) -> TemperatureFit:
    """The T in [0.01, 10] with the lowest Σ -log(likelihood of the label), over movable pairs.

    In b = 1/T the sum is convex, so it has one minimum. The signs of its slope at the ends of the
    range say exactly whether that lies within, and the place where the slope is 0 is found more
    surely than the lowest value, around which the sum is flat.

    Args:
        pairs: At least one with a confidence between 0 and 1; others are left out.

    Raises:
        ValueError: No pair is movable.
    """
    margins = _margins(pairs)
    if _slope(margins, 1 / HIGHEST) >= 0:
        return TemperatureFit(temperature=HIGHEST, bound=Bound.HIGHEST)
    if _slope(margins, 1 / LOWEST) <= 0:
        return TemperatureFit(temperature=LOWEST, bound=Bound.LOWEST)
    inverse = brentq(lambda b: _slope(margins, b), 1 / HIGHEST, 1 / LOWEST, xtol=_TOLERANCE)
    return TemperatureFit(temperature=1 / float(inverse), bound=None)


def _margins(pairs: Sequence[ConfidencePair]) -> NDArray[np.float64]:
    """The logit of each movable confidence, its sign turned where the label is wrong."""
    margins = [
        logit(pair.confidence) if pair.is_correct else -logit(pair.confidence)
        for pair in pairs
        if is_movable(pair.confidence)
    ]
    if not margins:
        raise ValueError("a temperature needs at least one confidence between 0 and 1")
    return np.array(margins, dtype=np.float64)


def _slope(margins: NDArray[np.float64], inverse: float) -> float:
    """Σ -m·sigmoid(-m·b), the derivative by b of Σ log(1 + exp(-m·b)), which is the loss."""
    return float((-margins * expit(-margins * inverse)).sum())

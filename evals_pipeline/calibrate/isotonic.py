"""An isotonic fit: the non-decreasing function of stated confidence nearest to what was right.

It makes no assumption but order, and so follows the pairs it was fitted on more closely than a
temperature does; the held-out check is what it has to pass. 0 and 1 are left out and stay as they
are, as with a temperature.

Source: Zadrozny and Elkan 2002, "Transforming classifier scores into accurate multiclass
probability estimates", section 3; pool-adjacent-violators as in scipy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from evals_pipeline.calibrate.temperature import is_movable
from evals_pipeline.core.figures import ConfidencePair


@dataclass(frozen=True, slots=True, kw_only=True)
class IsotonicFit:
    """Knots of a line: ``confidences`` ascending, ``values`` never falling.

    Between two knots the line is straight, beyond the outer ones it is flat.
    """

    confidences: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def is_flat(self) -> bool:
        """Whether every confidence is sent to one value: higher ones are not more often right."""
        return len(set(self.values)) < 2


def fit_isotonic(pairs: Sequence[ConfidencePair]) -> IsotonicFit:
    """Least squares under the condition that values never fall, over movable pairs.

    Equal confidences share one knot, weighted by their number.

    Raises:
        ValueError: No pair is movable.
    """
    movable = [pair for pair in pairs if is_movable(pair.confidence)]
    if not movable:
        raise ValueError("an isotonic fit needs at least one confidence between 0 and 1")
    confidences = np.array([pair.confidence for pair in movable])
    knots, place, weights = np.unique(confidences, return_inverse=True, return_counts=True)
    n_correct = np.zeros(len(knots))
    np.add.at(n_correct, place, [float(pair.is_correct) for pair in movable])
    fitted = isotonic_regression(n_correct / weights, weights=weights.astype(np.float64))
    return IsotonicFit(
        confidences=tuple(float(knot) for knot in knots),
        # Blocks of equal value differ in the last bit where their means were rounded apart.
        values=tuple(round(float(value), 12) for value in fitted.x),
    )


def placed(confidence: float, fit: IsotonicFit) -> float:
    """The value of the line at a confidence; 0 and 1 stay as they are.

    >>> placed(0.7, IsotonicFit(confidences=(0.6, 0.8), values=(0.2, 0.4)))
    0.3
    """
    if not is_movable(confidence):
        return confidence
    return round(float(np.interp(confidence, fit.confidences, fit.values)), 12)

"""Pairs and fit requests in small pictures, for the tests of fits.

``pairs({0.9: "1101", 0.6: "01"})``: four claims state 0.9, three of them right.
"""

from collections.abc import Mapping

from evals_pipeline.calibrate.fits import ErrorOf, FitRequest, Method, Population, fit_confidence
from evals_pipeline.core.figures import CalibrationFit, ConfidencePair
from evals_pipeline.score.calibration import calibration_figures

Picture = Mapping[float, str]


def pairs(picture: Picture) -> list[ConfidencePair]:
    return [
        ConfidencePair(confidence=confidence, is_correct=label == "1")
        for confidence, labels in picture.items()
        for label in labels
    ]


def labels(right: int, wrong: int) -> str:
    return "1" * right + "0" * wrong


def error_of(found) -> float | None:
    return calibration_figures(found, n_left_out=0).ece


def fit(
    fitted: Picture,
    heldout: Picture | None = None,
    *,
    method: Method = Method.TEMPERATURE,
    n_unjudged: int = 0,
    n_left_out: int = 0,
    heldout_unjudged: int = 0,
    measure: ErrorOf = error_of,
    **changes,
) -> CalibrationFit:
    """The fit of a picture; without a held-out one there are no recorded runs."""
    population = Population(
        pairs=pairs(fitted), n_unjudged=n_unjudged, n_left_out=n_left_out, sources=("fit-001",)
    )
    request = FitRequest(
        set_name="notes-001",
        model_version="acme-1",
        method=method,
        population=population,
        heldout=Population(
            pairs=pairs(heldout or {}),
            n_unjudged=heldout_unjudged,
            sources=() if heldout is None else ("notes-001",),
        ),
        **changes,
    )
    return fit_confidence(request, error_of=measure)

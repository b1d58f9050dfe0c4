"""Calibration fits and review thresholds in the terminal and as JSON (``docs/json.md``)."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.figures import (
    CalibrationFigures,
    CalibrationFit,
    FieldReview,
    ReviewThreshold,
)
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.numbers import UNMEASURED, share_text
from evals_pipeline.report.terminal import COMPACT, Fitting

_PLACES = 4


def fit_table(fit: CalibrationFit) -> RenderableType:
    """What to print for a fit: the verdict with its reason and remedy, then the figures."""
    return Group(
        Text(visible_line(f"{fit.set_name}, {fit.model_version}, {fit.method}"), style="bold"),
        Text(*_verdict(fit)),
        *([Text(f"remedy: {visible_line(fit.remedy)}")] if fit.remedy else []),
        Fitting(_errors(fit), _errors(fit, is_compact=True)),
        *(Text(f"note: {visible_line(note)}") for note in fit.notes),
    )


def fit_word(fit: CalibrationFit) -> str:
    """``ACCEPTED``, or ``REFUSED`` with its code; for lists."""
    return "ACCEPTED" if fit.refusal is None else f"REFUSED {fit.refusal_code}"


def parameters_text(fit: CalibrationFit) -> str:
    """The fitted mapping in a few words: ``T 1.660``, ``34 knots``."""
    temperature, knots = fit.parameters.get("temperature"), fit.parameters.get("confidences")
    if isinstance(temperature, float):
        return f"T {temperature:.3f}"
    return f"{len(knots)} knots" if isinstance(knots, tuple) else UNMEASURED


def review_table(reviews: Sequence[FieldReview]) -> RenderableType:
    """Per field, how its confidence is calibrated and from where on values may go unreviewed."""
    wanted = reviews[0].threshold.wanted if reviews else 0.0
    table = Fitting(_reviews(reviews, with_scores=True), _reviews(reviews, with_scores=False))
    return Group(
        Text(f"wanted precision of unreviewed values: {wanted:g}"),
        table,
        *(
            Text(f"{_field_text(one)}: {visible_line(one.threshold.reason)}")
            for one in reviews
            if one.threshold.reason
        ),
        Text(
            "assured: the lower end of the 95 % interval holds the wanted precision too; "
            "(all) is information",
            style="dim",
        ),
    )


def _reviews(reviews: Sequence[FieldReview], *, with_scores: bool) -> Table:
    """A row a field; a narrow terminal does without the scores of its calibration."""
    scores = ("cal. error", "Brier", "AUROC") if with_scores else ()
    table = Table(
        Column("field", overflow="fold", no_wrap=not with_scores),
        *(Column(name, justify="right", no_wrap=True) for name in ("n", *scores)),
        Column("unreviewed from" if with_scores else "from", justify="right", no_wrap=True),
        Column("right there", no_wrap=True),
        Column("to review", justify="right", no_wrap=True),
        Column("", no_wrap=True),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
    )
    for one in reviews:
        figures, threshold = one.calibration, one.threshold
        measured = (figures.ece, figures.brier, figures.auroc) if with_scores else ()
        table.add_row(
            Text(_field_text(one)),
            str(figures.n),
            *(share_text(score) for score in measured),
            UNMEASURED if threshold.threshold is None else f"{threshold.threshold:g}",
            _precision_text(threshold),
            share_text(threshold.review_share),
            "assured" if threshold.is_assured else "",
        )
    return table


def fit_json(fit: CalibrationFit) -> dict[str, JsonValue]:
    """A fit as other tools read it."""
    return {
        "set": fit.set_name,
        "model_version": fit.model_version,
        "method": fit.method,
        "accepted": fit.refusal is None,
        "refusal": None
        if fit.refusal is None
        else {"code": fit.refusal_code, "reason": fit.refusal, "remedy": fit.remedy},
        "parameters": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in fit.parameters.items()
        },
        "pairs": {
            "n": fit.n_pairs,
            "movable": fit.n_movable,
            "correct": fit.n_correct,
            "left_out": fit.n_left_out,
            "sources": list(fit.sources),
        },
        "calibration_error": {"before": fit.ece_before, "after": fit.ece_after},
        "heldout": {
            "n": fit.heldout_n,
            "before": fit.heldout_ece_before,
            "after": fit.heldout_ece_after,
            "sources": list(fit.heldout_sources),
        },
        "notes": list(fit.notes),
    }


def review_json(reviews: Sequence[FieldReview]) -> list[JsonValue]:
    """Review thresholds by field; ``field`` null is all of the set's fields together."""
    return [
        {
            "field": one.field,
            **stated_json(one.calibration),
            "review": _threshold_json(one.threshold),
        }
        for one in reviews
    ]


def stated_json(figures: CalibrationFigures) -> dict[str, JsonValue]:
    """How confidences as stated are calibrated, every bin with its count."""
    return {
        "n": figures.n,
        "left_out": figures.n_left_out,
        "ece": figures.ece,
        "ece_adaptive": figures.ece_adaptive,
        "brier": figures.brier,
        "auroc": figures.auroc,
        "reason": figures.reason,
        "bins": [
            {
                "lower": one.lower,
                "upper": one.upper,
                "n": one.n,
                "mean_confidence": one.mean_confidence,
                "accuracy": one.accuracy,
            }
            for one in figures.bins
        ],
    }


def _threshold_json(threshold: ReviewThreshold) -> dict[str, JsonValue]:
    return {
        "wanted_precision": threshold.wanted,
        "threshold": threshold.threshold,
        "precision": threshold.precision,
        "ci_low": threshold.ci_low,
        "ci_high": threshold.ci_high,
        "assured": threshold.is_assured,
        "n": threshold.n,
        "accepted": threshold.n_accepted,
        "correct": threshold.n_correct,
        "review_share": threshold.review_share,
        "reason": threshold.reason,
    }


def _verdict(fit: CalibrationFit) -> tuple[str, str]:
    """The line that says what became of the fit, with its style; the words say it too."""
    if fit.refusal is None:
        return f"ACCEPTED: {parameters_text(fit)}", "green"
    return visible_line(f"REFUSED, {fit.refusal_code}: {fit.refusal}"), "yellow"


def _errors(fit: CalibrationFit, *, is_compact: bool = False) -> Table:
    """A row for the fit and one for what it was not fitted on."""
    table = Table(
        Column("calibration error", no_wrap=True),
        *(Column(name, justify="right", no_wrap=True) for name in ("n", "stated", "fitted")),
        Column("from", overflow="fold"),
        box=box.SIMPLE,
        padding=COMPACT if is_compact else (0, 1),
        pad_edge=False,
        header_style="",
    )
    table.add_row(
        f"in sample, {parameters_text(fit)}" if fit.parameters else "in sample",
        f"{fit.n_pairs} ({fit.n_movable} movable)",
        _error_text(fit.ece_before),
        _error_text(fit.ece_after),
        Text(_lines(fit.sources)),
    )
    table.add_row(
        "held out",
        str(fit.heldout_n),
        _error_text(fit.heldout_ece_before),
        _error_text(fit.heldout_ece_after),
        Text(_lines(fit.heldout_sources)),
    )
    return table


def _lines(sources: Sequence[str]) -> str:
    return visible_line(", ".join(sources))


def _error_text(error: float | None) -> str:
    return UNMEASURED if error is None else f"{error:.{_PLACES}f}"


def _precision_text(threshold: ReviewThreshold) -> str:
    if threshold.precision is None or threshold.ci_low is None or threshold.ci_high is None:
        return UNMEASURED
    return (
        f"{threshold.n_correct}/{threshold.n_accepted} "
        f"({threshold.ci_low:.3f}-{threshold.ci_high:.3f})"
    )


def _field_text(one: FieldReview) -> str:
    return "(all)" if one.field is None else visible_line(one.field)

"""The page's drawings, from its records."""

from decimal import Decimal

from markupsafe import Markup

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.figures import CalibrationFigures, ClaimFigures, SetFigures
from evals_pipeline.report.html.page import GoldenModel, GoldenSection, SuiteModel, SuiteSection
from evals_pipeline.report.plots import (
    CostPoint,
    cost_plot,
    history_plot,
    outcome_bar,
    reliability_plot,
    threshold_plot,
)


def reliability(figures: CalibrationFigures, name: str) -> Markup:
    """A reliability diagram."""
    return Markup(reliability_plot(figures, name=name))


def field_calibrations(figures: SetFigures) -> tuple[tuple[str, CalibrationFigures], ...]:
    """The fields that state confidences, with their figures."""
    return tuple(
        (one.field, one.calibration)
        for one in figures.fields
        if one.calibration is not None and one.calibration.n
    )


def curve(model: SuiteModel, threshold: float) -> Markup:
    """Precision and recall over thresholds."""
    points = [(one.threshold, one.precision, one.recall) for one in model.curve]
    return Markup(threshold_plot(points, threshold=threshold))


def histories(model: GoldenModel) -> tuple[Markup, ...]:
    """One small plot a field, over the commits that recorded a baseline."""
    points = model.history
    names = [one.field for one in model.figures.fields]
    shares = [share for point in points for share in point.shares.values()]
    low = min(int(min(shares, default=0.0) * 10) / 10, 0.9)
    labels = [f"{point.day} {point.commit[:7]}" for point in points]
    return tuple(
        Markup(
            history_plot(
                [point.shares.get(name) for point in points], name=name, labels=labels, low=low
            )
        )
        for name in names
        if any(name in point.shares for point in points)
    )


def costs(section: GoldenSection | SuiteSection) -> Markup | None:
    """Cost against accuracy of the model versions of a set; None with fewer than two known."""
    points = [
        CostPoint(name=model.measured.model_version, usd=float(usd), accuracy=share)
        for model in section.models
        if (usd := known_cost(model.measured.cost)) is not None
        and (share := _headline(model)) is not None
    ]
    measure = "accuracy over all fields" if isinstance(section, GoldenSection) else "recall"
    return Markup(cost_plot(points, measure=measure)) if len(points) > 1 else None


def _headline(model: GoldenModel | SuiteModel) -> float | None:
    if isinstance(model, SuiteModel):
        return model.figures.metrics["recall"].mean
    return model.figures.correct / model.figures.n if model.figures.n else None


def known_cost(cost: AnswerCost) -> Decimal | None:
    """What the answers cost, where all of it is known; what counts nothing costs nothing known."""
    return cost.usd if cost.is_complete else None


def claim_bar(figures: ClaimFigures) -> Markup:
    """The outcomes of the emitted claims."""
    counts = {
        "matched": figures.counts["matched"],
        "under-confident": figures.counts["under_confidence"],
        "spurious": figures.counts["spurious"],
        "unjudged": figures.counts["unjudged"],
    }
    return Markup(outcome_bar(counts, name="Emitted claims"))


def gold_bar(figures: ClaimFigures) -> Markup:
    """What became of the gold claims."""
    counts = {
        "matched": figures.counts["gold_matched"],
        "under-confident": figures.counts["gold_under_confidence"],
        "missed": figures.counts["missed"],
        "unjudged": figures.counts["gold_unjudged"],
    }
    return Markup(outcome_bar(counts, name="Gold claims"))

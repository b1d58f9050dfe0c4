"""Figures of either kind, rendered."""

from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.records import JsonValue
from evals_pipeline.pipeline.scoring import AnyFigures
from evals_pipeline.report.score_json import claims_json, fields_json


def figures_json(figures: AnyFigures, *, with_claim_text: bool = True) -> dict[str, JsonValue]:
    """The documented JSON of a set's figures (docs/json.md)."""
    if isinstance(figures, SetFigures):
        return fields_json(figures)
    return claims_json(figures, with_claim_text=with_claim_text)

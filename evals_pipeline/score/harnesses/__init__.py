"""Figures of the harnesses beside claim suites: modality, polarity and validity of claims."""

from evals_pipeline.score.harnesses.figures import score_harness
from evals_pipeline.score.harnesses.properties import EmittedProperty, emitted_property

__all__ = ["EmittedProperty", "emitted_property", "score_harness"]

"""What stands beside a suite's figures, so that they say by themselves how they came about."""

from dataclasses import replace

from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.judge_settings import JudgedBy, JudgeSettings
from evals_pipeline.core.records import Suite

PARTIAL_GOLD = (
    "a calibration suite: its gold may leave true claims out by design, so precision and recall "
    "here are no figures of quality; its claims are for evals calibrate"
)


def with_origin(figures: ClaimFigures, suite: Suite, judge: JudgeSettings) -> ClaimFigures:
    """The figures with the suite's version and with who judged; a calibration suite is told of."""
    notes = (*figures.notes, PARTIAL_GOLD) if suite.is_calibration else figures.notes
    return replace(figures, set_version=suite.version, judged_by=JudgedBy.of(judge), notes=notes)

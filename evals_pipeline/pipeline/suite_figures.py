"""What stands beside a suite's figures, so that they say by themselves how they came about."""

from collections.abc import Iterable
from dataclasses import replace

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.judge_settings import JudgedBy, JudgeSettings
from evals_pipeline.core.records import Suite
from evals_pipeline.pipeline.project import Project

PARTIAL_GOLD = (
    "a calibration suite: its gold may leave true claims out by design, so precision and recall "
    "here are no figures of quality; its claims are for evals calibrate"
)


def with_origin(figures: ClaimFigures, suite: Suite, judge: JudgeSettings) -> ClaimFigures:
    """The figures with the suite's version and with who judged; a calibration suite is told of."""
    notes = (*figures.notes, PARTIAL_GOLD) if suite.is_calibration else figures.notes
    return replace(figures, set_version=suite.version, judged_by=JudgedBy.of(judge), notes=notes)


def refuse_calibration_suites(project: Project, names: Iterable[str]) -> None:
    """Refuses to measure on suites that are written for a fit.

    Raises:
        RefusedError: there is one among the names; all of them, with what they are for.
    """
    known = project.calibration_names()
    found = [name for name in names if name in known]
    if found:
        message = (
            f"{', '.join(found)}: for calibration, not for measuring; the gold may leave true "
            f'claims out by design, which reads as imprecision. Run "evals calibrate {found[0]}", '
            "or name a suite of suites/."
        )
        raise RefusedError(message)

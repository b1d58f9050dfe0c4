"""Whether stated confidence still means what it meant when somebody last relied on it."""

from collections.abc import Iterator
from fractions import Fraction

from evals_pipeline.baseline.calibration_rows import calibration_rows
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.pipeline.baselines import read_baseline
from evals_pipeline.pipeline.calibration import stated_figures
from evals_pipeline.pipeline.check_results import CheckResult, Facts, listed
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import read_figures

DRIFT_LIMIT = 0.05
"""How far a calibration error may move, where the set states no gate.calibration_tolerance."""


def calibration_steady(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether today's calibration error is still that of the accepted fit and of the baseline.

    It compares with both where they are there: a fit corrects confidences as they were when it was
    made, and a threshold for review was chosen on the figures of the baseline.
    """
    limit = _limit(project, set_name)
    moves = [
        *_since_the_fit(project, set_name, model_version),
        *_since_the_baseline(project, set_name, model_version),
    ]
    facts: Facts = {"compared": len(moves), "limit": limit}
    if not moves:
        said = f"{model_version}: no accepted fit and no baseline states a calibration error yet."
        return CheckResult(passed=True, description=said, facts=facts)
    moved = [said for said, by in moves if by > limit]
    if moved:
        head = (
            f"Confidence of {model_version} does not mean what it meant (limit {limit:g}), so fit "
            f'again with "evals calibrate {set_name} --model {model_version}" and choose review '
            "thresholds anew"
        )
        return CheckResult(passed=False, description=listed(head, moved), facts=facts)
    return CheckResult(
        passed=True,
        description=f"No calibration error of {model_version} moved by more than {limit:g}.",
        facts=facts,
    )


def _limit(project: Project, set_name: str) -> float:
    if project.kind_of(set_name) is not SetKind.FIELDS:
        return DRIFT_LIMIT
    stated = project.golden_set(set_name).gate.calibration_tolerance
    return DRIFT_LIMIT if stated is None else float(stated)


def _since_the_fit(
    project: Project, set_name: str, model_version: str
) -> Iterator[tuple[str, float]]:
    """How far the error of stated confidences is from where each accepted fit started."""
    stored = project.store.read_calibration_fits(set_name, model_version)
    accepted = [fit for fit in stored.record if fit.refusal is None] if stored is not None else []
    if stored is None or not accepted:
        return
    now = stated_figures(project, set_name, model_version).fitted.ece
    if now is None:
        return
    for fit in accepted:
        if fit.ece_before is not None:
            said = (
                f"{fit.method} fit of {stored.stamp.at:%Y-%m-%d}: made at a calibration error of "
                f"{fit.ece_before:.3f}, now {now:.3f}"
            )
            yield said, abs(now - fit.ece_before)


def _since_the_baseline(
    project: Project, set_name: str, model_version: str
) -> Iterator[tuple[str, float]]:
    """How far each field's calibration error rose above its baseline; a fall is good news."""
    if project.kind_of(set_name) is not SetKind.FIELDS:
        return
    stored = read_figures(project, set_name, model_version)
    against = serving(project, set_name, model_version).model.against or model_version
    baseline = read_baseline(project, set_name, against)
    if stored is None or baseline is None or not isinstance(stored.figures, SetFigures):
        return
    for row in calibration_rows(stored.figures.fields, baseline, tolerance=None):
        if row.baseline is not None and row.now is not None:
            said = f"{row.field}: {float(row.baseline):.3f} in the baseline, {float(row.now):.3f}"
            yield said, float(row.delta or Fraction(0))

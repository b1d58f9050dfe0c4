"""Claim extractors side by side on the same suites, whatever the routing says."""

from collections.abc import Sequence

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.pipeline.comparing import compare_figures, side_of
from evals_pipeline.pipeline.estimating import RunEstimate, sum_of
from evals_pipeline.pipeline.extractors import PromptRoute
from evals_pipeline.pipeline.grid import Serving, extractor_of, models_of_extractor
from evals_pipeline.pipeline.offgrid import (
    estimate_off_grid,
    measure_off_grid,
    serving_off_grid,
)
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.suite_figures import refuse_calibration_suites
from evals_pipeline.report.comparison import Comparison


def compared_suites(project: Project, names: Sequence[str]) -> tuple[str, ...]:
    """The named suites, each checked, or every benchmark suite.

    Raises:
        UnknownNameError, RefusedError: a name is no suite, or is a calibration suite, or there is
            none.
    """
    for name in names:
        if project.kind_of(name) is not SetKind.CLAIMS:
            message = (
                f"{name}: extractors are compared on claim suites, this is a golden set. "
                "Compare model versions with --model A --model B."
            )
            raise RefusedError(message)
    refuse_calibration_suites(project, names)
    found = tuple(dict.fromkeys(names)) or project.set_names_of_suites()
    if not found:
        folder = project.settings.suites_dir
        raise RefusedError(f"selected 0 suites: there is none under {folder}/.")
    return found


def extractor_servings(
    project: Project, suite_id: str, extractor_ids: Sequence[str], model: str | None
) -> tuple[Serving, ...]:
    """How each extractor answers for a suite: code as itself, a prompt as the named model.

    Raises:
        UnknownNameError: an extractor or the model version does not exist.
        RefusedError: a prompt could run as several models and none is named, or as none.
    """
    found = []
    for name in extractor_ids:
        able = models_of_extractor(project, name)
        if isinstance(extractor_of(project, name), PromptRoute):
            able = able if model is None else (model,)
        if len(able) != 1:
            message = (
                f"{name} can run as {', '.join(able) or 'no model version'}; expected one. "
                "Name it with --model, or add it under [tool.evals.models]."
            )
            raise RefusedError(message)
        found.append(serving_off_grid(project, suite_id, name, able[0]))
    return tuple(found)


def estimate_comparison(
    project: Project, suites: Sequence[str], extractor_ids: Sequence[str], model: str | None
) -> RunEstimate:
    """What the extractors and their judge would call, take and cost; makes no call."""
    return sum_of(
        [
            one
            for suite_id in suites
            for how in extractor_servings(project, suite_id, extractor_ids, model)
            for one in estimate_off_grid(project, suite_id, how)
        ]
    )


def compare_extractors(
    project: Project,
    suites: Sequence[str],
    extractor_ids: Sequence[str],
    *,
    model: str | None,
    stamp: RunStamp,
) -> tuple[Comparison, ...]:
    """The first extractor beside each of the others, on every suite.

    Costs stand in ``evals costs``: what a prompt answers here is recorded, but stored in no grid.
    """
    found: list[Comparison] = []
    for suite_id in suites:
        servings = extractor_servings(project, suite_id, extractor_ids, model)
        figures = [_measured(project, suite_id, how, stamp) for how in servings]
        names = [_name(how) for how in servings]
        found += [
            compare_figures(
                figures[0],
                other,
                first=side_of(names[0], figures[0], None),
                second=side_of(name, other, None),
            )
            for name, other in zip(names[1:], figures[1:], strict=True)
        ]
    return tuple(found)


def _measured(project: Project, suite_id: str, how: Serving, stamp: RunStamp) -> ClaimFigures:
    return measure_off_grid(project, suite_id, how, run_indices=project.run_indices(), stamp=stamp)


def _name(how: Serving) -> str:
    if how.code is not None:
        return how.model.name
    return f"{how.extractor_id} as {how.model.name}"

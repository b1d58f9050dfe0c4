"""Fits of stated confidence to observed correctness, over what the store has recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.calibrate.fits import FitRequest, Method, Population, fit_confidence
from evals_pipeline.calibrate.refusals import RefusalCode
from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.figures import CalibrationFigures, CalibrationFit, ConfidencePair
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.core.settings import Provider
from evals_pipeline.pipeline.calibration_pairs import Populations, populations
from evals_pipeline.pipeline.calibration_sources import (
    CalibrationPlan,
    calibration_plan,
    fit_digests,
    unserved_populations,
)
from evals_pipeline.pipeline.project import Project
from evals_pipeline.score.calibration import calibration_figures


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFits:
    """The fits of one set and model version as they were stored, one a method."""

    fits: tuple[CalibrationFit, ...]
    stamp: RunStamp
    is_outdated: bool


def fit_calibration(
    project: Project,
    set_name: str,
    model_version: str,
    *,
    stamp: RunStamp,
    method: str = Method.TEMPERATURE,
    save: bool = True,
) -> CalibrationFit:
    """The fit for a set and a model version over its recorded runs, stored even when refused.

    Extracts and judges nothing: the runs of ``calibration_plan(…).sources`` have to be recorded.

    Raises:
        UnknownNameError, InputError: there is no such set, or one does not load.
        RefusedError: the model version cannot serve the set.
    """
    plan = calibration_plan(project, set_name, model_version)
    found = Populations.empty(plan) if plan.lacks_judge else populations(project, plan)
    request = FitRequest(
        set_name=set_name,
        model_version=model_version,
        method=Method(method),
        population=found.fitted,
        heldout=found.heldout,
        refused=_refused_beforehand(project, plan),
        remedies=_remedies(project, plan, is_recorded=bool(found.fitted.n_runs)),
        notes=found.notes,
    )
    fit = fit_confidence(request, error_of=calibration_error)
    if save:
        store_fit(project, plan, fit, stamp=stamp)
    return fit


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigures:
    """The calibration of confidences as stated: where a fit takes its pairs, and held out."""

    fitted: CalibrationFigures
    heldout: CalibrationFigures


def stated_figures(project: Project, set_name: str, model_version: str) -> StatedFigures:
    """What a fit for a set and a model version starts from, over its recorded runs.

    Raises:
        UnknownNameError, InputError, RefusedError: as ``fit_calibration``.
    """
    plan = calibration_plan(project, set_name, model_version)
    found = Populations.empty(plan) if plan.lacks_judge else populations(project, plan)
    return StatedFigures(fitted=_stated(found.fitted), heldout=_stated(found.heldout))


def _stated(population: Population) -> CalibrationFigures:
    return calibration_figures(
        population.pairs,
        n_left_out=population.n_left_out,
        unmeasured=f"{population.left_open} left unjudged" if population.left_open else None,
    )


def calibration_error(pairs: Sequence[ConfidencePair]) -> float | None:
    """The calibration error that reports show, over some pairs."""
    return calibration_figures(pairs, n_left_out=0).ece


def store_fit(
    project: Project, plan: CalibrationPlan, fit: CalibrationFit, *, stamp: RunStamp
) -> None:
    """Stores a fit beside those of other methods that were made from the same inputs."""
    digests = fit_digests(project, plan)
    stored = project.store.read_calibration_fits(plan.set_name, plan.model_version)
    others = stored.record if stored is not None and stored.digests == digests else ()
    fits = (fit, *(one for one in others if one.method != fit.method))
    project.store.write_calibration_fits(plan.set_name, plan.model_version, fits, digests, stamp)


def is_outdated(project: Project, set_name: str, model_version: str) -> bool:
    """Whether the stored fits of a set were made from other files or settings than today's.

    Fits of a set, a model version or a file that is gone are outdated too.
    """
    stored = project.store.read_calibration_fits(set_name, model_version)
    if stored is None:
        return True
    try:
        plan = calibration_plan(project, set_name, model_version)
        return stored.digests != fit_digests(project, plan)
    except EvalsError:
        return True


def forget_fits(project: Project, set_name: str, model_version: str, *, stamp: RunStamp) -> int:
    """Forgets the stored fits of a set and a model version; says how many there were."""
    stored = project.store.read_calibration_fits(set_name, model_version)
    if stored is None or not stored.record:
        return 0
    project.store.write_calibration_fits(set_name, model_version, (), stored.digests, stamp)
    return len(stored.record)


def stored_fits(project: Project) -> tuple[StoredFits, ...]:
    """Every fit that is stored, by set and model version."""
    found = (
        fits_of(project, partition.set_name, partition.model_version or "")
        for partition in project.store.partitions("calibration_fits")
    )
    return tuple(one for one in found if one is not None)


def fits_of(project: Project, set_name: str, model_version: str) -> StoredFits | None:
    """The stored fits of a set and a model version; None where there are none."""
    stored = project.store.read_calibration_fits(set_name, model_version)
    if stored is None or not stored.record:
        return None
    return StoredFits(
        fits=stored.record,
        stamp=stored.stamp,
        is_outdated=is_outdated(project, set_name, model_version),
    )


def _refused_beforehand(project: Project, plan: CalibrationPlan) -> dict[RefusalCode, str]:
    if plan.kind is SetKind.CLAIMS and not plan.sources:
        return {RefusalCode.NO_POPULATION: _no_population(project, plan)}
    if plan.lacks_judge:
        reason = "its claims are a model's, so a model judges them, and judge.model names none"
        return {RefusalCode.NO_JUDGE: reason}
    return {}


def _no_population(project: Project, plan: CalibrationPlan) -> str:
    named = ", ".join(project.calibration_names())
    if not named:
        return "there is no calibration suite"
    unserved = unserved_populations(project, plan.set_name, plan.model_version)
    if not unserved:
        return f"no calibration suite is of its extractor (there are: {named})"
    suites = ", ".join(unserved)
    model = project.model(plan.model_version)
    if model.provider is Provider.PREDICTIONS and unserved[0] not in model.files:
        return f"the settings of {model.name} name no predictions file for {suites}"
    if model.sets is not None and unserved[0] not in model.sets:
        return f"sets of {model.name} leaves out {suites}"
    return f"{model.name} cannot serve {suites}"


def _no_population_remedy(project: Project, plan: CalibrationPlan) -> str | None:
    """What makes the calibration suite that is there answerable; None: there is none to answer."""
    unserved = unserved_populations(project, plan.set_name, plan.model_version)
    if not unserved:
        return None
    name, model = unserved[0], project.model(plan.model_version)
    table = f'[tool.evals.models."{model.name}"]'
    steps = []
    if model.provider is Provider.PREDICTIONS and name not in model.files:
        steps.append(
            f"Write the claims that the model stated of the documents of {name} to a JSONL file "
            f'and name it in files of {table}: {name} = "path.jsonl"'
        )
    if model.sets is not None and name not in model.sets:
        steps.append(f'add "{name}" to sets of {table}')
    if not steps:
        return None
    said = ", and ".join(steps)
    return f"{said[0].upper()}{said[1:]}; then calibrate."


def _remedies(
    project: Project, plan: CalibrationPlan, *, is_recorded: bool
) -> dict[RefusalCode, str]:
    """What mends a refusal here, where a command does.

    Where the runs are recorded and state no confidence, no command alone mends that.
    """
    model = plan.model_version
    if plan.kind is SetKind.CLAIMS and not plan.sources:
        remedy = _no_population_remedy(project, plan)
        return {} if remedy is None else {RefusalCode.NO_POPULATION: remedy}
    if plan.kind is SetKind.FIELDS:
        run = f'Run "evals run {plan.set_name} --model {model}", then calibrate again. '
        state = "The answers have to state a confidence beside each value"
        return {
            RefusalCode.NO_PAIRS: (
                f"{state}: ask for it in the prompt." if is_recorded else f"{run}{state}."
            ),
            RefusalCode.NO_HELDOUT: "Add documents, so that some can be held out.",
            RefusalCode.TOO_FEW_PAIRS: "Add documents, or more runs.",
            RefusalCode.DEGENERATE_LABELS: (
                "Add documents that the extractor finds hard; a fit needs right and wrong values."
            ),
        }
    named = " ".join(plan.heldout) or "a suite of the same extractor"
    state = "the claims have to state a confidence"
    return {
        RefusalCode.NO_PAIRS: (
            f"T{state[1:]}: ask for it in the prompt."
            if is_recorded
            else f'Run "evals calibrate {plan.set_name} --model {model}", which records the '
            f"passes; {state}."
        ),
        RefusalCode.NO_HELDOUT: (
            f'Record runs first: "evals run {named} --model {model}", then calibrate again.'
        ),
    }

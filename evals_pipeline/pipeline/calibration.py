"""Fits of stated confidence to observed correctness, over what the store has recorded."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evals_pipeline.calibrate.fits import FitRequest, Method, fit_confidence
from evals_pipeline.calibrate.refusals import RefusalCode
from evals_pipeline.core.figures import CalibrationFit, ConfidencePair
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import PartitionKey, RunStamp
from evals_pipeline.core.settings import JudgeSettings
from evals_pipeline.pipeline.calibration_pairs import populations, source_keys
from evals_pipeline.pipeline.calibration_sources import (
    CalibrationPlan,
    calibration_plan,
    fit_digests,
)
from evals_pipeline.pipeline.digests import input_digests, same_extraction
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.freshness import ModelPlan
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.score.calibration import calibration_figures

Progress = Callable[[int, int], None]


def fit_calibration(
    project: Project,
    set_name: str,
    model_version: str,
    *,
    stamp: RunStamp,
    method: str = Method.TEMPERATURE,
    n_runs: int | None = None,
    judge: JudgeSettings | None = None,
    save: bool = True,
) -> CalibrationFit:
    """The fit for a set and a model version over its recorded runs, stored even when refused.

    Extracts and judges nothing: ``record_passes`` does that for the sets that give the pairs.

    Raises:
        UnknownNameError, InputError: there is no such set, or one does not load.
        RefusedError: the model version cannot serve the set.
    """
    plan = calibration_plan(project, set_name, model_version, n_runs=n_runs, judge=judge)
    found = populations(project, plan)
    request = FitRequest(
        set_name=set_name,
        model_version=model_version,
        method=Method(method),
        population=found.fitted,
        heldout=found.heldout,
        refused=_refused_beforehand(project, plan),
        remedies=_remedies(plan),
        notes=found.notes,
    )
    fit = fit_confidence(request, error_of=calibration_error)
    if save:
        store_fit(project, plan, fit, stamp=stamp)
    return fit


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


def record_passes(
    project: Project,
    plan: CalibrationPlan,
    *,
    stamp: RunStamp,
    on_progress: Progress | None = None,
) -> None:
    """Extracts and judges the sets that give the pairs, where that is not done for today's files.

    Of a fit for fields nothing is done: ``evals run`` records its runs.

    Raises:
        InputError, RefusedError, SetupError: as extraction and judging.
    """
    if plan.kind is SetKind.FIELDS:
        return
    keys = source_keys(plan)
    for done, key in enumerate(keys, start=1):
        extract_partition(project, key, stamp=stamp)
        judge_partition(project, key, stamp=stamp, judge=plan.judge)
        if on_progress is not None:
            on_progress(done, len(keys))


def passes_to_extract(project: Project, plan: CalibrationPlan) -> tuple[ModelPlan, ...]:
    """What ``record_passes`` would extract, as an estimate takes it."""
    if plan.kind is SetKind.FIELDS:
        return ()
    return tuple(
        ModelPlan(
            set_name=source,
            model_version=plan.model_version,
            runs=plan.runs,
            stale_runs=tuple(
                key.run_index
                for key in source_keys(replace(plan, sources=(source,)))
                if not _is_extracted(project, key)
            ),
            needs_metrics=False,
        )
        for source in plan.sources
    )


# --- what is said of it -------------------------------------------------------------------------


def _is_extracted(project: Project, key: PartitionKey) -> bool:
    header = project.store.header("extractions", key)
    if header is None or header.digests is None:
        return False
    today = input_digests(project, key.set_name, key.model_version)
    return same_extraction(header.digests, today)


def _refused_beforehand(project: Project, plan: CalibrationPlan) -> dict[RefusalCode, str]:
    if plan.kind is SetKind.CLAIMS and not plan.sources:
        return {RefusalCode.NO_POPULATION: _no_population(project)}
    if plan.kind is SetKind.CLAIMS and plan.judge is None:
        reason = "its claims are a model's, so a model judges them, and judge.model names none"
        return {RefusalCode.NO_JUDGE: reason}
    return {}


def _no_population(project: Project) -> str:
    named = ", ".join(project.calibration_names())
    if not named:
        return "there is no calibration suite"
    return f"no calibration suite of its extractor can be served by it (there are: {named})"


def _remedies(plan: CalibrationPlan) -> dict[RefusalCode, str]:
    """What mends a refusal here, where a command does."""
    model = plan.model_version
    if plan.kind is SetKind.FIELDS:
        run = f'Run "evals run {plan.set_name} --model {model}", then calibrate again.'
        return {
            RefusalCode.NO_PAIRS: (
                f"{run} The answers have to state a confidence beside each value."
            ),
            RefusalCode.NO_HELDOUT: "Add documents, so that some can be held out.",
            RefusalCode.TOO_FEW_PAIRS: "Add documents, or more runs.",
            RefusalCode.DEGENERATE_LABELS: (
                "Add documents that the extractor finds hard; a fit needs right and wrong values."
            ),
        }
    named = " ".join(plan.heldout) or "a suite of the same extractor"
    return {
        RefusalCode.NO_PAIRS: (
            f'Run "evals calibrate {plan.set_name} --model {model}", which records the passes; '
            "the claims have to state a confidence."
        ),
        RefusalCode.NO_HELDOUT: (
            f'Record runs first: "evals run {named} --model {model}", then calibrate again.'
        ),
    }

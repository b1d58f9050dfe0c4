"""``evals benchmark``: precision, recall and calibration of an extractor's claims."""

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click

from evals_pipeline.cli.materialising import RunRequest, run_plans
from evals_pipeline.cli.options import fixtures_option, format_option, judge_options
from evals_pipeline.cli.output import console, print_json, reader_may_leave, say
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.cli.skipped import tell_missing, tell_skipped
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import GateFailedError, RefusedError
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.benchmark_records import save_record, shown_place
from evals_pipeline.pipeline.freshness import plan_model
from evals_pipeline.pipeline.grid import extractor_of, models_for, models_of_extractor, suites_of
from evals_pipeline.pipeline.model_answers import one_budget
from evals_pipeline.pipeline.offgrid import (
    estimate_off_grid,
    measure_off_grid,
    serving_off_grid,
)
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.rendering import figures_json
from evals_pipeline.pipeline.resolution import resolve_suite
from evals_pipeline.pipeline.scoring import read_figures
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.pipeline.suite_figures import refuse_calibration_suites
from evals_pipeline.report.resolution_table import resolution_json, resolution_table
from evals_pipeline.report.score_table import claims_table
from evals_pipeline.score.claims import exact_mean, is_left_open

METRICS = {
    "precision": "precision",
    "recall": "recall",
    "calibration": "calibration_error",
}
"""What --fail-on names -> the metric; of calibration more is worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """A suite and a model version to measure; ``is_routed`` False: off the suite's grid."""

    suite_id: str
    model_version: str
    is_routed: bool


@click.command(
    "benchmark",
    epilog="Examples: evals benchmark coin-catalogue; evals benchmark general --runs 3 "
    "--fail-on recall --fail-threshold 0.8; evals benchmark general --suite coin-catalogue-001",
)
@click.argument("extractor")
@click.option("--suite", "suite_id", metavar="ID", help="This suite, whatever the routing says.")
@click.option("--model", "models", multiple=True, metavar="M", help="Only this model version.")
@click.option("--runs", type=click.IntRange(1, 1000), help="Repeats (default: the settings').")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take; stop.")
@click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
@click.option("--fail-on", type=click.Choice(list(METRICS)), help="Exit 1 when its mean is worse.")
@click.option("--fail-threshold", type=float, help="Worse than this fails (with --fail-on).")
@click.option("--no-save", is_flag=True, help="Write no record of this benchmark.")
@fixtures_option
@judge_options
@format_option("json")
def command(
    extractor: str,
    suite_id: str | None,
    models: tuple[str, ...],
    runs: int | None,
    only_estimate: bool,
    yes: bool,
    fail_on: str | None,
    fail_threshold: float | None,
    no_save: bool,
    fixtures: tuple[Path, ...],
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Measure EXTRACTOR on the suites that routing gives it, or on the one named.

    --fail-on looks at the mean over the runs. A figure that could not be measured refuses. A suite
    that does not load is skipped and named at the end; named with --suite, it refuses, as does a
    calibration suite, which evals calibrate is for.
    """
    _check_threshold(fail_on, fail_threshold)
    project = open_project(judge_kind=judge_kind, threshold=threshold, runs=runs, fixtures=fixtures)
    failures = () if suite_id else project.load_failures()
    tell_skipped(failures)
    cells = _cells(project, extractor, suite_id, models)
    routed = [cell for cell in cells if cell.is_routed]
    plans = [plan_model(project, cell.suite_id, cell.model_version) for cell in routed]
    request = RunRequest(only_estimate=only_estimate, is_confirmed=yes, form=form)
    if run_plans(project, plans, request, also=_off_grid(project, extractor, cells)) is None:
        return
    with one_budget():
        found = [_figures(project, extractor, cell) for cell in cells]
    resolved = _resolved(project, found)
    if not no_save:
        stamp = make_stamp(project.root)
        for figures in found:
            resolution = resolved.get(figures.set_name)
            path = save_record(project, extractor, figures, stamp=stamp, resolution=resolution)
            say(f"wrote {shown_place(path, project)}")
    with reader_may_leave():
        _print(project, found, resolved, form)
    tell_missing(failures)
    _refuse_nothing(found)
    if fail_on is not None and fail_threshold is not None:
        _judge(found, fail_on, fail_threshold)


def _check_threshold(fail_on: str | None, threshold: float | None) -> None:
    if (fail_on is None) != (threshold is None):
        raise click.UsageError("--fail-on and --fail-threshold go together")
    if threshold is not None and not (math.isfinite(threshold) and 0 <= threshold <= 1):
        raise click.UsageError(f"--fail-threshold is {threshold}; expected 0 to 1")


def _cells(
    project: Project, extractor_id: str, suite_id: str | None, models: tuple[str, ...]
) -> list[_Cell]:
    extractor_of(project, extractor_id)
    refuse_calibration_suites(project, () if suite_id is None else (suite_id,))
    owned = suites_of(project, extractor_id, project.set_names_of_suites())
    chosen = owned if suite_id is None else (project.suite(suite_id).suite_id,)
    if not chosen:
        which = _of_those_that_load(project)
        message = (
            f"selected 0 suites: {extractor_id} is the routing choice for none{which}. Name one "
            'with --suite, or see "evals list" for who is.'
        )
        raise RefusedError(message)
    cells = []
    for name in chosen:
        is_routed = name in owned
        able = (
            models_for(project, name) if is_routed else models_of_extractor(project, extractor_id)
        )
        cells += [
            _Cell(suite_id=name, model_version=model, is_routed=is_routed)
            for model in able
            if not models or model in models
        ]
    for model in models:
        project.model(model)
    if not cells:
        message = (
            f"{extractor_id}: no model version can serve {', '.join(chosen)}. "
            "Add one under [tool.evals.models] (docs/settings.md)."
        )
        raise RefusedError(message)
    return cells


def _of_those_that_load(project: Project) -> str:
    """A suite that does not load may well be the extractor's, so they are named."""
    failures = project.load_failures()
    if not failures:
        return ""
    named = ", ".join(str(one) for one in failures)
    return f" of those that load ({len(failures)} do not: {named})"


def _off_grid(project: Project, extractor_id: str, cells: list[_Cell]) -> list[Estimate]:
    """What suites that belong to another extractor would take, and the judge of its claims."""
    return [
        one
        for cell in cells
        if not cell.is_routed
        for one in estimate_off_grid(
            project,
            cell.suite_id,
            serving_off_grid(project, cell.suite_id, extractor_id, cell.model_version),
        )
    ]


def _figures(project: Project, extractor_id: str, cell: _Cell) -> ClaimFigures:
    if not cell.is_routed:
        how = serving_off_grid(project, cell.suite_id, extractor_id, cell.model_version)
        return measure_off_grid(
            project,
            cell.suite_id,
            how,
            run_indices=project.run_indices(),
            stamp=make_stamp(project.root),
        )
    stored = read_figures(project, cell.suite_id, cell.model_version)
    if stored is None or not isinstance(stored.figures, ClaimFigures):
        message = f"{cell.suite_id}: {cell.model_version} gave nothing to score; see above."
        raise RefusedError(message)
    return stored.figures


def _resolved(project: Project, found: list[ClaimFigures]) -> dict[str, ResolutionFigures]:
    """The subject-resolution column of each suite that has gold subjects; no extractor matters."""
    names = dict.fromkeys(figures.set_name for figures in found)
    return {
        name: resolve_suite(project, name) for name in names if project.suite(name).gold_subjects
    }


def _print(
    project: Project,
    found: list[ClaimFigures],
    resolved: dict[str, ResolutionFigures],
    form: str,
) -> None:
    if form == "json":
        with_text = project.settings.record_claim_text
        rendered = [
            {
                **figures_json(one, with_claim_text=with_text),
                "resolution": resolution_json(resolved[one.set_name])
                if one.set_name in resolved
                else None,
            }
            for one in found
        ]
        print_json(rendered[0] if len(rendered) == 1 else rendered)
        return
    for one in found:
        with_text = project.settings.record_claim_text
        console().print(claims_table(one, with_claim_text=with_text))
    for resolution in resolved.values():
        console().print(resolution_table(resolution))


def _refuse_nothing(found: list[ClaimFigures]) -> None:
    """Refuses where the extractor declined every case of every suite, so that nothing is known."""
    if found and all(one.statuses.declined == one.statuses.planned for one in found):
        names = ", ".join(dict.fromkeys(one.set_name for one in found))
        message = (
            f"nothing measured: the extractor accepts the source type of no case of {names}. "
            "Name a suite of its own source types; see: evals list"
        )
        raise RefusedError(message)


def _judge(found: list[ClaimFigures], fail_on: str, threshold: float) -> None:
    name, limit = METRICS[fail_on], Fraction(str(threshold))
    failed = []
    for one in found:
        mean = exact_mean(one, name)
        if mean is None:
            reason = one.metrics[name].reason
            message = f"{one.set_name}: {name} could not be measured: {reason}."
            raise RefusedError(message)
        if n_open := sum(map(is_left_open, one.cases)):
            message = (
                f"{one.set_name}: the judge left pairs of {counted(n_open, 'case')} open, and "
                "nothing is decided while any is. Run it again: the judge is asked once more about "
                "what it could not read."
            )
            raise RefusedError(message)
        if mean > limit if fail_on == "calibration" else mean < limit:
            failed.append(
                f"{one.set_name}, {one.model_version}: mean {name} is {_beside(mean, limit)}, "
                f"{'above' if fail_on == 'calibration' else 'below'} {threshold:g}"
            )
    if failed:
        raise GateFailedError("\n".join(failed))


def _beside(mean: Fraction, limit: Fraction) -> str:
    """The mean with four decimals, or as many as it takes to tell it from the limit."""
    texts = (f"{float(mean):.{digits}f}" for digits in range(4, 17))
    return next((text for text in texts if Fraction(text) != limit), str(mean))

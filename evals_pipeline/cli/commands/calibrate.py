"""``evals calibrate``: stated confidence fitted to observed correctness, or the refusal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import click

from evals_pipeline.cli.materialising import RunRequest, run_plans
from evals_pipeline.cli.options import (
    Share,
    fixtures_option,
    format_option,
    judge_options,
    models_option,
)
from evals_pipeline.cli.output import console, print_json, say
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.cli.skipped import tell_missing, tell_skipped
from evals_pipeline.core.errors import RefusedError, SetupError
from evals_pipeline.core.figures import CalibrationFit, FieldReview
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.pipeline.calibration import StatedFigures, fit_calibration, stated_figures
from evals_pipeline.pipeline.calibration_sources import (
    calibration_cells,
    calibration_plan,
)
from evals_pipeline.pipeline.field_reviews import WANTED_PRECISION, field_reviews
from evals_pipeline.pipeline.freshness import ModelPlan, plan_model
from evals_pipeline.pipeline.judges import lacks_judge
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.calibration_table import (
    fit_json,
    fit_table,
    review_json,
    review_table,
    stated_json,
)
from evals_pipeline.report.reliability import reliability_text

_Cell: TypeAlias = tuple[str, str]
"""A set and a model version."""


@click.command(
    "calibrate",
    epilog="Examples: evals calibrate coin-catalogue; evals calibrate general --runs 3 --estimate; "
    "evals calibrate invoices --precision 0.98",
)
@click.argument("name", metavar="EXTRACTOR|SET")
@models_option
@click.option("--runs", type=click.IntRange(1, 1000), help="Passes to pool (default: settings').")
@click.option(
    "--method",
    type=click.Choice(["temperature", "isotonic"]),
    default="temperature",
    show_default=True,
    help="How stated confidence is mapped.",
)
@click.option(
    "--precision",
    "wanted",
    type=Share(),
    default=WANTED_PRECISION,
    show_default=True,
    help="Of a golden set: the precision that unreviewed values shall have.",
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take; stop.")
@click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
@click.option("--no-save", is_flag=True, help="Do not store the fit.")
@fixtures_option
@judge_options
@format_option("json")
def command(
    name: str,
    models: tuple[str, ...],
    runs: int | None,
    method: str,
    wanted: float,
    only_estimate: bool,
    yes: bool,
    no_save: bool,
    fixtures: tuple[Path, ...],
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Fit how sure EXTRACTOR says it is to how often it is right; refuse where that means nothing.

    Of an extractor its calibration suites are extracted and judged (a model's claims by a model);
    recorded runs of its other suites check the fit. Of a golden SET half of the documents give the
    fit and the others check it; from where on values may go unreviewed is shown too. A refused fit
    is stored as refused, is never applied, and is an answer: exit status 0.
    """
    project = open_project(judge_kind=judge_kind, threshold=threshold, runs=runs, fixtures=fixtures)
    # A golden set's fit is made from its own documents; what a suite lacks does not touch it.
    failures = () if name in project.golden_folders else project.load_failures()
    tell_skipped(failures)
    cells = calibration_cells(project, name, models)
    _check_judges(project, cells)
    request = RunRequest(only_estimate=only_estimate, is_confirmed=yes, form=form)
    if run_plans(project, _to_run(project, cells), request) is None:
        return
    stamp = make_stamp(project.root)
    fits = [
        fit_calibration(project, set_name, model, stamp=stamp, method=method, save=not no_save)
        for set_name, model in cells
    ]
    reviews = {
        cell: field_reviews(project, *cell, wanted=wanted)
        for cell in cells
        if project.kind_of(cell[0]) is SetKind.FIELDS and _has_answers(project, cell)
    }
    stated = {cell: stated_figures(project, *cell) for cell in cells}
    _print(fits, stated, reviews, form)
    tell_missing(failures)


def _check_judges(project: Project, cells: Sequence[_Cell]) -> None:
    """Refuses before anything is paid for where no model is set to judge a model's claims."""
    for set_name, model in cells:
        if project.kind_of(set_name) is SetKind.CLAIMS and lacks_judge(project, model):
            raise SetupError(
                f"the claims of {model} are a model's, so a model judges them for a fit, and none "
                "is set. Name one in judge.model of [tool.evals], or state --judge embedding; for "
                'good: calibration_judge = "embedding".'
            )


def _to_run(project: Project, cells: Sequence[_Cell]) -> list[ModelPlan]:
    """What gives the pairs, each once; what checks a fit has to be recorded before."""
    sources = dict.fromkeys(
        (source, model)
        for set_name, model in cells
        for source in calibration_plan(project, set_name, model).sources
    )
    return [plan_model(project, source, model) for source, model in sources]


def _has_answers(project: Project, cell: _Cell) -> bool:
    try:
        field_reviews(project, *cell)
    except RefusedError as refusal:
        say(str(refusal))
        return False
    return True


def _print(
    fits: Sequence[CalibrationFit],
    stated: Mapping[_Cell, StatedFigures],
    reviews: Mapping[_Cell, Sequence[FieldReview]],
    form: str,
) -> None:
    if form == "json":
        rendered = [
            {
                **fit_json(fit),
                "stated": {
                    "fitted": stated_json(stated[_cell_of(fit)].fitted),
                    "heldout": stated_json(stated[_cell_of(fit)].heldout),
                },
                "fields": review_json(reviews.get(_cell_of(fit), ())),
            }
            for fit in fits
        ]
        print_json({"fits": rendered})
        return
    for fit in fits:
        console().print(fit_table(fit))
        click.echo("as stated, in sample:\n" + reliability_text(stated[_cell_of(fit)].fitted))
        if found := reviews.get(_cell_of(fit), ()):
            console().print(review_table(found))
            click.echo("as stated, all fields:\n" + reliability_text(found[-1].calibration))


def _cell_of(fit: CalibrationFit) -> _Cell:
    return fit.set_name, fit.model_version

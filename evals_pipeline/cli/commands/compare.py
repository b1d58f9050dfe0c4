"""``evals compare``: model versions or extractors side by side on the same fixtures."""

from collections.abc import Sequence

import click

from evals_pipeline.cli.materialising import RunRequest, may_go_ahead
from evals_pipeline.cli.options import format_option, judge_options, sets_argument
from evals_pipeline.cli.output import console, print_json
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.pipeline.comparing import compare_models
from evals_pipeline.pipeline.comparing_extractors import (
    compare_extractors,
    compared_suites,
    estimate_comparison,
)
from evals_pipeline.pipeline.grid import models_for
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.selection import select_sets
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.comparison import Comparison, comparison_json, comparison_table


@click.command(
    "compare",
    epilog="Examples: evals compare invoices --model gpt-5-mini-2025-08-07 --model vendor-x-2026; "
    "evals compare --extractor-id coin-catalogue --extractor-id general --format json",
)
@sets_argument
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="M",
    help="A model version; give two or more. With --extractor-id: the one that prompts run as.",
)
@click.option(
    "--extractor-id",
    "extractor_ids",
    multiple=True,
    metavar="ID",
    help="A claim extractor; give two or more. Routing is left aside.",
)
@click.option("--runs", type=click.IntRange(1, 1000), help="Repeats of extractors.")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take; stop.")
@click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
@judge_options
@format_option("json")
def command(
    sets: tuple[str, ...],
    models: tuple[str, ...],
    extractor_ids: tuple[str, ...],
    runs: int | None,
    only_estimate: bool,
    yes: bool,
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Compare the first named with each of the others, field by field or metric by metric.

    Model versions are compared by their stored figures, extractors by running them on the suites.
    The p-value of McNemar's exact test informs; nothing is gated here.
    """
    models = tuple(dict.fromkeys(models))
    extractor_ids = tuple(dict.fromkeys(extractor_ids))
    project = open_project(judge_kind=judge_kind, threshold=threshold, runs=runs)
    if extractor_ids:
        request = RunRequest(only_estimate=only_estimate, is_confirmed=yes, form=form)
        found = _extractors(project, sets, extractor_ids, models, request)
    else:
        if len(models) < 2:
            raise click.UsageError("name two model versions: --model A --model B")
        found = compare_models(project, _sets_of(project, sets, models), models)
    if found is not None:
        _print(found, form)


def _sets_of(project: Project, sets: Sequence[str], models: Sequence[str]) -> tuple[str, ...]:
    """The named sets, or those that every model version can serve."""
    if sets:
        return select_sets(project, sets)
    for model in models:
        project.model(model)
    found = tuple(
        name for name in project.set_names() if set(models) <= set(models_for(project, name))
    )
    if not found:
        message = f"selected 0 sets: none can be served by each of {', '.join(models)}."
        raise RefusedError(f'{message} See "evals list".')
    return found


def _extractors(
    project: Project,
    sets: Sequence[str],
    extractor_ids: Sequence[str],
    models: Sequence[str],
    request: RunRequest,
) -> tuple[Comparison, ...] | None:
    if len(extractor_ids) < 2:
        raise click.UsageError("name two extractors: --extractor-id A --extractor-id B")
    if len(models) > 1:
        raise click.UsageError("with --extractor-id, --model names the one that prompts run as")
    model = models[0] if models else None
    suites = compared_suites(project, sets)
    estimate = estimate_comparison(project, suites, extractor_ids, model)
    is_asked = bool(estimate.calls or estimate.recorded or request.only_estimate)
    if is_asked and not may_go_ahead(project, estimate, request):
        return None
    return compare_extractors(
        project, suites, extractor_ids, model=model, stamp=make_stamp(project.root)
    )


def _print(found: Sequence[Comparison], form: str) -> None:
    if form == "json":
        print_json(comparison_json(found))
    else:
        console().print(comparison_table(found))

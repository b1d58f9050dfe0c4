"""``evals run``: materialise sets."""

from pathlib import Path

import click

from evals_pipeline.cli.materialising import RunRequest, run_plans
from evals_pipeline.cli.options import (
    fixtures_option,
    format_option,
    judge_options,
    models_option,
    sets_argument,
)
from evals_pipeline.cli.output import console, print_json, print_table, say
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.cli.skipped import AskedFor, tell_missing, tell_skipped
from evals_pipeline.core.errors import EXIT_REFUSED
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.pipeline.freshness import plan
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.rendering import figures_json
from evals_pipeline.pipeline.scoring import AnyFigures, read_figures
from evals_pipeline.pipeline.selection import select_cells
from evals_pipeline.report.score_table import claims_table, fields_table

N_WORST = 2


@click.command(
    "run",
    epilog="Examples: evals run; evals run invoices --model M --runs 3; "
    "evals run invoices --estimate",
)
@sets_argument
@models_option
@click.option("--runs", type=click.IntRange(1, 1000), help="Repeats (default: the settings').")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take; stop.")
@click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
@click.option("--fresh", is_flag=True, help="Sample models anew; recorded answers do not count.")
@fixtures_option
@judge_options
@format_option("json")
@click.pass_context
def command(
    ctx: click.Context,
    sets: tuple[str, ...],
    models: tuple[str, ...],
    runs: int | None,
    only_estimate: bool,
    yes: bool,
    fresh: bool,
    fixtures: tuple[Path, ...],
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Extract, judge and score sets; what is current is kept and not paid for again.

    The same assets are materialised as in the Dagster UI, where the run can be looked at. A suite
    that does not load is skipped and named at the end; exit status 2 when it was asked for.
    """
    project = open_project(judge_kind=judge_kind, threshold=threshold, runs=runs, fixtures=fixtures)
    failures = project.load_failures()
    tell_skipped(failures)
    asked = AskedFor.among(sets, project.failure_of)
    cells = select_cells(project, asked.names, models)
    plans = [one for set_name, model in cells for one in plan(project, [set_name], [model])]
    request = RunRequest(fresh=fresh, only_estimate=only_estimate, is_confirmed=yes)
    outcomes = run_plans(project, plans, request)
    if outcomes is None:
        return
    failed = [outcome for outcome in outcomes if not outcome.succeeded]
    for outcome in outcomes:
        if outcome.sentences:
            say(str(outcome))
    again = Project(project.root, project.settings, project.environ)
    _print(again, cells, form, is_brief=not sets and len(cells) > 1)
    tell_missing(failures)
    # Without a name every set was asked for.
    lacking = asked.failures if sets else failures
    if lacking or any(one.is_broken for one in failed):
        ctx.exit(EXIT_REFUSED)


def _print(
    project: Project, cells: tuple[tuple[str, str], ...], form: str, *, is_brief: bool
) -> None:
    found = [
        stored.figures
        for set_name, model in cells
        if (stored := read_figures(project, set_name, model)) is not None
    ]
    if form == "json":
        print_json({"figures": [figures_json(one, with_claim_text=False) for one in found]})
        return
    if is_brief:
        _print_brief(found)
        return
    for one in found:
        console().print(
            fields_table(one, with_misses=False)
            if isinstance(one, SetFigures)
            else claims_table(one, with_claims=False)
        )


def _print_brief(found: list[AnyFigures]) -> None:
    """One line for each set and model version; a set by its name shows the whole."""
    print_table(
        ("set", "model version", "runs", "answers", "figures"),
        [
            (
                one.set_name,
                one.model_version,
                str(len(one.run_indices)),
                f"{one.statuses.ok} of {one.statuses.planned}",
                _in_short(one),
            )
            for one in found
        ],
        right=("runs",),
        whole=("model version", "answers"),
    )
    click.echo("Every field and metric of a set: evals run SET. Verdicts: evals gate.")


def _in_short(figures: AnyFigures) -> str:
    if isinstance(figures, SetFigures):
        worst = sorted(
            (one for one in figures.fields if one.accuracy is not None),
            key=lambda one: one.accuracy or 0,
        )
        named = ", ".join(f"{one.field} {one.accuracy:.3f}" for one in worst[:N_WORST])
        return f"{len(figures.fields)} fields, lowest {named}" if named else "nothing measured"
    shown = ((name, figures.metrics[name].mean) for name in ("precision", "recall"))
    return ", ".join(
        f"{name} n/a" if mean is None else f"{name} {mean:.3f}" for name, mean in shown
    )

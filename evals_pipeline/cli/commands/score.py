"""``evals score``: figures for outputs that somebody already has."""

from pathlib import Path

import click

from evals_pipeline.cli.options import fixtures_option, format_option, judge_options
from evals_pipeline.cli.output import console, print_json, say
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.core.errors import NoProjectError
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.pipeline.judges import with_overrides
from evals_pipeline.pipeline.offline import models_in, open_set, score_predictions
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.rendering import figures_json
from evals_pipeline.report.score_table import claims_table, fields_table


@click.command(
    "score",
    epilog="Example: evals score golden/invoices --predictions outputs.jsonl --format json",
)
@click.argument("set_reference", metavar="SET")
@click.option(
    "--predictions",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSONL with one answer a line (docs/formats.md).",
)
@fixtures_option
@click.option("--model", metavar="M", help="Which model of the file; all by default.")
@judge_options
@format_option("json")
def command(
    set_reference: str,
    predictions: Path,
    fixtures: tuple[Path, ...],
    model: str | None,
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Figures for given outputs; nothing is stored and no Dagster is started.

    SET is a set's name, or the path of a suite file or of a golden set's folder anywhere.
    """
    try:
        project: Project | None = open_project(fixtures=fixtures)
    except NoProjectError:
        project = None
    base = project.settings.judge if project else JudgeSettings()
    judge = with_overrides(base, kind=judge_kind, threshold=threshold)
    found = open_set(project, set_reference, fixtures=fixtures)
    for warning in found.warnings:
        say(f"warning: {warning}")
    models = (model,) if model else models_in(predictions)
    figures = [
        score_predictions(found, predictions, project=project, judge=judge, model=one)
        for one in models
    ]
    with_text = project is None or project.settings.record_claim_text
    if form == "json":
        rendered = [figures_json(one, with_claim_text=with_text) for one in figures]
        print_json(rendered[0] if len(rendered) == 1 else rendered)
        return
    for one in figures:
        if len(figures) > 1:
            click.echo(f"\n{one.model_version}")
        console().print(
            fields_table(one)
            if isinstance(one, SetFigures)
            else claims_table(one, with_claim_text=with_text)
        )

"""``evals answers``: the record of what models answered."""

from pathlib import Path
from typing import Any

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json, print_table
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.llm.answers import AnswerFile
from evals_pipeline.llm.archive import AnswerFilter, export_answers, list_answers, prune
from evals_pipeline.pipeline.model_answers import record_of
from evals_pipeline.pipeline.project import Project

SHORT = 12


@click.group("answers")
def command() -> None:
    """List, prune and export recorded answers."""


def _filter(model: str | None, set_name: str | None) -> AnswerFilter:
    return AnswerFilter(model_version=model, set_name=set_name)


@command.command("list", epilog="Example: evals answers list --set invoices")
@click.option("--model", metavar="M", help="Only of this model version.")
@click.option("--set", "set_name", metavar="SET", help="Only of this set.")
@format_option("json")
def list_(model: str | None, set_name: str | None, form: str) -> None:
    """The recorded answers, newest sample of each."""
    record = record_of(Project.open())
    rows = [_row(file) for file in list_answers(record, only=_filter(model, set_name))]
    if form == "json":
        print_json({"answers": rows})
        return
    print_table(
        ("key", "set", "model version", "document", "run", "samples", "retries", "status", "cost"),
        [
            (
                row["key"][:SHORT],
                row["set"],
                row["model_version"],
                row["label"][:SHORT],
                str(row["run_index"]),
                str(row["n_samples"]),
                str(row["retries"]),
                row["status"],
                "unknown" if row["usd"] is None else f"{row['usd']} USD",
            )
            for row in rows
        ],
        right=("run", "samples", "retries"),
    )
    click.echo(f"{counted(len(rows), 'answer')} in {record.root}")


@command.command("prune", epilog="Example: evals answers prune --superseded --yes")
@click.option("--model", metavar="M", help="Only of this model version.")
@click.option("--set", "set_name", metavar="SET", help="Only of this set.")
@click.option("--superseded", is_flag=True, help="Also samples that a newer good one replaced.")
@click.option("--paid", is_flag=True, help="Also answers that were paid for. Needs --yes.")
@click.option("--yes", is_flag=True, help="Remove; without it nothing goes.")
def prune_(
    model: str | None, set_name: str | None, superseded: bool, paid: bool, yes: bool
) -> None:
    """Remove failures that cost nothing; more only when told to. Shows what would go first."""
    record = record_of(Project.open())
    report = prune(
        record,
        only=_filter(model, set_name),
        remove_superseded=superseded,
        remove_paid=paid,
        is_dry=not yes,
    )
    word = "removed" if yes else "would remove"
    click.echo(
        f"{word} {counted(report.n_samples, 'sample')}, {counted(len(report.keys), 'whole answer')}"
    )
    if report.n_busy:
        click.echo(f"left {counted(report.n_busy, 'answer')} alone that a run is asking for")
    if not yes:
        click.echo("Nothing is gone yet; repeat with --yes.")


@command.command("export", epilog="Example: evals answers export recordings/m --model M")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--model", metavar="M", help="Only of this model version.")
@click.option("--set", "set_name", metavar="SET", help="Only of this set.")
@click.option("--name", default="answers", show_default=True, help="The file, NAME.jsonl.")
@click.option("--replace", "replace_all", is_flag=True, help="Drop what the file already holds.")
def export(
    folder: Path, model: str | None, set_name: str | None, name: str, replace_all: bool
) -> None:
    """Write answers as JSONL to commit; a model version reads them with recordings = FOLDER."""
    record = record_of(Project.open())
    count = export_answers(
        record, folder, only=_filter(model, set_name), name=name, replace_all=replace_all
    )
    if not count:
        raise RefusedError("no recorded answer is meant by these options. See: evals answers list")
    click.echo(f"wrote {counted(count, 'answer')} to {folder / name}.jsonl")


def _row(file: AnswerFile) -> dict[str, Any]:
    newest = file.samples[-1]
    cost = newest.cost.usd if newest.cost else None
    return {
        "key": file.key,
        "set": file.origin.set_name,
        "model_version": file.origin.model_version,
        "label": file.origin.label,
        "run_index": file.origin.run_index,
        "purpose": file.origin.purpose.value,
        "n_samples": len(file.samples),
        "retries": newest.retries,
        "retry_reasons": list(newest.retry_reasons),
        "status": newest.status.value,
        "provider_model": newest.provider_model,
        "usd": None if cost is None else str(cost),
    }

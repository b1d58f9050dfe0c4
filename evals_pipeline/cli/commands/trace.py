"""``evals trace``: from a figure down to its fixtures."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json, print_table, say
from evals_pipeline.core.label_history import label_words
from evals_pipeline.pipeline.grid import models_for
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.tracing import Trace, TraceRow, trace_figure

SHORT = 12


@click.command(
    "trace",
    epilog="Examples: evals trace invoices --field due_date --model M; "
    "evals trace coins-001 --metric recall --fixture coin-002",
)
@click.argument("set_name", metavar="SET")
@click.option("--metric", metavar="M", help="A metric of a claim suite, for example recall.")
@click.option("--field", metavar="F", help="A field of a golden set.")
@click.option("--model", metavar="M", help="Whose figure; the set's first by default.")
@click.option("--fixture", metavar="ID", help="Only this document: name, id or a prefix of it.")
@click.option("--all", "show_all", is_flag=True, help="Also what counts for the figure.")
@format_option("json")
def command(
    set_name: str,
    metric: str | None,
    field: str | None,
    model: str | None,
    fixture: str | None,
    show_all: bool,
    form: str,
) -> None:
    """Walk from one figure of SET to the documents, answers, prompt and commit behind it."""
    if metric and field:
        raise click.UsageError("--metric is for claim suites, --field for golden sets; give one")
    project = Project.open()
    project.kind_of(set_name)
    chosen = model or next(iter(models_for(project, set_name)), "")
    found = trace_figure(project, set_name, chosen, figure=metric or field, fixture=fixture)
    if form == "json":
        print_json(_json(found, project.root))
        return
    _print(found, show_all=show_all or fixture is not None)


def _json(found: Trace, root: Path) -> dict[str, Any]:
    """The trace in the words of the other documents: ``document`` is an id, ``name`` for people."""
    value = asdict(found)
    set_name = value.pop("set_name")
    return {**value, "set": set_name, "rows": [_row_json(row, root) for row in found.rows]}


def _row_json(row: TraceRow, root: Path) -> dict[str, Any]:
    value = asdict(row)
    name, document = value.pop("document"), value.pop("fixture_id")
    return {**value, "document": document, "name": name, "path": _path_in(root, row.path)}


def _path_in(root: Path, path: str | None) -> str | None:
    """A path from the project's root, the same on every machine; outside of it, as it is."""
    if path is None or not Path(path).is_relative_to(root):
        return path
    return Path(path).relative_to(root).as_posix()


def _print(found: Trace, *, show_all: bool) -> None:
    value = f"n/a ({found.reason})" if found.value is None else f"{found.value:.4f}"
    click.echo(f"{found.set_name} · {found.model_version} · {found.figure} = {value}")
    click.echo(
        f"scored by run {found.run_id} at commit {found.commit or 'none'}, "
        f"over runs {', '.join(map(str, found.run_indices))}"
    )
    if found.outdated:
        changed = ", ".join(found.outdated)
        say(f"out of date: {changed} changed since; run: evals run {found.set_name}")
    rows = [row for row in found.rows if show_all or row.counts == "against"]
    print_table(
        ("document", "run", "outcome", "want", "got", "extraction", "why"),
        [_cells(row) for row in rows],
        right=("run",),
    )
    n_for = sum(row.counts == "for" for row in found.rows)
    click.echo(f"{n_for} for, {sum(row.counts == 'against' for row in found.rows)} against")
    if not show_all:
        click.echo("What counts for the figure is shown with --all; one document with --fixture.")


def _cells(row: TraceRow) -> tuple[str, ...]:
    prompt = f"\nprompt {row.prompt_sha256[:SHORT]}" if row.prompt_sha256 else ""
    answer = f"\nanswer {row.answer_key[:SHORT]}" if row.answer_key else ""
    label = label_words(row.labelled_by, row.labelled_at, row.corrections)
    status = row.status if row.reason is None else f"{row.status}: {row.reason}"
    return (
        f"{row.document}\n{row.fixture_sha256[:SHORT]}",
        str(row.run_index),
        row.outcome,
        "absent" if row.want is None else row.want,
        "absent" if row.got is None else row.got,
        f"{status}\n{row.extractor}{prompt}{answer}",
        "\n".join((*row.steps, *([label] if label else []))),
    )

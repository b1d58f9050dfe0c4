"""``evals prompt show``: what would be sent to a model for a document."""

from typing import Any

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.settings import Provider
from evals_pipeline.core.visible import visible_block
from evals_pipeline.pipeline.grid import models_for, serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.prompt_preview import preview


@click.group("prompt")
def command() -> None:
    """Show what would be sent to a model."""


@command.command("show", epilog="Example: evals prompt show invoices --fixture acme-2026-03")
@click.argument("set_name", metavar="SET")
@click.option("--model", metavar="M", help="For this model version (default: the first).")
@click.option("--fixture", metavar="ID", help="For this document (default: the first).")
@format_option("json")
def show(set_name: str, model: str | None, fixture: str | None, form: str) -> None:
    """The messages and the answer's schema for one document; calls nobody and needs no key."""
    project = Project.open()
    chosen = model or _first_asked(project, set_name)
    found = preview(project, set_name, serving(project, set_name, chosen), fixture=fixture)
    if form == "json":
        print_json(found)
        return
    _print(found)


def _first_asked(project: Project, set_name: str) -> str:
    for name in models_for(project, set_name):
        if project.model(name).provider is Provider.OPENAI:
            return name
    message = (
        f'{set_name}: no model version with provider "openai" serves it. Add one under '
        "[tool.evals.models] (docs/how-to/ask-a-model.md)."
    )
    raise RefusedError(message)


def _print(found: dict[str, Any]) -> None:
    click.echo(f"{found['set']} · {found['model_version']} · {found['name']}")
    click.echo(f"prompt {found['prompt']} ({found['prompt_sha256'][:12]})")
    click.echo(f"answer key {found['answer_key'][:12]}, recorded: {found['is_recorded']}")
    for message in found["messages"]:
        click.secho(f"\n[{message['role']}]", bold=True)
        click.echo(visible_block(message["text"]))
        if message["n_images"]:
            click.echo(f"({counted(message['n_images'], 'picture')})")

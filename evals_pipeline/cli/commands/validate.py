"""``evals validate``: every fault at once."""

import os
from pathlib import Path

import click

from evals_pipeline.cli.options import fixtures_option, format_option
from evals_pipeline.cli.output import print_json, reader_may_leave, say
from evals_pipeline.cli.overrides import FIXTURES_VARIABLE, open_project
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import EXIT_REFUSED, Fault
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.validation import validate_project


@click.command("validate", epilog="Example: evals validate golden/invoices")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SET|PATH]...")
@fixtures_option
@format_option("json")
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[Path, ...], fixtures: tuple[Path, ...], form: str
) -> None:
    """Every fault of suites, sets, labels, hashes and settings, with file, line and remedy."""
    project, settings_faults = _open(fixtures)
    found = validate_project(project, paths, settings_faults=settings_faults)
    with reader_may_leave():
        if form == "json":
            print_json(
                {
                    "faults": [
                        {
                            "where": fault.where,
                            "line": fault.line,
                            "problem": fault.problem,
                            "remedy": fault.remedy,
                        }
                        for fault in found.faults
                    ],
                    "warnings": list(found.warnings),
                    "checked": list(found.checked),
                }
            )
        else:
            for warning in found.warnings:
                say(f"warning: {warning}")
            for fault in found.faults:
                click.echo(str(fault))
            checked = ", ".join(found.checked) or "nothing"
            click.echo(f"checked {checked}: {counted(len(found.faults), 'fault')}")
    if found.faults or not found.checked:
        ctx.exit(EXIT_REFUSED)


def _open(fixtures: tuple[Path, ...]) -> tuple[Project, tuple[Fault, ...]]:
    """The project; where its settings are faulty, with their faults and its folders alone."""
    folders = os.pathsep.join(str(folder.resolve()) for folder in fixtures)
    environ = {**os.environ, FIXTURES_VARIABLE: folders} if fixtures else None
    project, faults = Project.open_despite(environ=environ)
    return (project, faults) if faults else (open_project(fixtures=fixtures), ())

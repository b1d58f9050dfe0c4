"""``evals conform``: does an extractor fill in what it promises?"""

from pathlib import Path

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json, print_table
from evals_pipeline.core import record_json
from evals_pipeline.core.errors import GateFailedError, RefusedError
from evals_pipeline.pipeline.conforming import changes_since, conform, last_report, save_report
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp


@click.command("conform", epilog="Example: evals conform coin-catalogue")
@click.argument("extractor")
@click.option(
    "--fixtures",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of fixtures (default: the project's).",
)
@click.option("--no-save", is_flag=True, help="Do not keep this report.")
@format_option("json")
def command(extractor: str, fixtures: Path | None, no_save: bool, form: str) -> None:
    """Completeness of EXTRACTOR's required and recommended properties over the suite fixtures.

    A report is bound to the corpus; an earlier one over other fixtures is not compared.
    Exit status 1 when a required property is missing.
    """
    project = Project.open()
    report = conform(project, extractor, fixtures_folder=fixtures)
    before = last_report(project, extractor)
    changes, incomparable = changes_since(before, report) if before else ((), None)
    if not no_save:
        save_report(project, extractor, report, at=make_stamp(project.root).at)
    if form == "json":
        print_json(
            {
                "report": record_json.encode(report),
                "changes": [record_json.encode(one) for one in changes],
                "not_comparable": incomparable,
            }
        )
    else:
        click.echo(f"{report.extractor} over corpus {report.corpus_hash[:12]}")
        print_table(
            ("property", "owed", "filled", "of"),
            [
                (
                    one.name,
                    "required" if one.is_required else "recommended",
                    str(one.filled),
                    str(one.n),
                )
                for one in report.properties
            ],
            right=("filled", "of"),
        )
        for change in changes:
            click.echo(f"{change.name}: {change.before} before, {change.after} now, of {change.n}")
        if incomparable:
            click.echo(f"not comparable with the last report: {incomparable}")
    if report.is_conformant is None:
        raise RefusedError(f"nothing measured: {report.reason}.")
    if not report.is_conformant:
        lacking = "; ".join(
            f"{one.fixture_id} lacks {', '.join(one.missing_required)}"
            for one in report.fixtures
            if one.missing_required
        )
        raise GateFailedError(f"{report.extractor} does not conform: {lacking}")
    if form != "json":
        click.echo(f"{report.extractor} conforms")

"""``evals conform``: does an extractor fill in what it promises?"""

from pathlib import Path

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import print_json, print_table, reader_may_leave, say
from evals_pipeline.core import record_json
from evals_pipeline.core.errors import GateFailedError, RefusedError
from evals_pipeline.extract.conformance import ConformanceReport, PropertyChange
from evals_pipeline.pipeline.conforming import changes_since, conform, last_report, save_report
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp


@click.command(
    "conform",
    epilog="Examples: evals conform coin-catalogue; "
    "evals conform coin-catalogue --fixtures suites/fixtures --fixtures more/fixtures",
)
@click.argument("extractor")
@click.option(
    "--fixtures",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="These folders of fixtures alone (default: the project's); repeatable.",
)
@click.option("--no-save", is_flag=True, help="Do not keep this report.")
@format_option("json")
def command(extractor: str, fixtures: tuple[Path, ...], no_save: bool, form: str) -> None:
    """Completeness of EXTRACTOR's required and recommended properties over the suite fixtures.

    A report is bound to the corpus; an earlier one over other fixtures is not compared. A fixture
    that does not load is told and counted; where it is EXTRACTOR's own, nothing is said of the
    whole (exit status 2). Exit status 1 when a required property is missing.
    """
    project = Project.open()
    report = conform(project, extractor, fixtures_folders=fixtures)
    before = last_report(project, extractor)
    changes, incomparable = changes_since(before, report) if before else ((), None)
    if not no_save:
        save_report(project, extractor, report, at=make_stamp(project.root).at)
    for one in report.refused:
        say(f"fault: {one.problem}")
    with reader_may_leave():
        if form == "json":
            print_json(
                {
                    "report": record_json.encode(report),
                    "changes": [record_json.encode(one) for one in changes],
                    "not_comparable": incomparable,
                }
            )
        else:
            _print(report, changes, incomparable)
    _judge(report)
    if form != "json":
        click.echo(f"{report.extractor} conforms")


def _print(
    report: ConformanceReport, changes: tuple[PropertyChange, ...], incomparable: str | None
) -> None:
    n = len(report.fixtures) + len(report.refused)
    fixtures = f"{n} fixture{'s' * (n != 1)}"
    loaded = f", {len(report.refused)} of them not loaded" if report.refused else ""
    click.echo(f"{report.extractor} over corpus {report.corpus_hash[:12]}, {fixtures}{loaded}")
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
    for refused in report.refused:
        click.echo(f"not measured: {refused.fixture_id}, {_whose(refused.is_expected)}")
    for change in changes:
        click.echo(f"{change.name}: {change.before} before, {change.after} now, of {change.n}")
    if incomparable:
        click.echo(f"not comparable with the last report: {incomparable}")


def _whose(is_expected: bool | None) -> str:
    if is_expected is None:
        return "whose manifest cannot be read"
    return "which the extractor is expected to take" if is_expected else "of another extractor"


def _judge(report: ConformanceReport) -> None:
    if report.is_conformant is None:
        what = "nothing measured" if not report.refused else "not measured in whole"
        raise RefusedError(f"{what}: {report.reason}.")
    if not report.is_conformant:
        lacking = "; ".join(
            f"{one.fixture_id} lacks {', '.join(one.missing_required)}"
            for one in report.fixtures
            if one.missing_required
        )
        raise GateFailedError(f"{report.extractor} does not conform: {lacking}")

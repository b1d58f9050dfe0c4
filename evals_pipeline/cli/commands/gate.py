"""``evals gate``: per field, what a change did."""

from collections.abc import Sequence
from pathlib import Path

import click

from evals_pipeline.baseline.acknowledgements import check_sets, parse_accept
from evals_pipeline.cli.options import format_option, models_option, output_option, sets_argument
from evals_pipeline.cli.output import console, print_width, reader_may_leave, write_output
from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import (
    EXIT_FINE,
    EXIT_GATE_FAILED,
    EXIT_REFUSED,
)
from evals_pipeline.core.figures import GateReport
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.selection import select_gates
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.gate_json import gate_json
from evals_pipeline.report.gate_markdown import gate_markdown
from evals_pipeline.report.gate_table import gate_table, gate_text
from evals_pipeline.report.junit import gate_junit


@click.command(
    "gate",
    epilog="Examples: evals gate; evals gate invoices --since origin/main; "
    "evals gate invoices --accept 'invoices/total=the fax of 3 May is cut off'; "
    "evals gate --format junit --output gate.xml",
)
@sets_argument
@models_option
@click.option("--since", metavar="REV", help="Compare with the baseline of this git revision.")
@click.option(
    "--against", metavar="M", help="Compare with this model version's baseline, or its figures."
)
@click.option(
    "--accept",
    "accepts",
    multiple=True,
    metavar="SET/FIELD=REASON",
    help="Accept a drop within its tolerance; repeatable. Commits do it with an Accept-Drop line.",
)
@click.option("--no-save", is_flag=True, help="Do not store the verdict.")
@format_option("json", "markdown", "junit")
@output_option
@click.pass_context
def command(
    ctx: click.Context,
    sets: tuple[str, ...],
    models: tuple[str, ...],
    since: str | None,
    against: str | None,
    accepts: tuple[str, ...],
    no_save: bool,
    form: str,
    output: Path | None,
) -> None:
    """Compare today's figures with the baseline from before the change, field by field.

    Exit status: 0 when no field got worse, 1 when one did, 2 when nothing can be said.
    """
    project = Project.open()
    acknowledged = [parse_accept(text) for text in accepts]
    cells = select_gates(project, sets, models)
    check_sets(acknowledged, gated=list(dict.fromkeys(name for name, _ in cells)))
    stamp = None if no_save else make_stamp(project.root)
    reports = [
        gate_model(
            project,
            set_name,
            model,
            since=since,
            accepts=acknowledged,
            against=against,
            stamp=stamp,
        )
        for set_name, model in cells
    ]
    with reader_may_leave():
        _print(reports, form, output)
    ctx.exit(exit_status(reports))


def exit_status(reports: Sequence[GateReport]) -> int:
    """1 when a gate failed, else 2 when one refused or there was none, else 0."""
    verdicts = {report.verdict for report in reports}
    if GateVerdict.FAIL in verdicts:
        return EXIT_GATE_FAILED
    if GateVerdict.REFUSED in verdicts or not verdicts:
        return EXIT_REFUSED
    return EXIT_FINE


def _print(reports: Sequence[GateReport], form: str, output: Path | None) -> None:
    if form == "table" and output is None:
        console().print(gate_table(reports))
        return
    write_output(_rendered(reports, form), output)


def _rendered(reports: Sequence[GateReport], form: str) -> str:
    match form:
        case "json":
            return strict_json.dumps(gate_json(reports), indent=2)
        case "markdown":
            return gate_markdown(reports)
        case "junit":
            return gate_junit(reports)
        case _:
            return gate_text(reports, width=print_width())

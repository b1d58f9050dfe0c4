"""``evals report``: one self-contained HTML page."""

from pathlib import Path

import click

from evals_pipeline.cli.options import models_option, sets_argument
from evals_pipeline.cli.output import progress, write_output
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.reporting import PageRequest, gather_page, report_cells
from evals_pipeline.pipeline.selection import select_sets
from evals_pipeline.report.html import ReportPage, render_page


@click.command(
    "report",
    epilog="Examples: evals report --output report.html; "
    "evals report invoices --since origin/main --output invoices.html",
)
@sets_argument
@models_option
@click.option("--since", metavar="REV", help="Gate against the baseline of this git revision.")
@click.option(
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; opened in any browser, it loads nothing from anywhere.",
)
def command(
    sets: tuple[str, ...], models: tuple[str, ...], since: str | None, output: Path
) -> None:
    """Write figures, gates, every miss with its place, calibration, cost and changes as one page.

    What has no figures is named on the page with the command that makes some. Exit status: 0 when
    the page was written, whatever its verdict; 2 when there is nothing to show.
    """
    project = Project.open()
    for model in models:
        project.model(model)
    cells = report_cells(project, select_sets(project, sets), models)
    with progress("gathering", len(cells)) as told:
        done = 0

        def on_cell(name: str) -> None:
            del name
            nonlocal done
            told(done, len(cells))
            done += 1

        page = gather_page(project, PageRequest(cells=cells, since=since), on_cell=on_cell)
    write_output(render_page(page), output)
    click.echo(_sentence(page))


def _sentence(page: ReportPage) -> str:
    """The verdict in the terminal, so that nobody has to open the page for it."""
    word = "MEASURED" if page.verdict is None else page.verdict.name
    gates = [model.gate.verdict for section in page.golden for model in section.models]
    counts = (
        (gates.count(GateVerdict.FAIL), "failed"),
        (gates.count(GateVerdict.REFUSED), "refused"),
        (gates.count(GateVerdict.PASS), "passed"),
        (sum(len(section.models) for section in page.suites), "suites measured"),
    )
    return f"{word}: {', '.join(f'{n} {what}' for n, what in counts if n)}"

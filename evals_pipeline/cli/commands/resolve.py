"""``evals resolve``: the subject-resolution column of a suite."""

from collections.abc import Sequence

import click

from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import console, print_json, reader_may_leave
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.settings import WikidataUse
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.resolution import resolve_suite
from evals_pipeline.report.resolution_table import (
    nothing_resolved,
    resolution_json,
    resolution_table,
)


@click.command(
    "resolve",
    epilog="Examples: evals resolve prose-articles-001; "
    "evals resolve prose-articles-001 --wikidata live",
)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--wikidata",
    type=click.Choice([use.value for use in WikidataUse]),
    help="Whether Wikidata is asked (default: the settings', off).",
)
@format_option("json")
def command(suites: tuple[str, ...], wikidata: str | None, form: str) -> None:
    """Resolve each gold subject of SUITE from its mention: right, wrong reference, or none.

    No extractor runs and nothing is stored but Wikidata's answers. Without a suite named, all that
    have gold subjects. Exit status 2 when an outage left not a single one decided.
    """
    project = Project.open()
    named = suites or tuple(
        name for name in project.set_names_of_suites() if project.suite(name).gold_subjects
    )
    if not named:
        raise RefusedError("no suite has gold subjects (docs/how-to/write-a-suite.md).")
    use = None if wikidata is None else WikidataUse(wikidata)
    found = [resolve_suite(project, name, wikidata=use) for name in named]
    with reader_may_leave():
        _print(found, form)
    if (reason := nothing_resolved(found)) is not None:
        raise RefusedError(reason)


def _print(found: Sequence[ResolutionFigures], form: str) -> None:
    if form == "json":
        rendered = [resolution_json(one) for one in found]
        print_json(rendered[0] if len(rendered) == 1 else rendered)
        return
    for one in found:
        console().print(resolution_table(one))

"""``evals suite draft``: a first version of a claim suite, for an author to correct."""

from datetime import date
from pathlib import Path

import click

from evals_pipeline.cli.materialising import RunRequest, may_go_ahead
from evals_pipeline.cli.output import say
from evals_pipeline.core.counts import counted
from evals_pipeline.pipeline.estimating import sum_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.pipeline.suite_drafts import (
    DraftRequest,
    estimate_draft,
    extract_draft,
    plan_draft,
    write_draft,
)


@click.group("suite")
def command() -> None:
    """Draft claim suites."""


@command.command(
    "draft",
    epilog="Examples: evals suite draft coin-catalogue coin-norway-krone-1925; evals suite draft "
    "general page.html --source-type WEB_PAGE --model gpt-5-mini-2025-08-07",
)
@click.argument("extractor")
@click.argument("fixtures", nargs=-1, required=True, metavar="FIXTURE...")
@click.option(
    "--suite-id", metavar="ID", help="Lower case with hyphens (default: EXTRACTOR-draft-001)."
)
@click.option("--name", metavar="TEXT", help="What people call the suite.")
@click.option("--domain", metavar="TEXT", help="What its documents are about.")
@click.option("--source-type", metavar="T", help="The type of files given by path.")
@click.option("--model", metavar="M", help="The model version that answers, for a prompt.")
@click.option(
    "--predictions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Draft from these outputs instead of running the extractor.",
)
@click.option(
    "--already-masked",
    is_flag=True,
    help="You declare that nothing in the files given by path has to be masked.",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Only say what it would cost.")
@click.option("--yes", "is_confirmed", is_flag=True, help="Go ahead above the confirm limit.")
def draft(
    extractor: str,
    fixtures: tuple[str, ...],
    suite_id: str | None,
    name: str | None,
    domain: str | None,
    source_type: str | None,
    model: str | None,
    predictions: Path | None,
    already_masked: bool,
    output: Path | None,
    only_estimate: bool,
    is_confirmed: bool,
) -> None:
    """Write a suite file from what EXTRACTOR states today of each FIXTURE.

    A FIXTURE is the id of one under suites/fixtures, or the path of a text file, which becomes
    inline content. A file that exists is never overwritten.
    """
    project = Project.open()
    request = DraftRequest(
        extractor_id=extractor,
        references=fixtures,
        suite_id=suite_id,
        name=name,
        domain=domain,
        source_type=source_type,
        model=model,
        predictions=predictions,
        already_masked=already_masked,
    )
    planned = plan_draft(project, request)
    estimate = estimate_draft(project, planned)
    asked = RunRequest(only_estimate=only_estimate, is_confirmed=is_confirmed)
    if estimate is not None and not may_go_ahead(project, sum_of([estimate]), asked):
        return
    found = extract_draft(project, planned, stamp=make_stamp(project.root))
    today = date.today()  # noqa: DTZ011 - the author's own day
    path = write_draft(project, planned, found, today=today, output=output)
    cases = counted(len(found), "case")
    claims = counted(sum(len(one.claims) for one in found), "claim")
    click.echo(f"wrote {path}: {cases}, {claims} as {extractor} stated them")
    say("It is a draft: its first lines say what to do before you commit it.")

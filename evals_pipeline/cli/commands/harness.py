"""``evals benchmark-modality``, ``-polarity`` and ``-validity``: properties of emitted claims."""

from collections.abc import Sequence

import click

from evals_pipeline.cli.materialising import RunRequest, may_go_ahead
from evals_pipeline.cli.options import format_option, judge_options, models_option
from evals_pipeline.cli.output import console, print_json, progress, reader_may_leave
from evals_pipeline.cli.skipped import AskedFor, tell_missing, tell_skipped
from evals_pipeline.core.errors import EXIT_REFUSED, RefusedError
from evals_pipeline.core.harness_records import HarnessFigures, HarnessKind
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.pipeline.estimating import RunEstimate, sum_of
from evals_pipeline.pipeline.harness_extraction import estimate_harness, harness_runs
from evals_pipeline.pipeline.harness_suites import (
    HarnessCell,
    harness_cells,
    harness_failures,
    harness_suites,
)
from evals_pipeline.pipeline.harnesses import alignment_judge, estimate_alignment, run_harness
from evals_pipeline.pipeline.project import LoadFailure, Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.harness_table import harness_json, harness_table

_ABOUT = {
    HarnessKind.MODALITY: "what kind of assertion each is: checkable, a judgement, a feeling",
    HarnessKind.POLARITY: "how its document frames each: held, turned down, supposed",
    HarnessKind.VALIDITY: "until when each holds",
}


def _command(kind: HarnessKind) -> click.Command:
    """The command of one harness."""

    @click.command(
        f"benchmark-{kind.value}",
        help=(
            f"Measure of EXTRACTOR's claims {_ABOUT[kind]}.\n\n"
            f"Runs the suites under suites/{kind.value}/ that routing gives the extractor; "
            "EXTRACTOR may also be a model version's key. Reports only; nothing is stored but a "
            "model's answers. To keep the figures: evals run SUITE."
        ),
        epilog=f"Examples: evals benchmark-{kind.value} general; "
        f"evals benchmark-{kind.value} general --model M --runs 1 --format json",
    )
    @click.argument("extractor")
    @models_option
    @click.option("--suite", "suites", multiple=True, metavar="ID", help="This suite; repeatable.")
    @click.option("--runs", type=click.IntRange(1, 1000), help="Repeats (default: the settings').")
    @click.option("--estimate", "only_estimate", is_flag=True, help="Say what it takes; stop.")
    @click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
    @judge_options
    @format_option("json")
    @click.pass_context
    def command(
        ctx: click.Context,
        extractor: str,
        models: tuple[str, ...],
        suites: tuple[str, ...],
        runs: int | None,
        only_estimate: bool,
        yes: bool,
        judge_kind: str | None,
        threshold: float | None,
        form: str,
    ) -> None:
        project = Project.open()
        failures = harness_failures(project, kind)
        tell_skipped(failures)
        asked = _asked_for(project, kind, suites, failures)
        cells = harness_cells(project, kind, extractor, models=models, suite_ids=asked.names)
        planned = [(cell, harness_runs(project, cell, runs)) for cell in cells]
        request = RunRequest(only_estimate=only_estimate, is_confirmed=yes, form=form)
        judge = alignment_judge(project, kind=judge_kind, threshold=threshold)
        stamp = make_stamp(project.root)
        if not may_go_ahead(project, _estimate(project, planned, judge, stamp), request):
            return
        found = []
        for cell, passes in planned:
            with progress(cell.suite.suite_id, len(cell.suite.cases) * len(passes)) as update:
                found.append(
                    run_harness(
                        project, cell, runs=passes, judge=judge, stamp=stamp, on_progress=update
                    )
                )
        with reader_may_leave():
            _print(project, found, form)
        tell_missing(failures)
        _refuse_nothing(found)
        if asked.failures:
            ctx.exit(EXIT_REFUSED)

    return command


def _asked_for(
    project: Project, kind: HarnessKind, suites: Sequence[str], failures: Sequence[LoadFailure]
) -> AskedFor:
    loaded = {suite.suite_id for suite in harness_suites(project, kind).suites}
    return AskedFor.among(
        suites,
        lambda name: next(
            (one for one in failures if name not in loaded and one.is_called(name)), None
        ),
    )


def _refuse_nothing(found: Sequence[HarnessFigures]) -> None:
    """Refuses where the extractor declined every document, so that nothing is known."""
    if found and all(one.statuses.declined == one.statuses.planned for one in found):
        names = ", ".join(dict.fromkeys(one.set_name for one in found))
        message = f"nothing measured: the extractor accepts the source type of none of {names}."
        raise RefusedError(message)


def _estimate(
    project: Project,
    planned: Sequence[tuple[HarnessCell, tuple[int, ...]]],
    judge: JudgeSettings,
    stamp: RunStamp,
) -> RunEstimate:
    asked = [estimate_harness(project, cell, passes) for cell, passes in planned]
    aligned = [
        one
        for cell, passes in planned
        for one in estimate_alignment(project, cell, passes, judge=judge, stamp=stamp)
    ]
    return sum_of([*(one for one in asked if one is not None), *aligned])


def _print(project: Project, found: Sequence[HarnessFigures], form: str) -> None:
    if form == "json":
        with_text = project.settings.record_claim_text
        rendered = [harness_json(one, with_claim_text=with_text) for one in found]
        print_json(rendered[0] if len(rendered) == 1 else rendered)
        return
    for one in found:
        console().print(harness_table(one))


modality = _command(HarnessKind.MODALITY)
polarity = _command(HarnessKind.POLARITY)
validity = _command(HarnessKind.VALIDITY)

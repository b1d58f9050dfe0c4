"""``evals run``: materialise sets."""

from dataclasses import dataclass, field
from pathlib import Path

import click

from evals_pipeline.cli.materialising import UP_TO_DATE, RunRequest, run_plans
from evals_pipeline.cli.options import (
    fixtures_option,
    format_option,
    judge_options,
    models_option,
    sets_argument,
)
from evals_pipeline.cli.output import console, print_json, print_table, reader_may_leave, say
from evals_pipeline.cli.overrides import open_project
from evals_pipeline.cli.run_endings import spent_json, tell_spent, unmeasured
from evals_pipeline.cli.skipped import AskedFor, tell_missing, tell_skipped
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import EXIT_REFUSED
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.records import JsonValue
from evals_pipeline.pipeline.answer_spending import RunSpending
from evals_pipeline.pipeline.freshness import plan
from evals_pipeline.pipeline.harness_suites import all_failures, failure_called
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.rendering import figures_json
from evals_pipeline.pipeline.run_scope import RunScope, plan_beside, run_scope
from evals_pipeline.pipeline.scoring import AnyFigures, read_figures
from evals_pipeline.pipeline.stored_harnesses import stored_harness
from evals_pipeline.report.harness_table import harness_json, harness_table
from evals_pipeline.report.numbers import share_text
from evals_pipeline.report.resolution_table import (
    nothing_resolved,
    resolution_json,
    resolution_table,
)
from evals_pipeline.report.score_table import claims_table, fields_table

HARNESSES_KEEP_THEIRS = (
    "note: --judge and --threshold are for claim suites; the suites of the other harnesses align "
    "by embedding from judge.low on. For a report of one with others: evals benchmark-modality, "
    "-polarity or -validity"
)
N_WORST = 2
N_RATES = 2


@click.command(
    "run",
    epilog="Examples: evals run; evals run invoices --model M --runs 3; "
    "evals run invoices --estimate",
)
@sets_argument
@models_option
@click.option("--runs", type=click.IntRange(1, 1000), help="Repeats (default: the settings').")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take; stop.")
@click.option("--yes", is_flag=True, help="Go ahead above the confirm limit without asking.")
@click.option("--fresh", is_flag=True, help="Sample models anew; recorded answers do not count.")
@fixtures_option
@judge_options
@format_option("json")
@click.pass_context
def command(
    ctx: click.Context,
    sets: tuple[str, ...],
    models: tuple[str, ...],
    runs: int | None,
    only_estimate: bool,
    yes: bool,
    fresh: bool,
    fixtures: tuple[Path, ...],
    judge_kind: str | None,
    threshold: float | None,
    form: str,
) -> None:
    """Extract, judge and score sets; what is current is kept and not paid for again.

    Golden sets, claim suites with their gold subjects, and the suites of the other harnesses; the
    same assets are materialised as in the Dagster UI. A suite that does not load is skipped and
    named at the end; exit status 2 when it was asked for, or when a set has nothing to measure.
    """
    project = open_project(judge_kind=judge_kind, threshold=threshold, runs=runs, fixtures=fixtures)
    failures = all_failures(project)
    tell_skipped(failures)
    asked = AskedFor.among(sets, lambda name: failure_called(project, name))
    scope = run_scope(project, asked.names, models)
    plans = [one for cell in scope.cells for one in plan(project, [cell[0]], [cell[1]])]
    beside = plan_beside(project, scope, fresh=fresh)
    if scope.harnesses and (judge_kind is not None or threshold is not None):
        say(HARNESSES_KEEP_THEIRS)
    request = RunRequest(fresh=fresh, only_estimate=only_estimate, is_confirmed=yes, form=form)
    outcomes = run_plans(project, plans, request, also=beside.estimates, beside=beside.todo)
    if outcomes is None:
        return
    if not plans and not beside.todo:
        say(UP_TO_DATE)
    failed = [outcome for outcome in outcomes if not outcome.succeeded]
    for outcome in outcomes:
        if outcome.sentences:
            say(str(outcome))
    again = Project(project.root, project.settings, project.environ)
    shown = _shown(again, scope)
    shown.spent = tell_spent(again, {outcome.run_id for outcome in outcomes})
    with reader_may_leave():
        _print(again, scope, shown, form, is_brief=not sets and scope.n_shown > 1)
    tell_missing(failures)
    nothing = [*unmeasured((*shown.sets, *shown.harnesses), by_model=bool(models))]
    for sentence in nothing:
        say(sentence)
    # Without a name every set was asked for.
    lacking = asked.failures if sets else failures
    if lacking or nothing or any(one.is_broken for one in failed):
        ctx.exit(EXIT_REFUSED)


def _print(
    project: Project, scope: RunScope, shown: "_Shown", form: str, *, is_brief: bool
) -> None:
    for outdated in shown.outdated:
        say(str(outdated))
    resolved = [
        read.record
        for name in scope.resolved
        if (read := project.store.read_resolution(name)) is not None
    ]
    for resolution in resolved:
        if (reason := nothing_resolved([resolution])) is not None:
            say(reason)
    if form == "json":
        print_json(
            {
                "figures": [figures_json(one, with_claim_text=False) for one in shown.sets],
                "harnesses": [harness_json(one, with_claim_text=False) for one in shown.harnesses],
                "resolutions": [resolution_json(one) for one in resolved],
                "outdated": [one.as_json() for one in shown.outdated],
                "spent": spent_json(shown.spent) if shown.spent else None,
            }
        )
        return
    if is_brief:
        _print_brief([*shown.sets, *shown.harnesses])
        return
    for one in shown.sets:
        console().print(
            fields_table(one, with_misses=False)
            if isinstance(one, SetFigures)
            else claims_table(one, with_claims=False)
        )
    for harness in shown.harnesses:
        console().print(harness_table(harness))
    for resolution in resolved:
        console().print(resolution_table(resolution))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outdated:
    """Figures that the run did not bring up to date: named, never shown as its result."""

    set_name: str
    model_version: str
    changed: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.set_name}, {self.model_version}: no figures of today, so none are shown; since "
            f"the last ones were made, there changed: {', '.join(self.changed)}"
        )

    def as_json(self) -> dict[str, JsonValue]:
        """What other tools read."""
        return {
            "set": self.set_name,
            "model_version": self.model_version,
            "changed": list(self.changed),
        }


@dataclass(slots=True, kw_only=True)
class _Shown:
    """What a run shows of its scope, and what it spent."""

    sets: list[AnyFigures] = field(default_factory=list)
    harnesses: list[HarnessFigures] = field(default_factory=list)
    outdated: list[_Outdated] = field(default_factory=list)
    spent: RunSpending | None = None


def _shown(project: Project, scope: RunScope) -> _Shown:
    shown = _Shown()

    def is_of_today(set_name: str, model: str, changed: tuple[str, ...]) -> bool:
        if changed:
            outdated = _Outdated(set_name=set_name, model_version=model, changed=changed)
            shown.outdated.append(outdated)
        return not changed

    for set_name, model in scope.cells:
        stored = read_figures(project, set_name, model)
        if stored is not None and is_of_today(set_name, model, stored.outdated):
            shown.sets.append(stored.figures)
    for cell in scope.harnesses:
        kept = stored_harness(project, cell)
        name = cell.suite.suite_id
        if kept is not None and is_of_today(name, cell.model_version, kept.outdated):
            shown.harnesses.append(kept.figures)
    return shown


def _print_brief(found: list[AnyFigures | HarnessFigures]) -> None:
    """One line for each set and model version; a set by its name shows the whole."""
    print_table(
        ("set", "model version", "runs", "answers", "figures"),
        [
            (
                _versioned(one),
                one.model_version,
                str(len(one.run_indices)),
                f"{one.statuses.ok} of {one.statuses.planned}",
                _in_short(one),
            )
            for one in found
        ],
        right=("runs",),
        whole=("model version", "answers"),
    )
    click.echo("Every field and metric of a set: evals run SET. Verdicts: evals gate.")


def _versioned(figures: AnyFigures | HarnessFigures) -> str:
    """The set with the version that a suite states of itself; golden sets state none."""
    version = None if isinstance(figures, SetFigures) else figures.set_version
    return figures.set_name if version is None else f"{figures.set_name} {version}"


def _in_short(figures: AnyFigures | HarnessFigures) -> str:
    if isinstance(figures, HarnessFigures):
        rates = ((rate.name, rate.figure.mean) for rate in figures.rates[:N_RATES])
        return ", ".join(f"{name} {share_text(mean)}" for name, mean in rates)
    if isinstance(figures, SetFigures):
        worst = sorted(
            (one for one in figures.fields if one.accuracy is not None),
            key=lambda one: one.accuracy or 0,
        )
        named = ", ".join(f"{one.field} {one.accuracy:.3f}" for one in worst[:N_WORST])
        return (
            f"{counted(len(figures.fields), 'field')}, lowest {named}"
            if named
            else "nothing measured"
        )
    shown = ((name, figures.metrics[name].mean) for name in ("precision", "recall"))
    return ", ".join(
        f"{name} n/a" if mean is None else f"{name} {mean:.3f}" for name, mean in shown
    )

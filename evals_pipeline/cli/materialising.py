"""Runs what is planned, in this process, on the project's Dagster instance.

What a command line did is so visible in Dagster's pages, like any other run.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from evals_pipeline.cli.output import print_json, progress, say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.estimating import RunEstimate, estimate_run, money_words
from evals_pipeline.pipeline.freshness import ModelPlan
from evals_pipeline.pipeline.model_answers import one_budget
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stored_harnesses import Beside
from evals_pipeline.places import make_unversioned

if TYPE_CHECKING:
    from evals_pipeline.defs.materialise import Outcome


UP_TO_DATE = "everything is up to date; nothing was recomputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What was asked of a run: sample anew, only estimate (in which form), go ahead unasked."""

    fresh: bool = False
    only_estimate: bool = False
    is_confirmed: bool = False
    form: str = "table"


def run_plans(
    project: Project,
    plans: Sequence[ModelPlan],
    request: RunRequest,
    *,
    also: Sequence[Estimate] = (),
    beside: Sequence[Beside] = (),
) -> "list[Outcome] | None":
    """Estimates, asks where that is due, and materialises; None when only the estimate was asked.

    Args:
        project: The project.
        plans: What is materialised.
        request: What was asked of the run.
        also: Estimates of what the command asks models for outside the grids.
        beside: What else is materialised, after the grids.

    Raises:
        RefusedError: the estimate is above the confirm limit and nobody said yes.
    """
    estimate = estimate_run(project, plans, fresh=request.fresh, also=also)
    if not may_go_ahead(project, estimate, request):
        return None
    if not plans and not beside:
        return []
    outcomes = list(_materialised(project, plans, beside, fresh=request.fresh))
    project.store.refresh_catalogue()
    return outcomes


def may_go_ahead(project: Project, estimate: RunEstimate, request: RunRequest) -> bool:
    """Says the estimate and asks where that is due; False when only the estimate was asked for.

    Raises:
        RefusedError: the estimate is above the confirm limit and nobody said yes.
    """
    say(f"estimate: {estimate.sentence}")
    _say_cells(estimate)
    for note in estimate.notes:
        say(f"  {note}")
    if request.only_estimate:
        if request.form == "json":
            limit = project.settings.confirm_limit
            print_json({"estimate": estimate.as_json(confirm_limit=limit)})
        return False
    if estimate.calls > project.settings.confirm_limit and not request.is_confirmed:
        _confirm(project, estimate.calls)
    project.make_storage()
    return True


def _say_cells(estimate: RunEstimate) -> None:
    """The calls of every set and model version, where they are for more than one set."""
    if len({one.set_name for one in estimate.cells}) < 2:
        return
    names = max(len(one.set_name) for one in estimate.cells)
    models = max(len(one.model_version) for one in estimate.cells)
    for one in estimate.cells:
        say(
            f"  {one.set_name:<{names}}  {one.model_version:<{models}}  {one.calls:>5} "
            f"call{'s' * (one.calls != 1)}, "
            f"{money_words(one.usd)}"
        )
    say("  only some of them: evals run SET; for good: sets of the model version in the settings")


def _confirm(project: Project, calls: int) -> None:
    limit = project.settings.confirm_limit
    verb = "is" if calls == 1 else "are"
    message = f"{counted(calls, 'call')} {verb} above the confirm limit of {limit}"
    if not sys.stdin.isatty():
        raise RefusedError(f"{message}. Repeat with --yes, or raise confirm_limit in the settings.")
    if not click.confirm(f"{message}. Go ahead?", err=True):
        raise RefusedError("stopped before the first call; nothing was spent.")


def _materialised(
    project: Project, plans: Sequence[ModelPlan], beside: Sequence[Beside], *, fresh: bool
) -> "Iterator[Outcome]":
    # Dagster takes two seconds to load, so it is loaded only where something has to be done.
    if not beside and not any(plan.runs if fresh else not plan.is_current for plan in plans):
        say(UP_TO_DATE)
        return
    import dagster as dg

    from evals_pipeline.defs.location import build_location
    from evals_pipeline.defs.materialise import materialise_steps, steps_beside, steps_of
    from evals_pipeline.defs.partitions import grids, harness_grids

    with _home(project), one_budget():
        sets = grids(project)
        known = (*sets, *harness_grids(project, sets))
        steps = [*steps_of(known, plans, fresh=fresh), *steps_beside(known, beside)]
        with dg.DagsterInstance.get() as instance, progress("runs", len(steps)) as update:
            made = materialise_steps(known, build_location(project), instance, steps, fresh=fresh)
            for done, outcome in enumerate(made, start=1):
                update(done, len(steps))
                yield outcome


@contextmanager
def _home(project: Project) -> Iterator[None]:
    """The instance that DAGSTER_HOME names, else the one of the project's dagster.yaml.

    A project without that file keeps its history in ``.dagster/``.
    """
    if os.environ.get("DAGSTER_HOME"):
        yield
        return
    home = project.root
    if not (home / "dagster.yaml").is_file():
        home = project.root / ".dagster"
        make_unversioned(home)
        settings = home / "dagster.yaml"
        if not settings.exists():
            settings.write_text("telemetry:\n  enabled: false\n", encoding="utf-8")
    before = os.getcwd()  # noqa: PTH109 - what chdir takes back
    os.environ["DAGSTER_HOME"] = str(home)
    # Relative folders in dagster.yaml are meant from the project.
    os.chdir(project.root)
    try:
        yield
    finally:
        os.chdir(before)
        del os.environ["DAGSTER_HOME"]

"""Materialises sets in this process, on one instance, in the order that partitions ask for.

The cells of a grid come first, then each model version. What was done shows in Dagster's pages like
any other run.
"""

import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from evals_pipeline.core.errors import UnknownNameError
from evals_pipeline.defs.partitions import CELL_STAGES, FILE_STAGES, RESOLUTION, Grid, cell_key
from evals_pipeline.pipeline.freshness import ModelPlan
from evals_pipeline.pipeline.stored_harnesses import Beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to materialise: no sets or no models named takes all; ``fresh`` samples anew."""

    sets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one run ended: what it was over, and the sentences of the checks that did not pass.

    ``is_broken``: an asset itself failed, so that something is not stored; a red check is none.
    """

    set_name: str
    partition_key: str
    run_id: str
    succeeded: bool
    sentences: tuple[str, ...]
    is_broken: bool = False

    def __str__(self) -> str:
        said = "; ".join(self.sentences) or ("done" if self.succeeded else "failed")
        return f"{self.set_name} {self.partition_key}: {said}"


_INTERRUPTIONS = frozenset({"KeyboardInterrupt", "DagsterExecutionInterruptedError"})
_FRESH = {"config": {"fresh": True}}
_SILENT = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Keeps Dagster's log lines off the terminal; its pages show them all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run to make: a partition of a set, and the stages to materialise in it.

    ``partition_key`` None: the stages have no partitions.
    """

    set_name: str
    partition_key: str | None
    stages: tuple[str, ...]


def steps_of(known: Sequence[Grid], plans: Sequence[ModelPlan], *, fresh: bool) -> list[Step]:
    """The runs that bring the planned cells and figures up to date, cells first.

    With ``fresh`` every run of a plan is sampled anew, current or not.
    """
    grids = {grid.set_name: grid for grid in known}
    todo = [
        (plan.set_name, cell_key(plan.model_version, run_index))
        for plan in plans
        for run_index in (plan.runs if fresh else plan.stale_runs)
    ]
    # A set's files are the same for all of its cells, so they are looked at once.
    first = {set_name: key for set_name, key in reversed(todo)}
    cells = [
        Step(
            set_name=set_name,
            partition_key=key,
            stages=(FILE_STAGES if first[set_name] is key else ()) + CELL_STAGES,
        )
        for set_name, key in todo
    ]
    figures = [
        Step(
            set_name=plan.set_name,
            partition_key=plan.model_version,
            stages=grids[plan.set_name].model_stages,
        )
        for plan in plans
        if plan.runs and (fresh or plan.needs_metrics)
    ]
    return cells + figures


def steps_beside(known: Sequence[Grid], beside: Iterable[Beside]) -> list[Step]:
    """The runs of harness suites and of the resolver."""
    grids = {grid.set_name: grid for grid in known}
    return [
        resolution_step(one.set_name)
        if one.model_version is None
        else harness_step(grids[one.set_name], one.model_version)
        for one in beside
    ]


def harness_step(grid: Grid, model_version: str) -> Step:
    """The run that makes the figures of a harness suite for a model version."""
    stages = FILE_STAGES + grid.model_stages
    return Step(set_name=grid.set_name, partition_key=model_version, stages=stages)


def resolution_step(set_name: str) -> Step:
    """The run that resolves the gold subjects of a suite."""
    return Step(set_name=set_name, partition_key=None, stages=("gold", RESOLUTION))


def materialise_steps(
    known: Sequence[Grid],
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    steps: Iterable[Step],
    *,
    fresh: bool = False,
) -> Iterator[Outcome]:
    """Makes the runs one after the other; one outcome each.

    Raises:
        KeyboardInterrupt: one of them was interrupted; those after it are not begun.
    """
    grids = {grid.set_name: grid for grid in known}
    job = definitions.resolve_implicit_global_asset_job_def()
    for step in steps:
        grid = grids[step.set_name]
        with watching_for_ctrl_c() as came:
            result = job.execute_in_process(
                asset_selection=list(grid.keys(step.stages)),
                partition_key=step.partition_key,
                instance=instance,
                run_config={**_SILENT, **_run_config(grid, step.stages, fresh=fresh)},
                raise_on_error=False,
            )
            is_interrupted = came() or _was_interrupted(result)
        if is_interrupted:
            raise KeyboardInterrupt
        yield _outcome(grid, step.partition_key or ", ".join(step.stages), result)


def materialise_sets(
    known: Sequence[Grid],
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    choice: Choice,
) -> Iterator[Outcome]:
    """Runs the grids of the chosen sets, each followed by its figures; one outcome a run.

    Raises:
        UnknownNameError: no such set.
    """
    names = [grid.set_name for grid in known]
    for name in choice.sets:
        if name not in names:
            raise UnknownNameError("set", name, names)
    chosen = [grid for grid in known if not choice.sets or grid.set_name in choice.sets]
    steps = (step for grid in chosen for step in _all_steps(grid, choice.models))
    yield from materialise_steps(known, definitions, instance, steps, fresh=choice.fresh)


def _all_steps(grid: Grid, models: Sequence[str]) -> Iterator[Step]:
    """Every run of a set, current or not: its cells, then its model versions."""
    chosen = [model for model in grid.models if not models or model in models]
    if grid.harness is not None:
        yield from (harness_step(grid, model) for model in chosen)
        return
    if grid.has_subjects and not models:
        yield resolution_step(grid.set_name)
    for model in chosen:
        for run_index in grid.run_indices:
            yield Step(
                set_name=grid.set_name,
                partition_key=cell_key(model, run_index),
                stages=FILE_STAGES + CELL_STAGES,
            )
    for model in chosen:
        yield Step(set_name=grid.set_name, partition_key=model, stages=grid.model_stages)


def _run_config(grid: Grid, stages: Sequence[str], *, fresh: bool) -> dict[str, object]:
    asking = ("extractions", "matches") if grid.harness is None else ("metrics",)
    sampling = [stage for stage in asking if stage in stages]
    if not fresh or not sampling:
        return {}
    ops = {grid.key(stage).to_python_identifier(): _FRESH for stage in sampling}
    return {"ops": ops}


@contextmanager
def watching_for_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Tells whether Ctrl-C came, also where Dagster took it in and forgot it at a run's end."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    reading, writing = socket.socketpair()
    with reading, writing:
        reading.setblocking(False)
        writing.setblocking(False)
        before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)

        def came() -> bool:
            try:
                return signal.SIGINT in reading.recv(4096)
            except BlockingIOError:
                return False

        try:
            yield came
        finally:
            signal.set_wakeup_fd(before)


def _was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Whether Ctrl-C ended a run; Dagster makes a failed step of it like any other."""
    errors = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    errors += [event.job_failure_data.error for event in result.all_events if event.is_job_failure]
    return any(error is not None and error.cls_name in _INTERRUPTIONS for error in errors)


def _outcome(grid: Grid, partition_key: str, result: dg.ExecuteInProcessResult) -> Outcome:
    sentences = tuple(
        f"{check.check_name}: {check.description}"
        for check in result.get_asset_check_evaluations()
        if not check.passed
    )
    failures = tuple(_why(event) for event in result.all_events if event.is_step_failure)
    return Outcome(
        set_name=grid.set_name,
        partition_key=partition_key,
        run_id=result.run_id,
        succeeded=result.success,
        sentences=sentences or failures,
        is_broken=bool(failures) and not sentences,
    )


def _why(event: dg.DagsterEvent) -> str:
    """Our own words where we failed it, else the first line of what caused it, with its class."""
    failure = event.step_failure_data
    said = failure.user_failure_data
    if said is not None and said.description:
        return said.description
    cause = failure.error
    while cause is not None and cause.cause is not None:
        cause = cause.cause
    return (cause.message if cause else failure.error_display_string).strip().splitlines()[0]

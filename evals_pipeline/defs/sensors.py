"""The sensors: they look at prompts and at sets, ask ``sensor_decisions`` and launch what it says.

Both are on by default. A look opens the project anew, so that it sees today's files; whatever is
faulty in them is a reason to skip, never an error.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import dagster as dg

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.defs.commits import dirty_paths, head_of, last_change
from evals_pipeline.defs.jobs import RETRY_TAGS, SetJob, grid_job_name
from evals_pipeline.defs.partitions import Grid, cell_key
from evals_pipeline.defs.sensor_decisions import (
    CellRequest,
    Decision,
    Seen,
    cells_of_prompts,
    cells_of_sets,
    decide,
)
from evals_pipeline.defs.snapshots import Lookout, Things
from evals_pipeline.pipeline.project import Project

_INTERVAL_S = 15


def prompts_sensor(
    root: Path, grids: Sequence[Grid], jobs: Sequence[SetJob]
) -> dg.SensorDefinition:
    """Runs the cells of the model versions whose prompt has changed."""
    lookout = Lookout()

    @dg.sensor(
        name="prompts",
        jobs=jobs,
        minimum_interval_seconds=_INTERVAL_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Looks at the content of every prompt. A change runs the sets it belongs to, with the "
            "model versions it is sent to, tagged with the commit. With `prompts_wait_for_commit` "
            "in the settings an edit waits until it is committed."
        ),
    )
    def prompts(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        try:
            project = Project.open(root)
        except EvalsError as error:
            return dg.SkipReason(str(error))
        waits = project.settings.prompts_wait_for_commit
        snapshot: dict[str, Things] = {}
        paths: dict[str, dict[str, Path]] = {}
        for grid in grids:
            things, where = lookout.prompts(project, grid)
            snapshot[grid.set_name] = _marked(root, things, where) if waits else things
            paths[grid.set_name] = where
        decision = decide(context.cursor, snapshot, head=head_of(root), waits_for_commit=waits)
        runs = project.run_indices()
        return _result(
            root,
            grids,
            decision,
            cells_of_prompts(decision.changed, runs),
            {
                set_name: [paths[set_name][model] for model in models]
                for set_name, models in decision.changed.items()
            },
            trigger="prompts",
        )

    return prompts


def sets_sensor(root: Path, grids: Sequence[Grid], jobs: Sequence[SetJob]) -> dg.SensorDefinition:
    """Runs the cells that a changed document, label, gold claim or file of predictions stales."""
    lookout = Lookout()

    @dg.sensor(
        name="sets",
        jobs=jobs,
        minimum_interval_seconds=2 * _INTERVAL_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Looks at the content of every set. Changed documents, and fields that make a new "
            "question, are extracted and judged again; a changed label or gold claim only has the "
            "stored answers judged again."
        ),
    )
    def sets(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        try:
            project = Project.open(root)
            snapshot = {grid.set_name: lookout.set_files(project, grid) for grid in grids}
        except EvalsError as error:
            return dg.SkipReason(str(error))
        decision = decide(context.cursor, snapshot, head=head_of(root))
        models = {grid.set_name: grid.models for grid in grids}
        cells = cells_of_sets(decision.changed, models, project.run_indices())
        folders = {name: [_folder(project, name)] for name in decision.changed}
        return _result(root, grids, decision, cells, folders, trigger="sets")

    return sets


def _marked(root: Path, things: Things, paths: Mapping[str, Path]) -> Things:
    """The prompts with those marked that differ from the commit that is checked out."""
    dirty = dirty_paths(root, sorted(set(paths.values())))
    return {
        name: Seen(digest=seen.digest, problem=seen.problem, is_dirty=paths.get(name) in dirty)
        for name, seen in things.items()
    }


def _folder(project: Project, set_name: str) -> Path:
    if set_name in project.golden_folders:
        return project.golden_folders[set_name]
    return project.suite(set_name).path


def _result(
    root: Path,
    grids: Sequence[Grid],
    decision: Decision,
    cells: Iterable[CellRequest],
    paths: Mapping[str, Sequence[Path]],
    *,
    trigger: str,
) -> dg.SensorResult:
    by_name = {grid.set_name: grid for grid in grids}
    tags = {name: _tags(root, paths[name], decision, trigger) for name in decision.changed}
    requests = [
        _request(by_name[cell.set_name], cell, decision, trigger, tags[cell.set_name])
        for cell in cells
    ]
    if requests:
        return dg.SensorResult(run_requests=requests, cursor=decision.cursor)
    said = "; ".join(decision.reasons) or "Nothing has changed."
    return dg.SensorResult(skip_reason=said, cursor=decision.cursor)


def _tags(root: Path, paths: Sequence[Path], decision: Decision, trigger: str) -> dict[str, str]:
    change = last_change(root, paths, since=decision.before)
    of_git = {} if change is None else change.tags()
    return {**RETRY_TAGS, "evals/trigger": trigger, **of_git}


def _request(
    grid: Grid, cell: CellRequest, decision: Decision, trigger: str, tags: Mapping[str, str]
) -> dg.RunRequest:
    key = cell_key(cell.model_version, cell.run_index)
    return dg.RunRequest(
        run_key=f"{trigger}/{decision.generation}/{cell.set_name}/{key}",
        job_name=grid_job_name(grid),
        partition_key=key,
        asset_selection=None if cell.extracts else list(grid.keys(("gold", "matches"))),
        tags={**tags, "evals/set": cell.set_name},
    )

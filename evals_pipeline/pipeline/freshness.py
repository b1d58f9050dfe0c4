"""What would have to be done: which cells of a grid are of today's inputs, and which are not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.digests import input_digests, same_extraction
from evals_pipeline.pipeline.extraction import bind_predictions, to_retry
from evals_pipeline.pipeline.grid import models_for, run_indices_of, serving
from evals_pipeline.pipeline.judging import is_left_open
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import current_runs
from evals_pipeline.store.storage_errors import DamagedFileError


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """What one model version of one set still needs.

    ``runs`` are the run indices that it can have; ``stale_runs`` those whose extraction or matches
    are not of today's inputs, or have pairs that a judge left open and is asked about again.
    ``needs_metrics``: its figures are not of these runs.
    """

    set_name: str
    model_version: str
    runs: tuple[int, ...]
    stale_runs: tuple[int, ...]
    needs_metrics: bool

    @property
    def is_current(self) -> bool:
        """Whether nothing is to be done."""
        return not self.stale_runs and not self.needs_metrics

    def stale_keys(self) -> Iterator[PartitionKey]:
        """The cells to materialise."""
        for run_index in self.stale_runs:
            yield PartitionKey(
                set_name=self.set_name, model_version=self.model_version, run_index=run_index
            )


def planned_runs(project: Project, set_name: str, model_version: str) -> tuple[int, ...]:
    """The run indices that a model version can have: all, or those of its predictions file."""
    how = serving(project, set_name, model_version)
    planned = run_indices_of(project, model_version)
    if how.predictions_path is None:
        return planned
    there = set(bind_predictions(project, set_name, how).runs())
    return tuple(index for index in planned if index in there)


def plan_model(
    project: Project, set_name: str, model_version: str, judge: JudgeSettings | None = None
) -> ModelPlan:
    """What a set's figures for one model version still need.

    Raises:
        InputError: the set, its prompt or its predictions file is faulty.
        RefusedError: the model version cannot serve the set.
    """
    runs = planned_runs(project, set_name, model_version)
    stale = tuple(
        index
        for index in runs
        if not _is_current(
            project,
            PartitionKey(set_name=set_name, model_version=model_version, run_index=index),
            judge,
        )
    )
    return ModelPlan(
        set_name=set_name,
        model_version=model_version,
        runs=runs,
        stale_runs=stale,
        needs_metrics=bool(stale) or not _has_metrics(project, set_name, model_version, judge),
    )


def plan(
    project: Project,
    sets: Sequence[str],
    models: Sequence[str] = (),
    judge: JudgeSettings | None = None,
) -> tuple[ModelPlan, ...]:
    """What the sets' figures still need, for the named model versions or for all that can serve."""
    return tuple(
        plan_model(project, set_name, model, judge)
        for set_name in sets
        for model in (models or models_for(project, set_name))
    )


def _is_current(project: Project, key: PartitionKey, judge: JudgeSettings | None) -> bool:
    extracted = project.store.header("extractions", key)
    if extracted is None or extracted.digests is None:
        return False
    today = input_digests(project, key.set_name, key.model_version, judge)
    if not same_extraction(extracted.digests, today):
        return False
    how = serving(project, key.set_name, key.model_version)
    if how.prompt_path is not None and to_retry(project, key):
        return False
    table = "field_matches" if project.kind_of(key.set_name) is SetKind.FIELDS else "claim_matches"
    judged = project.store.header(table, key)
    is_judged = judged is not None and (
        judged.digests == today and judged.stamp.at >= extracted.stamp.at
    )
    return is_judged and not is_left_open(project, key, judge)


def _has_metrics(
    project: Project, set_name: str, model_version: str, judge: JudgeSettings | None
) -> bool:
    try:
        stored = project.store.read_figures(set_name, model_version)
    except DamagedFileError:
        # Unreadable, or of an older record: making them again is what mends it.
        return False
    if stored is None:
        return False
    today = input_digests(project, set_name, model_version, judge)
    runs = current_runs(project, set_name, model_version, judge)
    is_today = stored.digests == today and stored.record.run_indices == runs
    return is_today and _is_gated(project, set_name, model_version, since=stored.stamp.at)


def _is_gated(project: Project, set_name: str, model_version: str, *, since: datetime) -> bool:
    """Whether the gate has looked at figures since they were made: a kill may have come before."""
    if project.kind_of(set_name) is not SetKind.FIELDS:
        return True
    try:
        found = project.store.read_gate(set_name, model_version)
    except DamagedFileError:
        return False
    return found is not None and found.stamp.at >= since

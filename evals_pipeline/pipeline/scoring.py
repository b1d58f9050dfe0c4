"""Judged matches to figures: fan-in over the runs that exist for today's inputs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures, SetFigures
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import GoldenSet
from evals_pipeline.core.run_records import (
    Extraction,
    FieldMatch,
    InputDigests,
    PartitionKey,
    RunStamp,
    StatusCounts,
)
from evals_pipeline.pipeline.digests import changed_inputs, input_digests
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.extraction import count_statuses
from evals_pipeline.pipeline.grid import run_indices_of
from evals_pipeline.pipeline.judges import judge_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.suite_figures import with_origin
from evals_pipeline.score.claims import score_claims
from evals_pipeline.score.fields import score_fields
from evals_pipeline.score.unknown_fields import UnknownFields

AnyFigures = SetFigures | ClaimFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFigures:
    """Figures as they were stored, with what they were made from.

    ``outdated`` names the inputs that changed since; empty when the figures are of today's files.
    """

    figures: AnyFigures
    digests: InputDigests
    stamp: RunStamp
    outdated: tuple[str, ...]


def current_runs(
    project: Project, set_name: str, model_version: str, judge: JudgeSettings | None = None
) -> tuple[int, ...]:
    """The run indices whose matches are stored and were judged from today's inputs."""
    table = "field_matches" if project.kind_of(set_name) is SetKind.FIELDS else "claim_matches"
    today = input_digests(project, set_name, model_version, judge)
    runs = []
    for run_index in run_indices_of(project, model_version):
        key = PartitionKey(set_name=set_name, model_version=model_version, run_index=run_index)
        header = project.store.header(table, key)
        if header is not None and header.digests == today:
            runs.append(run_index)
    return tuple(runs)


def score_model(
    project: Project,
    set_name: str,
    model_version: str,
    *,
    stamp: RunStamp,
    judge: JudgeSettings | None = None,
    save: bool = True,
) -> AnyFigures:
    """The figures of a set for one model version, over its current runs; stores them.

    Raises:
        RefusedError: no run is stored for today's inputs; says the command that makes one.
    """
    runs = current_runs(project, set_name, model_version, judge)
    if not runs:
        message = (
            f"{set_name}: nothing is judged for {model_version} from today's files and settings. "
            f'Run "evals run {set_name} --model {model_version}".'
        )
        raise RefusedError(message)
    figures = _figures(project, set_name, model_version, runs, judge)
    if save:
        digests = input_digests(project, set_name, model_version, judge)
        expected = len(run_indices_of(project, model_version))
        project.store.write_metrics(figures, digests, stamp, n_runs_expected=expected)
    return figures


def read_figures(project: Project, set_name: str, model_version: str) -> StoredFigures | None:
    """The figures that were stored last, None when none were."""
    project.kind_of(set_name)
    project.model(model_version)
    stored = project.store.read_figures(set_name, model_version)
    if stored is None:
        return None
    today = input_digests(project, set_name, model_version)
    figures = stored.record
    if isinstance(figures, SetFigures):
        figures = _weighed_anew(figures, project.golden_set(set_name))
    return StoredFigures(
        figures=figures,
        digests=stored.digests,
        stamp=stored.stamp,
        outdated=changed_inputs(stored.digests, today),
    )


def _weighed_anew(figures: SetFigures, golden: GoldenSet) -> SetFigures:
    """The figures with today's weights, which order tables and make no figure stale."""
    weights = {spec.name: spec.weight for spec in golden.fields}
    return replace(
        figures,
        fields=tuple(
            replace(one, weight=weights.get(one.field, one.weight)) for one in figures.fields
        ),
    )


def _figures(
    project: Project,
    set_name: str,
    model_version: str,
    runs: tuple[int, ...],
    judge: JudgeSettings | None,
) -> AnyFigures:
    keys = [
        PartitionKey(set_name=set_name, model_version=model_version, run_index=run) for run in runs
    ]
    if project.kind_of(set_name) is SetKind.FIELDS:
        golden = project.golden_set(set_name)
        unknown = UnknownFields(spec.name for spec in golden.fields)
        return score_fields(
            golden,
            _matches(project, keys),
            model_version=model_version,
            run_indices=runs,
            statuses=_statuses(project, set_name, keys, see=unknown.add),
            unknown=unknown,
        )
    statuses = _statuses(project, set_name, keys)
    judged = [project.store.read_judged_cases(key) for key in keys]
    figures = score_claims(
        [case for stored in judged if stored is not None for case in stored.cases],
        set_name=set_name,
        model_version=model_version,
        run_indices=runs,
        statuses=statuses,
    )
    judge = judge or judge_of(project, set_name, model_version)
    return with_origin(figures, project.suite(set_name), judge)


def _matches(project: Project, keys: list[PartitionKey]) -> Iterator[FieldMatch]:
    for key in keys:
        yield from project.store.iter_field_matches(key)


def _statuses(
    project: Project,
    set_name: str,
    keys: list[PartitionKey],
    *,
    see: Callable[[Extraction], None] = lambda _: None,
) -> StatusCounts:
    """How the extractions ended; ``see`` is shown each of them as it streams by."""
    planned = len(fixtures_of(project, set_name))
    total = StatusCounts(planned=0, ok=0)

    def seen(key: PartitionKey) -> Iterator[Extraction]:
        for extraction in project.store.iter_extractions(key):
            see(extraction)
            yield extraction

    for key in keys:
        one = count_statuses(seen(key), planned=planned)
        total = replace(
            total,
            planned=total.planned + one.planned,
            ok=total.ok + one.ok,
            declined=total.declined + one.declined,
            error=total.error + one.error,
            truncated=total.truncated + one.truncated,
            unparsable=total.unparsable + one.unparsable,
            absent=total.absent + one.absent,
        )
    return total

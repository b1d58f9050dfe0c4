"""The assets of a set that have one partition for each model version and run."""

from pathlib import Path

import dagster as dg

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.settings import Provider
from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.metadata import (
    OWNERS,
    Result,
    extraction_metadata,
    judging_metadata,
    table_metadata,
    version_of_rows,
)
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.pipeline.digests import extractor_digest, judge_digest
from evals_pipeline.pipeline.extraction import Progress, extract_partition
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.store.tables import CLAIM_MATCHES, EXTRACTIONS, FIELD_MATCHES

MODEL_CALLS = "model_calls"
"""The pool of steps that may call a model, in the sets that one serves; its limit bounds them over
all runs. Nothing's safety depends on it."""
EMBEDDING = "embedding"
"""The pool of steps that may load the sentence model."""


class ExtractionConfig(dg.Config):
    """``redo`` extracts again what is current; ``fresh`` also samples a model anew, and pays."""

    fresh: bool = False
    redo: bool = False


class JudgingConfig(dg.Config):
    """``fresh`` asks the judge's model although another than the pinned one answered last."""

    fresh: bool = False


def cell_assets(project: Project, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets with a partition for each cell of a set's grid."""
    return [
        _extractions(
            project.root,
            grid,
            _extraction_code(project, grid),
            calls_models=any(
                project.model(model).provider is Provider.OPENAI for model in grid.models
            ),
        ),
        _matches(project.root, grid, _judging_code(project, grid)),
    ]


def _extraction_code(project: Project, grid: Grid) -> str:
    """A code version that changes with an extractor's version or what a model is asked with.

    A file of predictions is data: its digest is part of the prompt's data version.
    """
    versions = []
    for model in grid.models:
        try:
            how = serving(project, grid.set_name, model)
            if how.predictions_path is None:
                versions.append(extractor_digest(how))
        except EvalsError:
            versions.append("faulty")
    return digest_parts(*versions)[:16]


def _judging_code(project: Project, grid: Grid) -> str:
    """A code version that changes with the judge's settings and how values compare."""
    for model in grid.models:
        try:
            return judge_digest(project, grid.set_name, model)[:16]
        except EvalsError:
            continue
    return "faulty"


def _extractions(
    root: Path, grid: Grid, code_version: str, *, calls_models: bool
) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("extractions"),
        deps=[grid.key("fixtures"), grid.key("prompt")],
        group_name=grid.safe_name,
        partitions_def=grid.cells(),
        description=(
            f"The answers to every document of `{grid.set_name}`: one partition for each model "
            "version and run. A document's failure is stored as its status, so a partition is "
            "never half there. Materialise a cell here, or run "
            f"`evals run {grid.set_name}`; an answer that is recorded is not paid for again."
        ),
        kinds={"python", "parquet", "duckdb"},
        owners=OWNERS,
        pool=MODEL_CALLS if calls_models else None,
        code_version=code_version,
        metadata=table_metadata(EXTRACTIONS),
    )
    def extractions(context: dg.AssetExecutionContext, config: ExtractionConfig) -> Result:
        key = grid.cell(context.partition_key)
        with failing_clearly():
            project = Project.open(root)
            summary = extract_partition(
                project,
                key,
                stamp=make_stamp(root, run_id=context.op_execution_context.run_id),
                fresh=config.fresh,
                redo=config.redo,
                on_progress=log_progress(context),
            )
            header = project.store.header(EXTRACTIONS.name, key)
        return dg.MaterializeResult(
            metadata=extraction_metadata(summary, header), data_version=version_of_rows(header)
        )

    return extractions


def log_progress(context: dg.AssetExecutionContext) -> Progress:
    """Progress in the run's log, about ten lines however many documents there are."""

    def log(done: int, planned: int) -> None:
        if done == planned or done % max(1, planned // 10) == 0:
            context.log.info(f"{done} of {planned} documents")

    return log


def _matches(root: Path, grid: Grid, code_version: str) -> dg.AssetsDefinition:
    table = FIELD_MATCHES if grid.kind is SetKind.FIELDS else CLAIM_MATCHES
    what = "every field" if grid.kind is SetKind.FIELDS else "every claim, emitted or expected,"

    @dg.asset(
        key=grid.key("matches"),
        deps=[grid.key("extractions"), grid.key("gold")],
        group_name=grid.safe_name,
        partitions_def=grid.cells(),
        description=(
            f"What the judge says of {what} in every answer to `{grid.set_name}`, with its "
            "reasons: one partition for each model version and run. Materialise a cell to judge "
            "its stored answers again; no model is asked for answers."
        ),
        kinds={"python", "parquet", "duckdb"},
        owners=OWNERS,
        pool=EMBEDDING if grid.kind is SetKind.CLAIMS else None,
        code_version=code_version,
        metadata=table_metadata(table),
    )
    def matches(context: dg.AssetExecutionContext, config: JudgingConfig) -> Result:
        key = grid.cell(context.partition_key)
        with failing_clearly():
            project = Project.open(root)
            summary = judge_partition(
                project,
                key,
                stamp=make_stamp(root, run_id=context.op_execution_context.run_id),
                insists=config.fresh,
            )
            header = project.store.header(table.name, key)
        return dg.MaterializeResult(
            metadata=judging_metadata(summary, header), data_version=version_of_rows(header)
        )

    return matches

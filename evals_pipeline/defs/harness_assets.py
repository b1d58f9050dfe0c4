"""The assets of a harness suite, and of the gold subjects of a claim suite.

    fixtures ┐
    gold     ┼ metrics                gold ─ resolution
    prompt   ┘

A harness is extracted, aligned and scored in one step for each model version, by the function that
its command calls; the model's answers are recorded, so a second look costs nothing.
"""

from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from evals_pipeline.core.settings import Provider
from evals_pipeline.defs.cell_assets import EMBEDDING, MODEL_CALLS, log_progress
from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.harness_metadata import harness_metadata, resolution_metadata
from evals_pipeline.defs.metadata import OWNERS, Result, table_metadata, version_of_rows
from evals_pipeline.defs.partitions import RESOLUTION, Grid
from evals_pipeline.defs.set_assets import Documents, FileReading, assets_of_files
from evals_pipeline.pipeline.digests import file_digest
from evals_pipeline.pipeline.harness_suites import cells_of_suite
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.pipeline.stored_harnesses import (
    HARNESS_VERSION,
    harness_cell,
    harness_corpus,
    harness_digests,
    harness_suite,
    measure_harness,
)
from evals_pipeline.pipeline.stored_resolution import (
    RESOLUTION_VERSION,
    measure_resolution,
    resolution_digests,
)
from evals_pipeline.store.harnesses import RESOLVER
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.tables import METRICS


class HarnessConfig(dg.Config):
    """``fresh`` samples a model anew, and pays for it."""

    fresh: bool = False


def harness_assets(project: Project, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets of a harness suite; its figures only where a model version can answer."""
    root = project.root
    files = assets_of_files(root, grid, _reading_of(grid))
    if not grid.models:
        return files
    asks = any(project.model(model).provider is Provider.OPENAI for model in grid.models)
    return [*files, _metrics(root, grid, pool=MODEL_CALLS if asks else EMBEDDING)]


def _reading_of(grid: Grid) -> FileReading:
    def documents(project: Project) -> Documents:
        suite = harness_suite(project, grid.set_name)
        found = [case.fixture for case in suite.cases]
        return Documents(fixtures=found, corpus=harness_corpus(suite), gold=suite.digest)

    def gold(project: Project) -> tuple[Mapping[str, str | int], str]:
        suite = harness_suite(project, grid.set_name)
        labels = sum(len(case.labels) for case in suite.cases)
        return {"gold_digest": suite.digest, "labels": labels}, suite.digest

    def sources(project: Project) -> Mapping[str, tuple[str, str]]:
        found = {}
        for cell in cells_of_suite(project, harness_suite(project, grid.set_name)):
            path = cell.serving.prompt_path or cell.serving.predictions_path
            named = ("code", "code") if path is None else (path.name, file_digest(path))
            found[cell.model_version] = named
        return found

    return FileReading(
        documents_are=(
            f"The documents of `{grid.set_name}`, a {grid.harness} suite, each known by the "
            "SHA-256 of its text. Materialise it to list them; it costs nothing."
        ),
        gold_is=(
            f"The labels of `{grid.set_name}`: claims with the {grid.harness} that a right "
            "extractor gives them. Materialise it after a correction, so that Dagster knows which "
            "figures are stale."
        ),
        gold_kind="yaml",
        note_on_prompt="",
        read_documents=documents,
        read_gold=gold,
        read_sources=sources,
    )


def _metrics(root: Path, grid: Grid, *, pool: str) -> dg.AssetsDefinition:
    @dg.asset(
        key=grid.key("metrics"),
        deps=list(grid.keys(("fixtures", "gold", "prompt"))),
        group_name=grid.safe_name,
        partitions_def=grid.by_model(),
        description=(
            f"The figures of the {grid.harness} suite `{grid.set_name}` for each model version, "
            "with the confusion table: extracted, aligned with the labels and scored in one step. "
            f"Materialise a model version here, or run `evals run {grid.set_name}`; a recorded "
            "answer is not paid for again."
        ),
        kinds={"python", "duckdb"},
        owners=OWNERS,
        pool=pool,
        code_version=HARNESS_VERSION,
        metadata=table_metadata(METRICS),
    )
    def metrics(context: dg.AssetExecutionContext, config: HarnessConfig) -> Result:
        model = context.partition_key
        with failing_clearly():
            project = Project.open(root)
            stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
            cell = harness_cell(project, grid.set_name, model)
            figures = measure_harness(
                project, cell, stamp=stamp, fresh=config.fresh, on_progress=log_progress(context)
            )
            digests = harness_digests(project, cell)
            partition = Partition(set_name=grid.set_name, model_version=model)
            header = project.store.header(METRICS.name, partition)
        return dg.MaterializeResult(
            metadata=harness_metadata(figures, digests, stamp),
            data_version=version_of_rows(header),
        )

    return metrics


def resolution_asset(root: Path, grid: Grid) -> dg.AssetsDefinition:
    """How the gold subjects of a claim suite are resolved; no model version has a part in it."""

    @dg.asset(
        key=grid.key(RESOLUTION),
        deps=[grid.key("gold")],
        group_name=grid.safe_name,
        automation_condition=dg.AutomationCondition.eager(),
        description=(
            f"The gold subjects of `{grid.set_name}`, each resolved from its mention: the right "
            "reference, a wrong one, or none. Automation makes it when the gold changes; or "
            f"materialise it here, or run `evals run {grid.set_name}`. Wikidata is asked only "
            "where the settings say so."
        ),
        kinds={"python", "duckdb"},
        owners=OWNERS,
        pool=EMBEDDING,
        code_version=RESOLUTION_VERSION,
        metadata=table_metadata(METRICS),
    )
    def resolution(context: dg.AssetExecutionContext) -> Result:
        with failing_clearly():
            project = Project.open(root)
            stamp = make_stamp(root, run_id=context.op_execution_context.run_id)
            figures = measure_resolution(project, grid.set_name, stamp=stamp)
            digests = resolution_digests(project, grid.set_name)
            partition = Partition(set_name=grid.set_name, model_version=RESOLVER)
            header = project.store.header(METRICS.name, partition)
        return dg.MaterializeResult(
            metadata=resolution_metadata(figures, digests, stamp),
            data_version=version_of_rows(header),
        )

    return resolution

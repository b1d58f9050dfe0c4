"""The assets of one evaluation set, made alike for every set.

    fixtures ┐
    prompt   ┴ extractions ┐
    gold     ──────────────┴ matches ┬ metrics ─ baseline
                                     └ calibration

An asset takes its inputs, calls one function of the pipeline and returns what a person wants to
see; data go through the store.
"""

import dagster as dg

from evals_pipeline.defs.cell_assets import cell_assets
from evals_pipeline.defs.harness_assets import harness_assets, resolution_asset
from evals_pipeline.defs.model_assets import model_assets
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.defs.set_assets import file_assets
from evals_pipeline.pipeline.project import Project

KIND_TAG = "evals/kind"
"""Says of every asset what kind of set it belongs to: the graph shows groups by name alone."""


def set_assets(project: Project, grid: Grid) -> list[dg.AssetsDefinition]:
    """The assets of a set; those with partitions only where a model version can serve it."""
    tags = {KIND_TAG: grid.kind_word}
    return list(
        dg.map_asset_specs(
            lambda spec: spec.merge_attributes(tags=tags), _untagged_assets(project, grid)
        )
    )


def _untagged_assets(project: Project, grid: Grid) -> list[dg.AssetsDefinition]:
    if grid.harness is not None:
        return harness_assets(project, grid)
    files = file_assets(project.root, grid)
    if grid.has_subjects:
        files.append(resolution_asset(project.root, grid))
    if not grid.models:
        return files
    return [*files, *cell_assets(project, grid), *model_assets(project.root, grid)]

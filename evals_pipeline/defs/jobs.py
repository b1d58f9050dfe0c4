"""The jobs: of each set its grid and its figures, and everything at once.

One run of Dagster's cannot hold partitions of two kinds, so a set has two jobs: ``<set>`` runs one
cell of its grid from the files to the judged matches, ``<set>_figures`` one model version from
there to the gate. A harness suite has one job, for one model version. The job ``everything`` runs
all of it, in order, in this process: what CI calls.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import (
    UnresolvedAssetJobDefinition,  # what define_asset_job returns; it has no public name
)
from pydantic import Field

from evals_pipeline.defs.failures import failing_clearly
from evals_pipeline.defs.materialise import Choice, Outcome, materialise_sets
from evals_pipeline.defs.partitions import CELL_STAGES, FILE_STAGES, Grid

# A run that was killed is started again; one whose asset failed, or whose gate is red, is not.
RETRY_TAGS = {"dagster/max_retries": "2", "dagster/retry_on_asset_or_op_failure": "false"}
EVERYTHING = "everything"
SetJob: TypeAlias = UnresolvedAssetJobDefinition


class EverythingConfig(dg.Config):
    """``sets`` and ``models`` limit what is run; empty takes all of them.

    ``fresh`` samples every model anew, and pays for it.
    """

    sets: list[str] = Field(default_factory=list)
    models: list[str] = Field(default_factory=list)
    fresh: bool = False


def grid_job_name(grid: Grid) -> str:
    """The job that runs a cell of a set's grid."""
    return grid.safe_name


def grid_job(grid: Grid) -> SetJob:
    """The job that runs one cell of a set's grid, from its files to its matches."""
    stages = FILE_STAGES + (CELL_STAGES if grid.models else ())
    return dg.define_asset_job(
        grid_job_name(grid),
        selection=dg.AssetSelection.assets(*grid.keys(stages)),
        description=f"One cell of {grid.set_name}: its files, its answers, its matches.",
        tags=RETRY_TAGS,
    )


def figures_job(grid: Grid) -> SetJob:
    """The job that runs one model version of a set, from its figures to its gate."""
    return dg.define_asset_job(
        f"{grid.safe_name}_figures",
        selection=dg.AssetSelection.assets(*grid.keys(grid.model_stages)),
        description=f"One model version of {grid.set_name}: its figures and its gate.",
        tags=RETRY_TAGS,
    )


def harness_job(grid: Grid) -> SetJob:
    """The job that runs one model version of a harness suite, from its files to its figures."""
    return dg.define_asset_job(
        grid_job_name(grid),
        selection=dg.AssetSelection.assets(*grid.keys(FILE_STAGES + grid.model_stages)),
        description=f"One model version of the {grid.harness} suite {grid.set_name}: its figures.",
        tags=RETRY_TAGS,
    )


def everything_job(known: Sequence[Grid], load: Callable[[], dg.Definitions]) -> dg.JobDefinition:
    """The job that materialises every set, and fails when anything failed or a gate is red.

    ``load`` gives the definitions of the code location that the job itself belongs to.
    """

    @dg.op(description="Runs every cell, then every model version, of the sets asked for.")
    def materialise_everything(context: dg.OpExecutionContext, config: EverythingConfig) -> None:
        failed: list[Outcome] = []
        with failing_clearly():
            choice = Choice(
                sets=tuple(config.sets), models=tuple(config.models), fresh=config.fresh
            )
            for outcome in materialise_sets(known, load(), context.instance, choice):
                context.log.info(str(outcome))
                if not outcome.succeeded:
                    failed.append(outcome)
        if failed:
            said = "\n".join(str(outcome) for outcome in failed)
            raise dg.Failure(description=said, allow_retries=False)

    @dg.job(name=EVERYTHING, description="Every set, from its files to its gate, in this process.")
    def everything() -> None:
        materialise_everything()

    return everything

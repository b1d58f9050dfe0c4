"""Every set's grid: model version × run index, from the settings and the sets as they load.

Model versions are static partitions, so that the grid stands in git and not in one machine's
database. Dagster sorts the dimensions of a grid by name, so a cell's key reads
``<model version>|<run index>``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import dagster as dg

from evals_pipeline.core.errors import EvalsError, InputError, SetupError
from evals_pipeline.core.harness_records import HarnessKind
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.grid import models_for
from evals_pipeline.pipeline.harness_suites import cells_of_suite
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stored_harnesses import all_harness_suites

MODEL_VERSION = "model_version"
RUN_INDEX = "run_index"
FILE_STAGES = ("fixtures", "gold", "prompt")
CELL_STAGES = ("extractions", "matches")
RESOLUTION = "resolution"
"""The stage of a suite with gold subjects; it has no partitions, for no model has a part in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One evaluation set as the code location knows it.

    ``problem`` says why the set does not load; its grid then lists every model version, so that
    nothing that was materialised disappears from sight while a file is being mended.
    ``harness``: it is a suite of that harness, whose figures are made in one step, without cells.
    ``has_subjects``: it is a claim suite with gold subjects, which are resolved beside the grid.
    """

    set_name: str
    kind: SetKind
    models: tuple[str, ...]
    run_indices: tuple[int, ...]
    is_calibration: bool = False
    problem: str | None = None
    harness: HarnessKind | None = None
    has_subjects: bool = False

    @property
    def safe_name(self) -> str:
        """The set's name in letters, digits and underscores, as jobs and groups need it."""
        return re.sub(r"[^A-Za-z0-9_]", "_", self.set_name)

    @property
    def kind_word(self) -> str:
        """What kind of set it is, in the letters of a tag."""
        if self.harness is not None:
            return f"{self.harness}-suite"
        if self.is_calibration:
            return "calibration-suite"
        return "golden-set" if self.kind is SetKind.FIELDS else "claim-suite"

    @property
    def model_stages(self) -> tuple[str, ...]:
        """The stages with one partition for each model version, in order."""
        if self.harness is not None:
            return ("metrics",)
        baseline = ("baseline",) if self.kind is SetKind.FIELDS else ()
        return ("metrics", *baseline, "calibration")

    def keys(self, stages: Iterable[str]) -> tuple[dg.AssetKey, ...]:
        """The keys of several of the set's assets."""
        return tuple(self.key(stage) for stage in stages)

    def key(self, stage: str) -> dg.AssetKey:
        """The key of one of the set's assets, ``<set>/<stage>``."""
        return dg.AssetKey([self.set_name, stage])

    def cells(self) -> dg.MultiPartitionsDefinition:
        """The partitions of extractions and matches."""
        return dg.MultiPartitionsDefinition(
            {
                MODEL_VERSION: self.by_model(),
                RUN_INDEX: dg.StaticPartitionsDefinition([str(one) for one in self.run_indices]),
            }
        )

    def by_model(self) -> dg.StaticPartitionsDefinition:
        """The partitions of figures and what follows from them."""
        return dg.StaticPartitionsDefinition(list(self.models))

    def cell(self, partition_key: str) -> PartitionKey:
        """The cell that a partition key names; a model version never holds a ``|``."""
        model_version, _, run_index = partition_key.rpartition("|")
        return PartitionKey(
            set_name=self.set_name, model_version=model_version, run_index=int(run_index)
        )


def cell_key(model_version: str, run_index: int) -> dg.MultiPartitionKey:
    """The partition key of a cell."""
    return dg.MultiPartitionKey({MODEL_VERSION: model_version, RUN_INDEX: str(run_index)})


def grids(project: Project) -> tuple[Grid, ...]:
    """The grids of all sets that have a name.

    Raises:
        SetupError: two sets have one name once Dagster's letters are all that is left of it.
    """
    found = tuple(
        _grid(project, name, is_calibration=is_calibration)
        for names, is_calibration in (
            (project.set_names(), False),
            (project.calibration_names(), True),
        )
        for name in names
    )
    _refuse_one_name_for_two(found)
    return found


def harness_grids(project: Project, beside: Iterable[Grid]) -> tuple[Grid, ...]:
    """The harness suites that load and whose name none of the sets has."""
    taken = {grid.safe_name.lower() for grid in beside}
    found: list[Grid] = []
    for suite in all_harness_suites(project):
        grid = Grid(
            set_name=suite.suite_id,
            kind=SetKind.CLAIMS,
            models=tuple(cell.model_version for cell in cells_of_suite(project, suite)),
            run_indices=project.run_indices(),
            harness=suite.kind,
        )
        # Validation tells whose name it is; here one suite less is better than no code location.
        if grid.safe_name.lower() not in taken:
            taken.add(grid.safe_name.lower())
            found.append(grid)
    return tuple(found)


def _grid(project: Project, set_name: str, *, is_calibration: bool) -> Grid:
    problem: str | None = None
    try:
        models = models_for(project, set_name)
    except InputError as error:
        models, problem = tuple(project.settings.models), str(error)
    except EvalsError as error:
        models, problem = (), str(error)
    return Grid(
        set_name=set_name,
        kind=project.kind_of(set_name),
        models=models,
        run_indices=project.run_indices(),
        is_calibration=is_calibration,
        problem=problem,
        has_subjects=not is_calibration
        and set_name in project.set_names_of_suites()
        and bool(project.suite(set_name).gold_subjects),
    )


def _refuse_one_name_for_two(found: Iterable[Grid]) -> None:
    taken: dict[str, str] = {}
    for grid in found:
        other = taken.setdefault(grid.safe_name.lower(), grid.set_name)
        if other != grid.set_name:
            raise SetupError(
                f"sets {other!r} and {grid.set_name!r} have the same name in Dagster, where only "
                "letters, digits and underscores count. Rename one of them."
            )

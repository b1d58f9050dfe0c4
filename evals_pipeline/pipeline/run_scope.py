"""What a run is about: cells of the sets' grids, harness suites, and gold subjects to resolve."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.estimating import of
from evals_pipeline.pipeline.harness_extraction import estimate_harness, harness_runs
from evals_pipeline.pipeline.harness_suites import HarnessCell, cells_of_suite
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.selection import select_cells
from evals_pipeline.pipeline.stored_harnesses import (
    Beside,
    all_harness_suites,
    needs_measuring,
    select_harness_cells,
)
from evals_pipeline.pipeline.stored_resolution import needs_resolving, suites_with_subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """(set, model version) of grids, harness suites by model version, suites to be resolved."""

    cells: tuple[tuple[str, str], ...]
    harnesses: tuple[HarnessCell, ...]
    resolved: tuple[str, ...]

    @property
    def n_shown(self) -> int:
        """How many sets and model versions there are figures of."""
        return len(self.cells) + len(self.harnesses)


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePlan:
    """What is not of today beside the grids, and what asking the models for it would take."""

    todo: tuple[Beside, ...]
    estimates: tuple[Estimate, ...]


def run_scope(project: Project, names: Sequence[str], models: Sequence[str]) -> RunScope:
    """The scope that names and model versions select; without any name all there is.

    Subjects are resolved where no model version is chosen, since none has a part in it.

    Raises:
        UnknownNameError, InputError, RefusedError: as ``select_cells``.
    """
    suites = [suite.suite_id for suite in all_harness_suites(project)]
    sets = [name for name in names if name not in suites]
    if names:
        cells = select_cells(project, sets, models) if sets else ()
        chosen = [name for name in dict.fromkeys(names) if name in suites]
        harnesses = select_harness_cells(project, chosen, models)
    else:
        harnesses = tuple(
            cell
            for suite in all_harness_suites(project)
            for cell in cells_of_suite(project, suite)
            if not models or cell.model_version in models
        )
        # Where there are harness suites alone, there is no set to select.
        cells = select_cells(project, (), models) if project.set_names() or not harnesses else ()
    subjects = () if models else suites_with_subjects(project)
    chosen_sets = {set_name for set_name, _ in cells}
    return RunScope(
        cells=cells,
        harnesses=harnesses,
        resolved=tuple(name for name in subjects if name in chosen_sets),
    )


def plan_beside(project: Project, scope: RunScope, *, fresh: bool = False) -> BesidePlan:
    """What of a scope is to be made beside the grids, and what that would call.

    With ``fresh`` every harness suite is, current or not, and its model sampled anew.

    Raises:
        InputError: a prompt or a predictions file is faulty.
        RefusedError: a predictions file has none of the runs that are planned.
    """
    stale = [cell for cell in scope.harnesses if fresh or needs_measuring(project, cell)]
    todo = [
        *(Beside(set_name=one.suite.suite_id, model_version=one.model_version) for one in stale),
        *(Beside(set_name=name) for name in scope.resolved if needs_resolving(project, name)),
    ]
    estimates = [
        of(asked, one.suite.suite_id, one.model_version)
        for one in stale
        if (asked := _asked(project, one, fresh=fresh)) is not None
    ]
    return BesidePlan(todo=tuple(todo), estimates=tuple(estimates))


def _asked(project: Project, cell: HarnessCell, *, fresh: bool) -> Estimate | None:
    return estimate_harness(project, cell, harness_runs(project, cell), ignore_recorded=fresh)

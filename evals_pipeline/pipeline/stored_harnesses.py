"""Harness figures as they are stored: made, found again, and whether they are still of today.

The commands of the harnesses report what somebody asks for and store nothing. What is stored is of
the settings, and is made by the assets: the same function measures both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.fingerprints import digest_of, digest_parts
from evals_pipeline.core.harness_records import HarnessFigures, HarnessKind, HarnessSuite
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.pipeline.digests import changed_inputs, extractor_digest, file_digest
from evals_pipeline.pipeline.harness_extraction import Progress, harness_runs
from evals_pipeline.pipeline.harness_suites import HarnessCell, cells_of_suite, harness_suites
from evals_pipeline.pipeline.harnesses import alignment_judge, run_harness
from evals_pipeline.pipeline.project import Project
from evals_pipeline.store.storage_errors import DamagedFileError

HARNESS_VERSION = "1"
"""Raise it when the same claims can give other harness figures than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHarness:
    """Stored figures; ``outdated`` names the inputs that have changed since they were made."""

    figures: HarnessFigures
    outdated: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Something to materialise that has no grid: a harness suite for a model version.

    ``model_version`` None: the gold subjects of a claim suite, which no model has a part in.
    """

    set_name: str
    model_version: str | None = None


def all_harness_suites(project: Project) -> tuple[HarnessSuite, ...]:
    """The harness suites that load, whose ids no other set has: those that can have figures."""
    taken = {*project.set_names(), *project.calibration_names()}
    found: list[HarnessSuite] = []
    for kind in HarnessKind:
        for suite in harness_suites(project, kind).suites:
            if suite.suite_id not in taken:
                taken.add(suite.suite_id)
                found.append(suite)
    return tuple(found)


def harness_suite(project: Project, suite_id: str) -> HarnessSuite:
    """The harness suite of that id.

    Raises:
        UnknownNameError: there is none that loads.
    """
    by_id = {suite.suite_id: suite for suite in all_harness_suites(project)}
    if suite_id not in by_id:
        raise UnknownNameError("harness suite", suite_id, tuple(by_id))
    return by_id[suite_id]


def harness_cell(project: Project, suite_id: str, model_version: str) -> HarnessCell:
    """A harness suite for a model version.

    Raises:
        UnknownNameError: there is no such suite.
        RefusedError: the model version cannot answer for it; says which can.
    """
    cells = {
        one.model_version: one for one in cells_of_suite(project, harness_suite(project, suite_id))
    }
    if model_version not in cells:
        able = ", ".join(cells) or "none"
        message = (
            f"{suite_id}: model version {model_version!r} cannot answer for this suite; those that "
            f"can: {able}. See [tool.evals.models] and docs/settings.md."
        )
        raise RefusedError(message)
    return cells[model_version]


def harness_digests(project: Project, cell: HarnessCell) -> InputDigests:
    """The digests of what a cell's figures are made from today.

    Raises:
        InputError: the prompt or the predictions file cannot be read.
    """
    how, suite = cell.serving, cell.suite
    judge = alignment_judge(project).model_dump(mode="json")
    return InputDigests(
        corpus=harness_corpus(suite),
        prompt=None if how.prompt_path is None else file_digest(how.prompt_path),
        extractor=extractor_digest(how),
        gold=suite.digest,
        schema=digest_parts("harness", suite.kind.value, HARNESS_VERSION),
        judge=digest_of({key: str(value) for key, value in judge.items()}),
    )


def harness_corpus(suite: HarnessSuite) -> str:
    """The digest of a harness suite's documents and of the days they count from."""
    return digest_parts(
        *(f"{one.case_id}:{one.fixture.sha256}:{one.reference_date}" for one in suite.cases)
    )


def measure_harness(
    project: Project,
    cell: HarnessCell,
    *,
    stamp: RunStamp,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> HarnessFigures:
    """The figures of a cell by the settings, stored; ``fresh`` samples a model anew.

    Raises:
        InputError, RefusedError, SetupError: as ``run_harness``.
    """
    figures = run_harness(
        project,
        cell,
        runs=harness_runs(project, cell),
        judge=alignment_judge(project),
        stamp=stamp,
        fresh=fresh,
        on_progress=on_progress,
    )
    project.store.write_harness(figures, harness_digests(project, cell), stamp)
    return figures


def stored_harness(project: Project, cell: HarnessCell) -> StoredHarness | None:
    """The figures of a cell that are stored; None when there are none.

    Raises:
        DamagedFileError: they cannot be read any more.
    """
    stored = project.store.read_harness(cell.suite.suite_id, cell.model_version)
    if stored is None:
        return None
    outdated = changed_inputs(stored.digests, harness_digests(project, cell))
    if stored.record.run_indices != harness_runs(project, cell):
        outdated = (*outdated, "runs")
    return StoredHarness(figures=stored.record, outdated=outdated)


def needs_measuring(project: Project, cell: HarnessCell) -> bool:
    """Whether a cell has no figures of today, or has some that a failed call left short."""
    try:
        found = stored_harness(project, cell)
    except DamagedFileError:
        return True
    if found is None or found.outdated:
        return True
    return cell.serving.prompt_path is not None and found.figures.statuses.error > 0


def select_harness_cells(
    project: Project, suite_ids: Sequence[str], models: Sequence[str]
) -> tuple[HarnessCell, ...]:
    """The cells of some harness suites, for some model versions or all that can answer.

    Raises:
        UnknownNameError: there is no such suite or model version.
        RefusedError: a suite is named that none of them can answer for.
    """
    for model in models:
        project.model(model)
    found: list[HarnessCell] = []
    for suite_id in suite_ids:
        cells = cells_of_suite(project, harness_suite(project, suite_id))
        chosen = [one for one in cells if not models or one.model_version in models]
        if not chosen:
            who = ", ".join(models) or "no model version of the settings"
            raise RefusedError(f"{suite_id}: {who} cannot answer for this suite. See: evals list")
        found += chosen
    return tuple(found)

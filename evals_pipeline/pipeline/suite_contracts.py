"""What calibration suites and harness suites have to keep beyond their format, for validation."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evals_pipeline.calibrate.authoring import authoring_faults
from evals_pipeline.core.errors import EvalsError, Fault, InputError
from evals_pipeline.core.harness_records import HarnessKind, HarnessSuite
from evals_pipeline.core.records import Suite
from evals_pipeline.extract.routing import owner_of
from evals_pipeline.pipeline.extractors import PromptRoute
from evals_pipeline.pipeline.grid import claim_extractors
from evals_pipeline.pipeline.harness_extraction import check_serving
from evals_pipeline.pipeline.harness_suites import cells_of_suite, harness_suites
from evals_pipeline.pipeline.project import Project
from evals_pipeline.resolve.authority_file import read_authority
from evals_pipeline.sets.harnesses import discover_harness_suites, load_harness_suite


def calibration_suite_faults(project: Project, suite: Suite, *, where: str) -> list[Fault]:
    """What a calibration suite does against its authoring contract."""
    owners = owner_of(suite.source_types, claim_extractors(project))
    is_deterministic = any(
        not isinstance(one, PromptRoute)
        for one in claim_extractors(project)
        if one.extractor_id in owners
    )
    try:
        text = suite.path.read_text(encoding="utf-8-sig")
        return authoring_faults(suite, text, is_deterministic=is_deterministic, where=where)
    except OSError as error:
        return [Fault(where=where, problem=f"cannot be read: {error.strerror}")]


def harness_suite_names(project: Project) -> tuple[str, ...]:
    """The ids of all harness suites that load."""
    return tuple(
        suite.suite_id for kind in HarnessKind for suite in harness_suites(project, kind).suites
    )


def harness_faults(project: Project) -> Iterator[Fault]:
    """Every fault of the harness suites: what does not load, who owns them, what serves them."""
    owners = {name: f"the set {name}" for name in project.set_names()}
    owners |= {name: f"the calibration suite {name}" for name in project.calibration_names()}
    for kind in HarnessKind:
        found = harness_suites(project, kind)
        for _, error in found.failures:
            yield from error.faults
        for suite in found.suites:
            where = shown(project, suite.path)
            if suite.suite_id in owners:
                problem = f"suite_id {suite.suite_id!r} is that of {owners[suite.suite_id]}"
                yield Fault(where=where, problem=problem, remedy="Give it an id of its own.")
            owners[suite.suite_id] = f"the {kind.value} suite {where}"
            yield from _routing_faults(project, suite, where)
            yield from _serving_faults(project, suite)


def harness_load_faults(project: Project) -> Iterator[Fault]:
    """What keeps harness suites from loading, whoever would serve them."""
    for kind in HarnessKind:
        for _, error in harness_suites(project, kind).failures:
            yield from error.faults


def authority_faults(project: Project) -> list[Fault]:
    """What is wrong with the file by which subjects are resolved; one that is not there is none."""
    path = project.root / project.settings.resolve.authority
    if not path.is_file():
        return []
    try:
        read_authority(path)
    except InputError as error:
        return [replace(fault, where=shown(project, path)) for fault in error.faults]
    return []


def harness_warnings(project: Project) -> tuple[str, ...]:
    """What the loader of harness suites said without refusing."""
    return tuple(
        warning for kind in HarnessKind for warning in harness_suites(project, kind).warnings
    )


def harness_path_faults(path: Path) -> dict[str, list[Fault]] | None:
    """The faults by id of a harness suite's file, or of a folder of them; None for other paths.

    A harness suite is told by its folder, as everywhere.
    """
    kinds = {kind.value: kind for kind in HarnessKind}
    place = path.resolve()
    if place.is_dir() and place.name in kinds:
        found = discover_harness_suites(path, kind=kinds[place.name])
        failed = {file.stem: list(error.faults) for file, error in found.failures}
        return failed | {suite.suite_id: [] for suite in found.suites}
    kind = kinds.get(place.parent.name)
    if kind is None or not place.is_file():
        return None
    try:
        return {load_harness_suite(path, kind=kind).suite_id: []}
    except InputError as error:
        return {path.stem: list(error.faults)}


def shown(project: Project, path: Path) -> str:
    """A path as messages show it: relative to the project."""
    try:
        return str(path.resolve().relative_to(project.root))
    except ValueError:
        return str(path)


def _routing_faults(project: Project, suite: HarnessSuite, where: str) -> Iterator[Fault]:
    owners = owner_of((suite.source_type,), claim_extractors(project))
    if not owners:
        yield Fault(
            where=f"{where}: source_type",
            problem=f"no extractor is the routing choice for {suite.source_type}",
            remedy="Change source_type, or add an extractor that accepts it.",
        )


def _serving_faults(project: Project, suite: HarnessSuite) -> Iterator[Fault]:
    for cell in cells_of_suite(project, suite):
        try:
            for error in check_serving(cell):
                yield from error.faults
        except EvalsError as error:
            where = f"models.{cell.model_version}: {suite.suite_id}"
            yield Fault(where=where, problem=str(error))

"""Everything that can be wrong with a project's files, found at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals_pipeline.core.errors import EvalsError, Fault, InputError, did_you_mean
from evals_pipeline.core.records import GoldenSet, Suite
from evals_pipeline.core.settings import Provider
from evals_pipeline.extract.prompts import read_prompt
from evals_pipeline.extract.routing import owner_of
from evals_pipeline.pipeline.baselines import read_baseline
from evals_pipeline.pipeline.extraction import bind_predictions
from evals_pipeline.pipeline.grid import claim_extractors, models_for, serving
from evals_pipeline.pipeline.harness_suites import all_failures
from evals_pipeline.pipeline.label_checks import unopened_documents, unread_labels
from evals_pipeline.pipeline.model_answers import prompt_extractor
from evals_pipeline.pipeline.project import SETTINGS_FILE, Project
from evals_pipeline.pipeline.suite_contracts import (
    authority_faults,
    calibration_suite_faults,
    harness_faults,
    harness_load_faults,
    harness_path_faults,
    harness_suite_names,
    harness_warnings,
    shown,
)
from evals_pipeline.sets import TreeCheck, validate_path, validate_tree
from evals_pipeline.sets.suites import CALIBRATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What validation found; ``checked`` names what it looked at."""

    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    checked: tuple[str, ...]


def validate_project(
    project: Project, paths: Sequence[Path] = (), *, settings_faults: Sequence[Fault] = ()
) -> Findings:
    """Every fault of the project's sets and of what serves them, or of the named places only.

    A path is a suite file, a golden set's folder, a fixture's folder, or a folder of any. A golden
    set may also be named, as everywhere else. With faulty settings nobody knows what serves a set,
    so that is not looked at; everything else is.
    """
    if paths:
        places = [_place_of(project, path) for path in paths]
        found = _validate_paths(project, places, is_settled=not settings_faults)
        return replace(found, faults=(*settings_faults, *found.faults))
    tree = validate_tree(
        suites_dir=project.suites_folder,
        golden_dir=project.root / project.settings.golden_dir,
        fixtures_dirs=project.fixtures_folders,
    )
    faults = [*settings_faults, *tree.faults, *_unread(tree), *_faults_of_folders(project)]
    if settings_faults:
        faults.extend(harness_load_faults(project))
    else:
        for name in (*project.set_names(), *project.calibration_names()):
            faults.extend(_faults_of_set(project, name))
        faults.extend(harness_faults(project))
        faults.extend(authority_faults(project))
        faults.extend(_faults_of_models(project))
        faults.extend(_faults_of_references(project))
    return Findings(
        faults=tuple(dict.fromkeys(faults)),
        warnings=(*tree.warnings, *harness_warnings(project)),
        checked=(*_names_of(tree), *harness_suite_names(project)),
    )


def _unread(tree: TreeCheck) -> Iterator[Fault]:
    for survey in tree.surveys:
        yield from unread_labels(survey.folder, survey.documents, survey.fields)
        yield from unopened_documents(survey.documents)


def _names_of(tree: TreeCheck) -> tuple[str, ...]:
    return (
        *(golden.name for golden in tree.golden_sets),
        *(suite.suite_id for suite in tree.suites),
    )


def _faults_of_set(project: Project, name: str) -> Iterator[Fault]:
    try:
        loaded: GoldenSet | Suite = (
            project.golden_set(name) if name in project.golden_folders else project.suite(name)
        )
    except InputError as error:
        yield from error.faults
        yield from _faults_beside_labels(project, name)
        return
    if isinstance(loaded, Suite):
        yield from _faults_of_routing(project, loaded)
        if loaded.is_calibration:
            where = shown(project, loaded.path)
            yield from calibration_suite_faults(project, loaded, where=where)
    for model in models_for(project, name):
        yield from _faults_of_serving(project, name, model)


def _faults_beside_labels(project: Project, name: str) -> Iterator[Fault]:
    """Prompts and baselines of a golden set that does not load, where its file says which."""
    try:
        served = [serving(project, name, model) for model in models_for(project, name)]
    except EvalsError:
        return
    for how in served:
        for read in (
            lambda how=how: how.prompt_path and read_prompt(how.prompt_path),
            lambda how=how: read_baseline(project, name, how.model.name),
        ):
            try:
                read()
            except InputError as error:
                yield from error.faults


def _faults_of_routing(project: Project, suite: Suite) -> Iterator[Fault]:
    owners = owner_of(suite.source_types, claim_extractors(project))
    if len(owners) == 1:
        return
    types = ", ".join(suite.source_types)
    problem = (
        f"no extractor is the routing choice for {types}"
        if not owners
        else f"{len(owners)} extractors are the routing choice for its types: {', '.join(owners)}"
    )
    yield Fault(
        where=f"{shown(project, suite.path)}: source_types",
        problem=f"{problem}; a suite has to match exactly one",
        remedy="Change source_types, or split the suite.",
    )


def _faults_of_serving(project: Project, name: str, model: str) -> Iterator[Fault]:
    try:
        how = serving(project, name, model)
        if how.predictions_path is not None:
            bind_predictions(project, name, how)
        elif how.prompt_path is not None:
            prompt_extractor(project, name, how)
        if name in project.golden_folders:
            read_baseline(project, name, model)
    except InputError as error:
        yield from error.faults
    except EvalsError as error:
        yield Fault(where=f"models.{model}: {name}", problem=str(error))


def _faults_of_models(project: Project) -> Iterator[Fault]:
    named = {f"{one.extractor_id}@{getattr(one, 'version', '')}" for one in project.extractors}
    for name, model in project.settings.models.items():
        if model.provider is Provider.CODE and name not in named:
            known = ", ".join(sorted(one for one in named if not one.endswith("@")))
            yield Fault(
                where=f"pyproject.toml: tool.evals.models.{name}",
                problem=f"no installed extractor has this id and version; there are: {known}",
                remedy="Correct the key, or install the extractor's package.",
            )


def _faults_of_references(project: Project) -> Iterator[Fault]:
    """Settings that name a set that does not exist would be silently without effect."""
    known = (*project.set_names(), *project.calibration_names(), *harness_suite_names(project))
    for name, model in project.settings.models.items():
        for set_name in (*model.files, *model.prompts, *(model.sets or ())):
            if set_name not in known and not _has_failed(project, set_name):
                yield Fault(
                    where=f"pyproject.toml: tool.evals.models.{name}",
                    problem=f"names the set {set_name!r}, which does not exist",
                    remedy=did_you_mean(set_name, known),
                )


def _has_failed(project: Project, set_name: str) -> bool:
    """Whether a set is there and only does not load, which is told as a fault of its own."""
    return any(one.is_called(set_name) for one in all_failures(project))


def _faults_of_folders(project: Project) -> Iterator[Fault]:
    """A folder of fixtures that is stated and is not there holds what somebody relies on."""
    for folder in project.settings.fixtures_dir:
        if not (project.root / folder).is_dir():
            yield Fault(
                where=f"{SETTINGS_FILE}: tool.evals.fixtures_dir",
                problem=f"there is no folder {str(folder)!r}",
                remedy="Correct the path, which is relative to the project's folder.",
            )


def _place_of(project: Project, path: Path) -> Path:
    if path.exists() or str(path) not in project.golden_folders:
        return path
    return project.golden_folders[str(path)]


def _validate_paths(project: Project, paths: Sequence[Path], *, is_settled: bool) -> Findings:
    faults: list[Fault] = []
    warnings: list[str] = []
    checked: list[str] = []
    for path in paths:
        harness = harness_path_faults(path)
        if harness is not None:
            checked.extend(harness)
            faults.extend(fault for of_suite in harness.values() for fault in of_suite)
            continue
        fixtures = (path.parent / "fixtures", *project.fixtures_folders)
        found = validate_path(path, fixtures_dirs=fixtures)
        faults.extend((*found.faults, *_unread(found)))
        warnings.extend(found.warnings)
        for suite in found.suites if is_settled else ():
            faults.extend(_faults_of_routing(project, suite))
            if suite.path.resolve().parent.name == CALIBRATION:
                where = shown(project, suite.path)
                faults.extend(calibration_suite_faults(project, suite, where=where))
        checked.append(str(path))
    return Findings(faults=tuple(faults), warnings=tuple(warnings), checked=tuple(checked))

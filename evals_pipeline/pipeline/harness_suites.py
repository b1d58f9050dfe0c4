"""Which harness suites there are, whose they are, and which model versions can answer for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.harness_records import HarnessKind, HarnessSuite
from evals_pipeline.core.settings import ModelSettings, Provider
from evals_pipeline.extract.routing import owner_of
from evals_pipeline.pipeline.extractors import AnyExtractor
from evals_pipeline.pipeline.grid import Serving, as_serving, claim_extractors
from evals_pipeline.pipeline.project import LoadFailure, Project
from evals_pipeline.sets.harnesses import HarnessDiscovery, discover_harness_suites


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessCell:
    """One suite for one model version, and how that answers."""

    suite: HarnessSuite
    serving: Serving

    @property
    def model_version(self) -> str:
        """The key of the model version."""
        return self.serving.model.name


def harness_suites(project: Project, kind: HarnessKind) -> HarnessDiscovery:
    """The suites of one harness, in the folder of its name beside the claim suites."""
    return discover_harness_suites(project.suites_folder / kind.value, kind=kind)


def harness_failures(project: Project, kind: HarnessKind) -> tuple[LoadFailure, ...]:
    """The suites of one harness that do not load."""
    return tuple(LoadFailure.of(*one) for one in harness_suites(project, kind).failures)


def all_failures(project: Project) -> tuple[LoadFailure, ...]:
    """Every suite's file that does not load: claim suites, calibration suites, harness suites."""
    harnesses = (one for kind in HarnessKind for one in harness_failures(project, kind))
    return (*project.load_failures(), *harnesses)


def failure_called(project: Project, name: str) -> LoadFailure | None:
    """The file that does not load and that a person who says ``name`` means; None: no such."""
    loaded = {
        suite.suite_id for kind in HarnessKind for suite in harness_suites(project, kind).suites
    }
    loaded |= {*project.golden_folders, *project.set_names(), *project.calibration_names()}
    if name in loaded:
        return None
    return next((one for one in all_failures(project) if one.is_called(name)), None)


def harness_cells(
    project: Project,
    kind: HarnessKind,
    name: str,
    *,
    models: Sequence[str] = (),
    suite_ids: Sequence[str] = (),
) -> tuple[HarnessCell, ...]:
    """What a harness runs for a name: the suites that route to an extractor, by model version.

    Args:
        project: Where the suites and settings are.
        kind: Which harness.
        name: An extractor's id, or a model version's key.
        models: Only these model versions.
        suite_ids: These suites and no others, whatever routing says.

    Raises:
        UnknownNameError: there is no such extractor, model version or suite.
        InputError: a suite that was named does not load.
        RefusedError: nothing would be measured; says why.
    """
    found = harness_suites(project, kind)
    known = {one.extractor_id: one for one in claim_extractors(project)}
    if name not in known and name not in project.settings.models:
        raise UnknownNameError("extractor", name, (*known, *project.settings.models))
    for model in models:
        project.model(model)
    wanted = models or (() if name in known else (name,))
    suites = tuple(_suites(project, found, known.get(name), kind, suite_ids))
    cells = tuple(
        HarnessCell(suite=suite, serving=how)
        for suite in suites
        for model in project.settings.models.values()
        if not wanted or model.name in wanted
        if (how := _serving(project, suite, model, known.get(name))) is not None
    )
    if not cells:
        raise RefusedError(_nothing(kind, name, suites, found, wanted))
    return cells


def cells_of_suite(project: Project, suite: HarnessSuite) -> tuple[HarnessCell, ...]:
    """Every model version that can answer for a suite."""
    return tuple(
        HarnessCell(suite=suite, serving=how)
        for model in project.settings.models.values()
        if (how := _serving(project, suite, model, None)) is not None
    )


def _suites(
    project: Project,
    found: HarnessDiscovery,
    extractor: AnyExtractor | None,
    kind: HarnessKind,
    suite_ids: Sequence[str],
) -> Iterator[HarnessSuite]:
    by_id = {suite.suite_id: suite for suite in found.suites}
    if suite_ids:
        for suite_id in suite_ids:
            if suite_id not in by_id:
                for failure in (LoadFailure.of(*one) for one in found.failures):
                    if failure.is_called(suite_id):
                        raise failure.as_asked(suite_id)
                raise UnknownNameError(f"{kind.value} suite", suite_id, tuple(by_id))
            yield by_id[suite_id]
        return
    for suite in found.suites:
        owners = owner_of((suite.source_type,), claim_extractors(project))
        if extractor is None or extractor.extractor_id in owners:
            yield suite


def _serving(
    project: Project, suite: HarnessSuite, model: ModelSettings, extractor: AnyExtractor | None
) -> Serving | None:
    """How a model version answers for a suite, as the named extractor or as the suite's owner."""
    if model.sets is not None and suite.suite_id not in model.sets:
        return None
    if model.provider is Provider.PREDICTIONS:
        if suite.suite_id not in model.files:
            return None
        path = project.root / model.files[suite.suite_id]
        return Serving(model=model, extractor_id=model.name, predictions_path=path)
    if extractor is None:
        owners = owner_of((suite.source_type,), claim_extractors(project))
        extractor = next(
            (one for one in claim_extractors(project) if one.extractor_id in owners), None
        )
    if extractor is None:
        return None
    return as_serving(project, extractor, model, set_name=suite.suite_id)


def _nothing(
    kind: HarnessKind,
    name: str,
    suites: Sequence[HarnessSuite],
    found: HarnessDiscovery,
    wanted: Sequence[str],
) -> str:
    if not found.suites:
        failed = f" ({len(found.failures)} do not load: evals validate)" if found.failures else ""
        return f"there is no {kind.value} suite{failed}. Write one under suites/{kind.value}/."
    if not suites:
        types = ", ".join(sorted({suite.source_type for suite in found.suites}))
        return (
            f"{name}: it is the routing choice for no {kind.value} suite (they are of {types}). "
            "Name one with --suite to measure it all the same."
        )
    ids = ", ".join(suite.suite_id for suite in suites)
    who = ", ".join(wanted) or "no model version of the settings"
    return (
        f"{name}: {who} can serve {ids}: a predictions file needs an entry under files, a prompt "
        'a model version with provider "openai".'
        if not wanted
        else f"{name}: {who} cannot serve {ids}. Give it an entry under files, or a prompt."
    )

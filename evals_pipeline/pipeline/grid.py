"""Which model versions can serve a set: its grid lists those and no others."""

from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.outcomes import OutputKind, SetKind
from evals_pipeline.core.records import Suite
from evals_pipeline.core.settings import ModelSettings, Provider
from evals_pipeline.extract.protocol import Extractor
from evals_pipeline.extract.routing import RoutingChoice, owner_of, route
from evals_pipeline.pipeline.extractors import AnyExtractor, PromptRoute
from evals_pipeline.pipeline.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How one model version answers for one set: exactly one of the three is there.

    ``code`` is a code extractor, ``prompt_path`` a prompt for a model, ``predictions_path`` a file.
    ``extractor_id`` names the extractor whose work it is (a predictions file's is its own key).
    """

    model: ModelSettings
    extractor_id: str
    code: Extractor | None = None
    prompt_path: Path | None = None
    predictions_path: Path | None = None


def models_for(project: Project, set_name: str) -> tuple[str, ...]:
    """The model versions of a set's grid, in the order of the settings."""
    return tuple(
        name for name in project.settings.models if _serving(project, set_name, name) is not None
    )


def serving(project: Project, set_name: str, model_version: str) -> Serving:
    """How a model version answers for a set.

    Raises:
        UnknownNameError: there is no such model version.
        RefusedError: it cannot serve this set; says which can.
    """
    found = _serving(project, set_name, model_version)
    if found is None:
        able = ", ".join(models_for(project, set_name)) or "none"
        message = (
            f"{set_name}: model version {model_version!r} cannot serve this set; those that can: "
            f"{able}. See [tool.evals.models] and docs/settings.md."
        )
        raise RefusedError(message)
    return found


def run_indices_of(project: Project, model_version: str) -> tuple[int, ...]:
    """The run indices of a model version: those of the settings, up to its own limit."""
    limit = project.model(model_version).runs
    return project.run_indices()[:limit]


def claim_extractors(project: Project) -> tuple[AnyExtractor, ...]:
    """The extractors that emit claims, in routing order."""
    return tuple(one for one in project.extractors if one.output is OutputKind.CLAIMS)


def routing(project: Project, source_type: str) -> RoutingChoice[AnyExtractor]:
    """Which claim extractor a source type goes to, and why."""
    return route(source_type, claim_extractors(project))


def suites_of(project: Project, extractor_id: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the named suites that an extractor is the routing choice for."""
    extractors = claim_extractors(project)
    return tuple(
        name
        for name in names
        if extractor_id in owner_of(project.suite(name).source_types, extractors)
    )


def extractor_of(project: Project, extractor_id: str) -> AnyExtractor:
    """The claim extractor of that id.

    Raises:
        UnknownNameError: no extractor that emits claims has it.
    """
    able = {one.extractor_id: one for one in claim_extractors(project)}
    if extractor_id not in able:
        raise UnknownNameError("extractor", extractor_id, tuple(able))
    return able[extractor_id]


def models_of_extractor(project: Project, extractor_id: str) -> tuple[str, ...]:
    """The model versions that an extractor of that id can run as.

    Raises:
        UnknownNameError: no extractor has that id.
    """
    found = extractor_of(project, extractor_id)
    if isinstance(found, PromptRoute):
        return tuple(
            name
            for name, model in project.settings.models.items()
            if model.provider is Provider.OPENAI
        )
    version = f"{found.extractor_id}@{found.version}"
    return (version,) if version in project.settings.models else ()


def _serving(project: Project, set_name: str, model_version: str) -> Serving | None:
    model = project.model(model_version)
    if model.sets is not None and set_name not in model.sets:
        return None
    if model.provider is Provider.PREDICTIONS:
        if set_name not in model.files:
            return None
        path = project.root / model.files[set_name]
        return Serving(model=model, extractor_id=model_version, predictions_path=path)
    if project.kind_of(set_name) is SetKind.FIELDS:
        return _golden_serving(project, set_name, model)
    return _suite_serving(project, project.suite(set_name), model)


def _golden_serving(project: Project, set_name: str, model: ModelSettings) -> Serving | None:
    golden = project.golden_outline(set_name)
    if model.provider is Provider.OPENAI:
        override = model.prompts.get(set_name)
        path = project.root / override if override else golden.prompt_path
        if path is None:
            return None
        return Serving(model=model, extractor_id=f"prompt:{set_name}", prompt_path=path)
    for one in project.extractors:
        if isinstance(one, PromptRoute) or one.output is not OutputKind.FIELDS:
            continue
        is_named = f"{one.extractor_id}@{one.version}" == model.name
        if is_named and golden.source_type not in one.must_not and one.accepts(golden.source_type):
            return Serving(model=model, extractor_id=one.extractor_id, code=one)
    return None


def _suite_serving(project: Project, suite: Suite, model: ModelSettings) -> Serving | None:
    owners = owner_of(suite.source_types, claim_extractors(project))
    for one in claim_extractors(project):
        if one.extractor_id not in owners:
            continue
        found = as_serving(project, one, model, set_name=suite.suite_id)
        if found is not None:
            return found
    return None


def as_serving(
    project: Project, extractor: AnyExtractor, model: ModelSettings, *, set_name: str
) -> Serving | None:
    """An extractor run as a model version whatever the routing says; None when it cannot be."""
    if isinstance(extractor, PromptRoute):
        if model.provider is not Provider.OPENAI:
            return None
        override = model.prompts.get(set_name)
        path = project.root / override if override else extractor.prompt_path
        return Serving(model=model, extractor_id=extractor.extractor_id, prompt_path=path)
    if f"{extractor.extractor_id}@{extractor.version}" != model.name:
        return None
    return Serving(model=model, extractor_id=extractor.extractor_id, code=extractor)

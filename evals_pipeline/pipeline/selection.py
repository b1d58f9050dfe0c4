"""Which sets and model versions a command is about; a name that selects nothing is refused."""

from collections.abc import Sequence

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.pipeline.grid import models_for, serving
from evals_pipeline.pipeline.measuring import require_golden
from evals_pipeline.pipeline.project import Project


def select_sets(project: Project, names: Sequence[str]) -> tuple[str, ...]:
    """The named sets, each checked, or all of them.

    Raises:
        UnknownNameError, InputError: a named set does not exist or does not load.
        RefusedError: there is no set at all.
    """
    if names:
        for name in names:
            project.kind_of(name)
        return tuple(dict.fromkeys(names))
    found = project.set_names()
    if not found:
        message = (
            "selected 0 sets: there is none in this project. Add a golden set under "
            f"{project.settings.golden_dir}/ or a suite under {project.settings.suites_dir}/."
        )
        raise RefusedError(message)
    return found


def select_models(project: Project, set_name: str, models: Sequence[str]) -> tuple[str, ...]:
    """The named model versions, each checked to serve the set, or all that can.

    Raises:
        UnknownNameError: a model version does not exist.
        RefusedError: one cannot serve the set, or none can.
    """
    for model in models:
        serving(project, set_name, model)
    found = tuple(dict.fromkeys(models)) or models_for(project, set_name)
    if not found:
        message = (
            f"{set_name}: no model version can serve it. Add one under [tool.evals.models] in "
            "pyproject.toml (docs/settings.md)."
        )
        raise RefusedError(message)
    return found


def select_cells(
    project: Project, names: Sequence[str], models: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """(set, model version) for all that is asked for.

    A model version that is named beside no set narrows to the sets that it can serve.
    """
    sets = select_sets(project, names)
    if models and not names:
        for model in models:
            project.model(model)
        return _required(
            [
                (name, model)
                for name in sets
                for model in models_for(project, name)
                if model in models
            ],
            models,
        )
    return tuple((name, model) for name in sets for model in select_models(project, name, models))


def select_gates(
    project: Project, names: Sequence[str], models: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """(golden set, model version) to gate.

    Without a model named: those that have a baseline recorded, or are gated against another one by
    the settings; where a set has none of these, all, so that the gate says what is missing.
    """
    for name in names:
        project.kind_of(name)
        require_golden(project, name)
    golden = [
        name for name in select_sets(project, names) if project.kind_of(name) is SetKind.FIELDS
    ]
    if not golden:
        raise RefusedError("selected 0 golden sets: there is nothing to gate in this project.")
    if models:
        return select_cells(project, golden, models)
    return tuple((name, model) for name in golden for model in _gated_models(project, name))


def _gated_models(project: Project, set_name: str) -> tuple[str, ...]:
    able = select_models(project, set_name, ())
    folder = project.golden_set(set_name).path / "baselines"
    pinned = tuple(
        model
        for model in able
        if (folder / f"{model}.json").is_file() or project.model(model).against is not None
    )
    return pinned or able


def _required(found: list[tuple[str, str]], models: Sequence[str]) -> tuple[tuple[str, str], ...]:
    missing = [model for model in models if all(model != one for _, one in found)]
    if missing:
        message = f"model version {missing[0]!r} can serve no set. See: evals list"
        raise RefusedError(message)
    return tuple(found)

"""From which sets a fit takes its pairs, on which it is checked, and who judges them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import InputDigests
from evals_pipeline.extract.routing import owner_of
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.grid import (
    claim_extractors,
    models_for,
    models_of_extractor,
    run_indices_of,
    serving,
    suites_of,
)
from evals_pipeline.pipeline.judges import lacks_judge
from evals_pipeline.pipeline.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPlan:
    """What a fit for one set and model version is made from.

    ``sources`` give the pairs, ``heldout`` are the sets whose recorded runs check it; of a golden
    set both are the set itself, its documents halved. ``runs`` are the passes that are pooled.
    ``lacks_judge``: a model should judge the claims, and none is set.
    """

    set_name: str
    model_version: str
    kind: SetKind
    sources: tuple[str, ...]
    heldout: tuple[str, ...]
    runs: tuple[int, ...]
    lacks_judge: bool
    is_deterministic: bool


def calibration_plan(project: Project, set_name: str, model_version: str) -> CalibrationPlan:
    """The plan for a golden set, a suite or a calibration suite and one model version.

    For a suite, the calibration suites of the same extractor give the pairs; a calibration suite
    gives its own. An extractor in code says the same every time, so one pass of it is all there is.

    Raises:
        UnknownNameError, InputError: there is no such set, or it does not load.
        RefusedError: the model version cannot serve the set.
    """
    kind = project.kind_of(set_name)
    is_deterministic = serving(project, set_name, model_version).code is not None
    runs = run_indices_of(project, model_version)
    sources: tuple[str, ...] = (set_name,)
    heldout: tuple[str, ...] = (set_name,)
    if kind is SetKind.CLAIMS:
        sources = populations_of(project, set_name, model_version)
        heldout = tuple(_suites_beside(project, set_name, model_version, project.set_names()))
    return CalibrationPlan(
        set_name=set_name,
        model_version=model_version,
        kind=kind,
        sources=sources,
        heldout=heldout,
        runs=runs[:1] if is_deterministic else runs,
        lacks_judge=kind is SetKind.CLAIMS and lacks_judge(project, model_version),
        is_deterministic=is_deterministic,
    )


def populations_of(project: Project, set_name: str, model_version: str) -> tuple[str, ...]:
    """The calibration suites that a fit for a suite takes its pairs from."""
    if set_name in project.calibration_names():
        return (set_name,)
    return tuple(_suites_beside(project, set_name, model_version, project.calibration_names()))


def unserved_populations(project: Project, set_name: str, model_version: str) -> tuple[str, ...]:
    """The calibration suites of a suite's extractor that a model version cannot serve."""
    extractors = claim_extractors(project)
    owners = set(owner_of(project.suite(set_name).source_types, extractors))
    return tuple(
        name
        for name in project.calibration_names()
        if owners & set(owner_of(project.suite(name).source_types, extractors))
        and model_version not in models_for(project, name)
    )


def calibration_cells(
    project: Project, name: str, models: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """(set, model version) of each fit that a name asks for: a set's, or those of an extractor.

    An extractor's fits belong to its suites; where it has none, to its calibration suites.

    Raises:
        UnknownNameError: the name is neither a set nor an extractor, or a model version is unknown.
        InputError: it is the name of a suite that does not load.
        RefusedError: nothing can be calibrated under that name.
    """
    for model in models:
        project.model(model)
    extractors = [one.extractor_id for one in claim_extractors(project)]
    if name in (*project.set_names(), *project.calibration_names()):
        sets: tuple[str, ...] = (name,)
    elif name in extractors:
        sets = suites_of(project, name, _suite_names(project)) or suites_of(
            project, name, project.calibration_names()
        )
    else:
        raise project.no_set_error(name, what="extractor or set", beside=extractors)
    cells = tuple(
        (set_name, model)
        for set_name in sets
        for model in models_for(project, set_name)
        if not models or model in models
    )
    if not cells:
        raise RefusedError(_no_cell(project, name, sets, models))
    return cells


def fit_digests(project: Project, plan: CalibrationPlan) -> InputDigests:
    """The digests of all that a fit was made from, to tell later whether it still is.

    Raises:
        InputError: a set that it was made from does not load.
    """
    names = dict.fromkeys((plan.set_name, *plan.sources, *plan.heldout))
    found = [input_digests(project, name, plan.model_version) for name in names]
    prompts = [one.prompt for one in found if one.prompt is not None]
    return InputDigests(
        corpus=digest_parts(*(one.corpus for one in found)),
        prompt=digest_parts(*prompts) if prompts else None,
        extractor=digest_parts(*(one.extractor for one in found)),
        gold=digest_parts(*(one.gold for one in found)),
        schema=digest_parts(*(one.schema for one in found)),
        judge=digest_parts(*(one.judge for one in found)),
        question=digest_parts(*(one.question or "" for one in found)),
    )


def _suites_beside(
    project: Project, set_name: str, model_version: str, names: Sequence[str]
) -> Iterator[str]:
    """Those of the named suites that have the same owner and that the model version can serve."""
    extractors = claim_extractors(project)
    owners = set(owner_of(project.suite(set_name).source_types, extractors))
    for name in names:
        if project.kind_of(name) is not SetKind.CLAIMS:
            continue
        is_beside = owners & set(owner_of(project.suite(name).source_types, extractors))
        if is_beside and model_version in models_for(project, name):
            yield name


def _suite_names(project: Project) -> tuple[str, ...]:
    return tuple(name for name in project.set_names() if project.kind_of(name) is SetKind.CLAIMS)


def _no_cell(project: Project, name: str, sets: Sequence[str], models: Sequence[str]) -> str:
    if not sets:
        return (
            f"{name}: no suite and no calibration suite routes to it, so there is nothing to fit "
            "on. Write one under suites/calibration/ (docs/how-to/calibrate.md)."
        )
    able = sorted({model for set_name in sets for model in models_for(project, set_name)})
    if models:
        return (
            f"{name}: {', '.join(models)} cannot serve {', '.join(sets)}; those that can: "
            f"{', '.join(able) or 'none'}."
        )
    usual = models_of_extractor(project, name) if name not in sets else ()
    offer = f" ({', '.join(usual)})" if usual else ""
    return (
        f"{name}: no model version{offer} can serve {', '.join(sets)}. Add one under "
        "[tool.evals.models] in pyproject.toml."
    )

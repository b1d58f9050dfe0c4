"""Gathers what the HTML page shows: figures, gates, misses with their places, changes, costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.figures import ClaimFigures, SetFigures
from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import GoldenSet
from evals_pipeline.pipeline.answer_spending import answer_cost
from evals_pipeline.pipeline.calibration import fits_of
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.grid import models_for, serving
from evals_pipeline.pipeline.passages import passages_of_claims
from evals_pipeline.pipeline.places import places_of_misses
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.prompt_changes import history_of, prompt_change, subject_of
from evals_pipeline.pipeline.scoring import StoredFigures, read_figures
from evals_pipeline.pipeline.stamps import commit_of, package_version
from evals_pipeline.pipeline.threshold_curves import curve_of
from evals_pipeline.report.html.page import (
    GoldenModel,
    GoldenSection,
    Measured,
    ReportPage,
    ShownFit,
    SuiteModel,
    SuiteSection,
    Unmeasured,
)
from evals_pipeline.score.slices import slices_of

Told = Callable[[str], None]
"""Called with the name of each set and model version before it is gathered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What goes on the page: (set, model version) cells, and the revision to gate against."""

    cells: tuple[tuple[str, str], ...]
    since: str | None = None
    made_at: datetime | None = None


def report_cells(
    project: Project, sets: Sequence[str], models: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Every set and model version that is asked for; all sets and all that can serve by default."""
    return tuple(
        (name, model)
        for name in sets
        for model in models_for(project, name)
        if not models or model in models
    )


def gather_page(
    project: Project, request: PageRequest, *, on_cell: Told | None = None
) -> ReportPage:
    """The page of the cells that have figures; the others are named with what makes some.

    Raises:
        RefusedError: not one cell has figures.
    """
    by_set: dict[str, list[str]] = {}
    for name, model in request.cells:
        by_set.setdefault(name, []).append(model)
    golden: list[GoldenSection] = []
    suites: list[SuiteSection] = []
    failures: list[str] = []
    for name, models in by_set.items():
        try:
            if project.kind_of(name) is SetKind.FIELDS:
                golden.append(_golden(project, name, models, request.since, on_cell))
            else:
                suites.append(_suite(project, name, models, on_cell))
        except InputError as error:
            failures.extend(str(fault) for fault in error.faults)
    has_figures = any(one.models for one in golden) or any(one.models for one in suites)
    if not has_figures:
        raise RefusedError("\n".join(failures) or _nothing(request))
    return ReportPage(
        project=project.root.name,
        made_at=request.made_at or datetime.now(UTC),
        commit=commit_of(project.root),
        subject=subject_of(project.root),
        package_version=package_version(),
        golden=tuple(golden),
        suites=tuple(suites),
        failures=tuple(failures),
    )


def _nothing(request: PageRequest) -> str:
    if not request.cells:
        return (
            'selected 0 sets and model versions, so there is nothing to report. See "evals list".'
        )
    sets = " ".join(dict.fromkeys(name for name, _ in request.cells))
    return f'nothing is scored for what was asked. Run "evals run {sets}".'


# --- golden sets --------------------------------------------------------------------------------


def _golden(
    project: Project, name: str, models: Sequence[str], since: str | None, on_cell: Told | None
) -> GoldenSection:
    golden = project.golden_set(name)
    found: list[GoldenModel] = []
    missing: list[Unmeasured] = []
    for model in models:
        _tell(on_cell, name, model)
        stored = read_figures(project, name, model)
        if stored is None or not isinstance(stored.figures, SetFigures):
            missing.append(_unmeasured(name, model))
            continue
        found.append(_golden_model(project, golden, stored, stored.figures, since=since))
    return GoldenSection(
        set_name=name,
        n_documents=len(golden.documents),
        models=tuple(found),
        slices={one.fixture.fixture_id: tuple(slices_of(one)) for one in golden.documents},
        disagreement_limit=float(golden.gate.disagreement),
        unmeasured=tuple(missing),
        warnings=golden.warnings,
    )


def _golden_model(
    project: Project,
    golden: GoldenSet,
    stored: StoredFigures,
    figures: SetFigures,
    *,
    since: str | None,
) -> GoldenModel:
    model = figures.model_version
    places = places_of_misses(golden, figures)
    default = golden.gate.tolerance
    return GoldenModel(
        measured=_measured(project, golden.name, model, stored, since),
        figures=figures,
        gate=gate_model(project, golden.name, model, since=since),
        tolerances={spec.name: str(spec.tolerance or default) for spec in golden.fields},
        places=places.places,
        n_not_looked_for=places.n_not_looked_for,
        history=history_of(project, golden.name, model, figures),
    )


# --- claim suites -------------------------------------------------------------------------------


def _suite(
    project: Project, name: str, models: Sequence[str], on_cell: Told | None
) -> SuiteSection:
    suite = project.suite(name)
    judge = project.settings.judge
    with_text = project.settings.record_claim_text
    found: list[SuiteModel] = []
    missing: list[Unmeasured] = []
    for model in models:
        _tell(on_cell, name, model)
        stored = read_figures(project, name, model)
        if stored is None or not isinstance(stored.figures, ClaimFigures):
            missing.append(_unmeasured(name, model))
            continue
        figures = stored.figures
        found.append(
            SuiteModel(
                measured=_measured(project, name, model, stored, None),
                figures=figures,
                curve=curve_of(project, suite, figures, judge),
                passages=passages_of_claims(suite, figures) if with_text else {},
            )
        )
    return SuiteSection(
        set_name=name,
        title=suite.name,
        version=suite.version,
        n_cases=len(suite.cases),
        judge=judge_words(judge),
        threshold=judge.threshold,
        models=tuple(found),
        with_claim_text=with_text,
        unmeasured=tuple(missing),
        warnings=suite.warnings,
    )


def judge_words(judge: JudgeSettings) -> str:
    """How claims are judged, in a line."""
    who = "sentence embeddings" if judge.kind is JudgeKind.EMBEDDING else "an LLM within a band"
    asked = "the LLM"
    if judge.plugin is not None:
        who, asked = f"the judge {judge.plugin} within a band", judge.plugin
    how = "greedily" if judge.assignment is Assignment.GREEDY else "by optimal assignment"
    guards = {
        GuardMode.FLAG: "guards flag",
        GuardMode.JUDGE: f"guards ask {asked}",
        GuardMode.REJECT: "guards reject",
    }
    return f"{who} at {judge.threshold:g}, matched {how}, {guards[judge.guards]}"


# --- both ---------------------------------------------------------------------------------------


def _measured(
    project: Project, name: str, model: str, stored: StoredFigures, since: str | None
) -> Measured:
    how = serving(project, name, model)
    return Measured(
        model_version=model,
        extractor=how.extractor_id,
        stamp=stored.stamp,
        digests=stored.digests,
        outdated=stored.outdated,
        cost=answer_cost(project, name, model, stored.figures.run_indices),
        change=prompt_change(project, name, model, since=since),
        fits=_fits(project, name, model),
    )


def _fits(project: Project, name: str, model: str) -> tuple[ShownFit, ...]:
    found = fits_of(project, name, model)
    if found is None:
        return ()
    day = found.stamp.at.date().isoformat()
    return tuple(ShownFit(fit=fit, day=day, is_outdated=found.is_outdated) for fit in found.fits)


def _unmeasured(name: str, model: str) -> Unmeasured:
    return Unmeasured(model_version=model, reason=f'Run "evals run {name} --model {model}".')


def _tell(on_cell: Told | None, name: str, model: str) -> None:
    if on_cell is not None:
        on_cell(f"{name}, {model}")

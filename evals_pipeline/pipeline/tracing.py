"""From a figure down to its fixtures: metric, matches, extraction, answer, prompt, document."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from evals_pipeline.core.claim_text import case_without_text
from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.figures import ClaimFigures, SetFigures
from evals_pipeline.core.label_history import corrections_of, labeller_of
from evals_pipeline.core.records import Fixture, GoldenDocument
from evals_pipeline.core.run_records import Extraction, FieldMatch, JudgedCase, PartitionKey
from evals_pipeline.core.similarity import clamped
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import StoredFigures, read_figures


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """One judged thing under a figure, with the keys that lead back to its source.

    ``counts`` says how it enters the figure: ``for``, ``against``, or ``apart`` (not counted).
    ``labelled_by``, ``labelled_at`` and ``corrections`` are of a field's label as it is today.
    """

    document: str
    fixture_id: str
    fixture_sha256: str
    path: str | None
    run_index: int
    outcome: str
    counts: str
    want: str | None
    got: str | None
    steps: tuple[str, ...]
    status: str
    reason: str | None
    extractor: str
    prompt_sha256: str | None
    answer_key: str | None
    provider_model: str | None
    run_id: str
    commit: str | None
    labelled_by: str | None = None
    labelled_at: str | None = None
    corrections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A figure with everything under it."""

    set_name: str
    model_version: str
    figure: str
    value: float | None
    reason: str | None
    run_indices: tuple[int, ...]
    run_id: str
    commit: str | None
    outdated: tuple[str, ...]
    rows: tuple[TraceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """One partition's extractions by fixture, with who made them."""

    extractions: dict[str, Extraction]
    run_id: str
    commit: str | None


def trace_figure(
    project: Project,
    set_name: str,
    model_version: str,
    *,
    figure: str | None = None,
    fixture: str | None = None,
) -> Trace:
    """The walk from one figure of a set down to its fixtures.

    Args:
        project: Where everything is.
        set_name: Golden set or suite.
        model_version: Whose figure.
        figure: A field of a golden set or a metric of a suite; None takes every field, or
            precision.
        fixture: Only this document: its name, its id or a prefix of it.

    Raises:
        RefusedError: nothing is scored.
        UnknownNameError: no such field, metric or document.
    """
    stored = read_figures(project, set_name, model_version)
    if stored is None:
        message = (
            f"{set_name}: nothing is scored for {model_version}. "
            f'Run "evals run {set_name} --model {model_version}".'
        )
        raise RefusedError(message)
    fixtures = _chosen(fixtures_of(project, set_name), fixture)
    if isinstance(stored.figures, SetFigures):
        return _trace_fields(project, stored, stored.figures, figure, fixtures)
    return _trace_claims(project, stored, stored.figures, figure or "precision", fixtures)


def _chosen(fixtures: dict[str, Fixture], wanted: str | None) -> dict[str, Fixture]:
    if wanted is None:
        return fixtures
    found = {
        key: one for key, one in fixtures.items() if one.name == wanted or key.startswith(wanted)
    }
    if not found:
        names = [one.name for one in fixtures.values()]
        raise UnknownNameError("document", wanted, names)
    return found


def _trace_fields(
    project: Project,
    stored: StoredFigures,
    figures: SetFigures,
    field: str | None,
    fixtures: dict[str, Fixture],
) -> Trace:
    by_name = {one.field: one for one in figures.fields}
    if field is not None and field not in by_name:
        raise UnknownNameError("field", field, tuple(by_name))
    golden = project.golden_set(figures.set_name)
    documents = {
        document.fixture.fixture_id: document
        for document in golden.documents
        if document.fixture.fixture_id in fixtures
    }
    rows = [
        _field_row(match, cell, documents[match.fixture_id])
        for key, cell in _cells(project, figures)
        for match in project.store.iter_field_matches(key)
        if match.fixture_id in documents and field in (None, match.field)
    ]
    value = by_name[field].accuracy if field else figures.correct / figures.n if figures.n else None
    return _trace(stored, figures, field or "every field", rows, value=value)


def _field_row(match: FieldMatch, cell: _Cell, document: GoldenDocument) -> TraceRow:
    row = _row(
        cell,
        document.fixture,
        run_index=match.run_index,
        outcome=f"{match.field}: {match.outcome.value}",
        counts="for" if match.outcome.is_correct else "against",
        want=match.want,
        got=match.got,
        steps=match.trace,
    )
    labeller = labeller_of(document, match.field)
    return replace(
        row,
        labelled_by=labeller.by,
        labelled_at=labeller.at,
        corrections=corrections_of(document, match.field),
    )


def _trace_claims(
    project: Project,
    stored: StoredFigures,
    figures: ClaimFigures,
    metric: str,
    fixtures: dict[str, Fixture],
) -> Trace:
    if metric not in figures.metrics:
        raise UnknownNameError("metric", metric, tuple(figures.metrics))
    with_text = project.settings.record_claim_text
    rows: list[TraceRow] = []
    for key, cell in _cells(project, figures):
        judged = project.store.read_judged_cases(key)
        for case in judged.cases if judged else ():
            fixture = fixtures.get(case.case_id)
            if fixture is not None:
                told = case if with_text else case_without_text(case)
                rows.extend(_claim_rows(told, cell, fixture, metric))
    found = figures.metrics[metric]
    return _trace(stored, figures, metric, rows, value=found.mean, reason=found.reason)


def _claim_rows(case: JudgedCase, cell: _Cell, fixture: Fixture, metric: str) -> Iterator[TraceRow]:
    if metric == "recall":
        for gold in case.gold:
            is_for = gold.outcome.value == "matched"
            counted = "for" if is_for else "against"
            yield _row(
                cell,
                fixture,
                run_index=case.run_index,
                outcome=gold.outcome.value,
                counts=counted if gold.gold.required else "apart",
                want=gold.gold.content,
                got=case.claims[gold.claim_index].claim.content
                if gold.claim_index is not None
                else None,
                steps=_near_steps(gold.similarity),
            )
        return
    for claim in case.claims:
        is_for = claim.outcome.value == "matched"
        yield _row(
            cell,
            fixture,
            run_index=case.run_index,
            outcome=claim.outcome.value,
            counts="for" if is_for else "against",
            want=case.gold[claim.gold_index].gold.content if claim.gold_index is not None else None,
            got=claim.claim.content,
            steps=(*_near_steps(claim.similarity), *claim.suspect),
        )


def _near_steps(similarity: float | None) -> tuple[str, ...]:
    return () if similarity is None else (f"similarity {clamped(similarity):.3f}",)


def _row(
    cell: _Cell,
    fixture: Fixture,
    *,
    run_index: int,
    outcome: str,
    counts: str,
    want: str | None,
    got: str | None,
    steps: tuple[str, ...],
) -> TraceRow:
    extraction = cell.extractions.get(fixture.fixture_id)
    origin = extraction.provenance if extraction else None
    return TraceRow(
        document=fixture.name,
        fixture_id=fixture.fixture_id,
        fixture_sha256=fixture.sha256,
        path=None if fixture.path is None else str(fixture.path),
        run_index=run_index,
        outcome=outcome,
        counts=counts,
        want=want,
        got=got,
        steps=steps,
        status=extraction.status.value if extraction else "absent",
        reason=extraction.reason if extraction else "not extracted",
        extractor=origin.extractor if origin else "",
        prompt_sha256=origin.prompt_sha256 if origin else None,
        answer_key=origin.answer_key if origin else None,
        provider_model=origin.provider_model if origin else None,
        run_id=cell.run_id,
        commit=cell.commit,
    )


def _cells(
    project: Project, figures: SetFigures | ClaimFigures
) -> Iterator[tuple[PartitionKey, _Cell]]:
    for run_index in figures.run_indices:
        key = PartitionKey(
            set_name=figures.set_name, model_version=figures.model_version, run_index=run_index
        )
        stored = project.store.read_extractions(key)
        if stored is not None:
            found = {one.fixture_id: one for one in stored.extractions}
            yield (
                key,
                _Cell(extractions=found, run_id=stored.stamp.run_id, commit=stored.stamp.commit),
            )


def _trace(
    stored: StoredFigures,
    figures: SetFigures | ClaimFigures,
    figure: str,
    rows: list[TraceRow],
    *,
    value: float | None,
    reason: str | None = None,
) -> Trace:
    return Trace(
        set_name=figures.set_name,
        model_version=figures.model_version,
        figure=figure,
        value=value,
        reason=reason,
        run_indices=figures.run_indices,
        run_id=stored.stamp.run_id,
        commit=stored.stamp.commit,
        outdated=stored.outdated,
        rows=tuple(rows),
    )

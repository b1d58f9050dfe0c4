"""Fixtures to extractions: one cell of a set's grid at a time."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.answer_costs import cost_of
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, SetKind
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import Extraction, PartitionKey, RunStamp, StatusCounts
from evals_pipeline.extract.predictions import BoundPredictions, PredictionFile
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.pipeline.digests import input_digests, same_extraction
from evals_pipeline.pipeline.documents import field_names, fixtures_of, source_documents
from evals_pipeline.pipeline.grid import Serving, models_for, run_indices_of, serving
from evals_pipeline.pipeline.model_answers import ask_model, record_of, recorded_extractions
from evals_pipeline.pipeline.project import Project

Progress = Callable[[int, int], None]
"""Called with (done, planned) as documents are finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSummary:
    """What one partition's extraction did.

    ``is_absent``: the model version has no such run (a predictions file with fewer runs), so
    nothing is stored. ``is_current``: what is stored is of today's inputs, so nothing was done.
    ``cost_usd`` is what these answers cost when they were first paid for, of which ``spent_usd`` is
    new; both leave out the ``n_unpriced`` answers whose price is unknown, and are None where no
    other one tells.
    """

    key: PartitionKey
    counts: StatusCounts
    n_calls: int = 0
    n_recorded: int = 0
    cost_usd: Decimal | None = None
    spent_usd: Decimal | None = None
    n_unpriced: int = 0
    is_absent: bool = False
    is_current: bool = False
    note: str | None = None


def extract_partition(
    project: Project,
    key: PartitionKey,
    *,
    stamp: RunStamp,
    fresh: bool = False,
    redo: bool = False,
    on_progress: Progress | None = None,
) -> ExtractionSummary:
    """Extracts every planned fixture of a set with one model version in one run, and stores it.

    A document's failure is its status, never an exception. What is stored already from the same
    document, prompt and extractor is kept, unless ``redo`` or ``fresh`` (sample anew) is given, or
    a failure of a model's call is to be tried again.

    Raises:
        InputError: the set, its prompt or its predictions file is faulty.
        RefusedError: the model version cannot serve the set.
        SetupError: nothing could be done at all (no key, no server, storage is read-only).
    """
    how = serving(project, key.set_name, key.model_version)
    today = input_digests(project, key.set_name, key.model_version)
    fixtures = fixtures_of(project, key.set_name)
    header = project.store.header("extractions", key)
    if header is not None and header.digests is not None and not (redo or fresh):
        is_same = same_extraction(header.digests, today)
        if is_same and not (how.prompt_path is not None and to_retry(project, key)):
            counts = count_statuses(project.store.iter_extractions(key), planned=len(fixtures))
            return ExtractionSummary(key=key, counts=counts, is_current=True)
    if key.run_index not in run_indices_of(project, key.model_version):
        return _absent(key, len(fixtures), f"the settings give {key.model_version} fewer runs")
    if how.predictions_path is not None:
        bound = bind_predictions(project, key.set_name, how)
        if key.run_index not in bound.runs():
            note = f"{how.predictions_path.name} has no run {key.run_index}"
            return _absent(key, len(fixtures), note)
        found = list(
            _watched(_predicted(bound, fixtures.values(), key), on_progress, len(fixtures))
        )
        return _stored(project, key, found, fixtures, stamp)
    if how.code is not None:
        running = _coded(project, how, key)
        found = list(_watched(running, on_progress, len(fixtures)))
        return _stored(project, key, found, fixtures, stamp)
    found = ask_model(project, how, key, stamp=stamp, fresh=fresh, on_progress=on_progress)
    return _stored(project, key, found, fixtures, stamp)


def _absent(key: PartitionKey, n_fixtures: int, note: str) -> ExtractionSummary:
    counts = StatusCounts(planned=n_fixtures, ok=0, absent=n_fixtures)
    return ExtractionSummary(key=key, counts=counts, is_absent=True, note=note)


def bind_predictions(project: Project, set_name: str, how: Serving) -> BoundPredictions:
    """A model version's predictions file tied to a set's documents.

    Raises:
        InputError: the file is missing or has faulty lines; all of them.
    """
    if how.predictions_path is None:
        raise TypeError("only a model version with a predictions file can be bound")
    output = OutputKind.FIELDS if project.kind_of(set_name) is SetKind.FIELDS else OutputKind.CLAIMS
    return PredictionFile.open(how.predictions_path).bind(
        list(fixtures_of(project, set_name).values()),
        output=output,
        field_names=field_names(project, set_name),
        model=how.model.provider_model if how.model.provider_model else None,
    )


def count_statuses(extractions: Iterable[Extraction], *, planned: int) -> StatusCounts:
    """The ledger of some extractions over the planned ones."""
    found = Counter(one.status for one in extractions)
    return StatusCounts(
        planned=planned,
        ok=found[ExtractionStatus.OK],
        declined=found[ExtractionStatus.DECLINED],
        error=found[ExtractionStatus.ERROR],
        truncated=found[ExtractionStatus.TRUNCATED],
        unparsable=found[ExtractionStatus.UNPARSABLE],
        absent=planned - sum(found.values()),
    )


def to_retry(project: Project, key: PartitionKey) -> bool:
    """Whether a partition holds a failed or truncated call of a model that would be made again.

    What a committed recording holds is final, a truncated answer too.
    """
    return any(asked_again(project, key, project.store.iter_extractions(key)))


def asked_again(
    project: Project, key: PartitionKey, found: Iterable[Extraction]
) -> Iterator[Extraction]:
    """Those of some extractions whose failed or truncated call would be made again."""
    record = record_of(project, project.model(key.model_version))
    pin = Endpoint.of_settings(project.model(key.model_version)).pin
    for one in found:
        if one.status not in (ExtractionStatus.ERROR, ExtractionStatus.TRUNCATED):
            continue
        answer_key = one.provenance.answer_key
        if answer_key is None or record.find(answer_key, pin=pin) is None:
            yield one


def known_extractions(
    project: Project, how: Serving, key: PartitionKey, *, fresh: bool = False
) -> dict[str, Extraction]:
    """The extractions of a run that can be told without a call, by fixture id.

    Stored ones of today's inputs, what code says, a file's predictions, and recorded answers; with
    ``fresh`` of a model none, since it is sampled anew.
    """
    if how.prompt_path is not None and fresh:
        return {}
    stored = _stored_today(project, how, key)
    if stored is not None:
        return stored
    if how.predictions_path is not None:
        bound = bind_predictions(project, key.set_name, how)
        fixtures = fixtures_of(project, key.set_name).values()
        found = list(_predicted(bound, fixtures, key)) if key.run_index in bound.runs() else []
    elif how.code is not None:
        found = list(_coded(project, how, key))
    else:
        found = recorded_extractions(project, how, key)
    return {one.fixture_id: one for one in found}


def _stored_today(
    project: Project, how: Serving, key: PartitionKey
) -> dict[str, Extraction] | None:
    header = project.store.header("extractions", key)
    if header is None or header.digests is None:
        return None
    if key.model_version not in models_for(project, key.set_name):
        return None  # off the grid: the rows, if there are any, are no answers of today
    on_grid = serving(project, key.set_name, key.model_version)
    today = input_digests(project, key.set_name, key.model_version)
    if on_grid.extractor_id != how.extractor_id or not same_extraction(header.digests, today):
        return None
    found = {one.fixture_id: one for one in project.store.iter_extractions(key)}
    if how.prompt_path is not None:
        for one in list(asked_again(project, key, found.values())):
            del found[one.fixture_id]
    return found


def _predicted(
    bound: BoundPredictions, fixtures: Iterable[Fixture], key: PartitionKey
) -> Iterator[Extraction]:
    for fixture in fixtures:
        yield bound.extraction(fixture, key.run_index)


def _coded(project: Project, how: Serving, key: PartitionKey) -> Iterator[Extraction]:
    if how.code is None:
        return
    names = field_names(project, key.set_name)
    for document in source_documents(project, key.set_name):
        yield run_code_extractor(how.code, document, run_index=key.run_index, required_fields=names)


def _watched(
    found: Iterable[Extraction], on_progress: Progress | None, planned: int
) -> Iterator[Extraction]:
    for done, one in enumerate(found, start=1):
        yield one
        if on_progress is not None:
            on_progress(done, planned)


def _stored(
    project: Project,
    key: PartitionKey,
    found: Sequence[Extraction],
    fixtures: dict[str, Fixture],
    stamp: RunStamp,
) -> ExtractionSummary:
    digests = input_digests(project, key.set_name, key.model_version)
    project.store.write_extractions(key, found, fixtures, digests, stamp)
    costs = [one.provenance.cost for one in found if one.provenance.cost is not None]
    total = cost_of(found)
    new = cost_of(one for one in found if (cost := one.provenance.cost) and cost.is_new)
    return ExtractionSummary(
        key=key,
        counts=count_statuses(found, planned=len(fixtures)),
        n_calls=sum(1 for cost in costs if cost.is_new),
        n_recorded=sum(1 for cost in costs if not cost.is_new),
        cost_usd=total.usd,
        spent_usd=new.usd if new.n_answers else Decimal(0),
        n_unpriced=total.n_metered - total.n_priced,
    )

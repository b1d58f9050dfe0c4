"""Figures of a golden set: per field, over every planned document and run.

``accuracy`` of a field = correct / (planned documents × runs). A document that failed in a run
counts as wrong in every field. No figure is an average over fields; the overall count of the set
is information.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import FieldFigures, SetFigures
from evals_pipeline.core.intervals import wilson
from evals_pipeline.core.label_history import labeller_of
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import GatePolicy, GoldenSet
from evals_pipeline.core.run_records import FieldMatch, StatusCounts
from evals_pipeline.score.calibration import calibration_figures
from evals_pipeline.score.slices import slice_figures
from evals_pipeline.score.tally import FieldTally, LabelPresence
from evals_pipeline.score.unknown_fields import UnknownFields


def score_fields(
    golden: GoldenSet,
    matches: Iterable[FieldMatch],
    *,
    model_version: str,
    run_indices: Sequence[int],
    statuses: StatusCounts | Callable[[], StatusCounts],
    unknown: UnknownFields | None = None,
) -> SetFigures:
    """Scores judged fields as they stream by, in any order.

    Memory grows with documents × fields and with the misses, not with the runs.

    Args:
        golden: The set as it is now; its documents and fields are what was planned.
        matches: At most one match per document, field and run index; absent ones are errors.
        model_version: Whose answers they are.
        run_indices: The runs that were planned.
        statuses: How the extractions ended, over the same documents and runs; a function is
            called when the matches have streamed by.
        unknown: Names beyond the set's fields, counted by then; they become a note.

    Raises:
        RefusedError: A match is of a document, field or run that is not planned, or comes twice.
    """
    runs = tuple(run_indices)
    tallies = {spec.name: FieldTally(spec, golden.documents, len(runs)) for spec in golden.fields}
    _count(golden, matches, tallies, runs)
    for tally in tallies.values():
        tally.close(runs)
    ledger = statuses() if callable(statuses) else statuses
    return SetFigures(
        set_name=golden.name,
        model_version=model_version,
        run_indices=runs,
        fields=tuple(_field_figures(tally, golden.gate) for tally in tallies.values()),
        slices=slice_figures(golden.documents, tallies.values()),
        statuses=ledger,
        n=sum(tally.n for tally in tallies.values()),
        correct=sum(tally.correct for tally in tallies.values()),
        notes=(*_notes(ledger), *(unknown.notes() if unknown else ())),
    )


def _count(
    golden: GoldenSet,
    matches: Iterable[FieldMatch],
    tallies: dict[str, FieldTally],
    runs: tuple[int, ...],
) -> None:
    document_places = {
        document.fixture.fixture_id: place for place, document in enumerate(golden.documents)
    }
    run_places = {run_index: place for place, run_index in enumerate(runs)}
    for match in matches:
        tally = tallies.get(match.field)
        document = document_places.get(match.fixture_id)
        run = run_places.get(match.run_index)
        if tally is None or document is None or run is None:
            raise RefusedError(_not_planned(golden, match, runs))
        tally.add(match, document=document, run=run)


def _not_planned(golden: GoldenSet, match: FieldMatch, runs: tuple[int, ...]) -> str:
    return (
        f"{golden.name}: a judged row is of field {match.field!r} of document {match.fixture_id} "
        f"in run {match.run_index}, which the set does not plan (runs {list(runs)}); the set "
        f'changed since it was judged. Run "evals run {golden.name}".'
    )


def _field_figures(tally: FieldTally, policy: GatePolicy) -> FieldFigures:
    n_documents = len(tally.presence)
    interval = wilson(tally.correct, tally.n)
    n_values = tally.n_labelled(LabelPresence.VALUE)
    n_absences = tally.n_labelled(LabelPresence.ABSENT)
    disagreement = _ratio(tally.n_disagreeing, tally.n_compared)
    alone = tally.lone_wrong_document()
    return FieldFigures(
        field=tally.spec.name,
        kind=tally.spec.kind,
        weight=tally.spec.weight,
        n=tally.n,
        correct=tally.correct,
        accuracy=_share(tally.correct, tally.n),
        ci_low=None if interval is None else interval.low,
        ci_high=None if interval is None else interval.high,
        value_recall=_share(tally.value_correct, n_values),
        invention_rate=_share(tally.outcomes[FieldOutcome.INVENTED], n_absences),
        disagreement=None if disagreement is None else float(disagreement),
        is_unstable=disagreement is not None and disagreement >= policy.disagreement,
        outcomes={outcome: tally.outcomes[outcome] for outcome in FieldOutcome},
        misses=tuple(tally.misses),
        documents=tally.document_tallies(),
        accuracy_by_run=tuple(_share(correct, n_documents) for correct in tally.correct_by_run),
        calibration=calibration_figures(
            list(tally.confidence_pairs()), n_left_out=tally.n_left_out
        ),
        lone_miss=None
        if alone is None
        else f"{alone.fixture.name}, labelled by {labeller_of(alone, tally.spec.name).by}",
        n_values=n_values,
        n_absences=n_absences,
        n_compared=tally.n_compared,
    )


def _ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _notes(statuses: StatusCounts) -> tuple[str, ...]:
    if statuses.ok == statuses.planned:
        return ()
    counts = {
        "declined": statuses.declined,
        "error": statuses.error,
        "truncated": statuses.truncated,
        "unparsable": statuses.unparsable,
        "absent": statuses.absent,
    }
    parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return (
        f"{statuses.planned - statuses.ok} of {statuses.planned} extractions gave no values "
        f"({parts}); they count as wrong in every field",
    )

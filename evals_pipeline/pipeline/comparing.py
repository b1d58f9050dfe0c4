"""Model versions, or extractors, side by side: paired on the same fixtures, with what they cost."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from evals_pipeline.baseline.noise import mcnemar
from evals_pipeline.baseline.pairing import Pair, mean_share, pair_documents, summed_up
from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures, DocumentTally, SetFigures
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome, SetKind
from evals_pipeline.core.run_records import JudgedCase, JudgedGold
from evals_pipeline.pipeline.answer_spending import answer_cost
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import AnyFigures, read_figures
from evals_pipeline.report.comparison import ComparedRow, ComparedSide, Comparison, Counts

_UNPAIRED = ("calibration_error", "calibration_error_semantic")


def compare_models(
    project: Project, sets: Sequence[str], models: Sequence[str]
) -> tuple[Comparison, ...]:
    """The first model version beside each of the others, on every set that all can serve.

    Raises:
        UnknownNameError: a model version does not exist.
        RefusedError: a named one cannot serve a set, or has no figures of today's files; all of
            these reasons at once.
    """
    first, *others = models
    missing = [why for name in sets for model in models for why in _unfit(project, name, model)]
    if missing:
        raise RefusedError("\n".join(dict.fromkeys(missing)))
    return tuple(
        compare_figures(
            _figures(project, name, first),
            _figures(project, name, other),
            first=_side(project, name, first),
            second=_side(project, name, other),
        )
        for name in sets
        for other in others
    )


def compare_figures(
    one: AnyFigures, other: AnyFigures, *, first: ComparedSide, second: ComparedSide
) -> Comparison:
    """Two figures of one set, field by field or metric by metric.

    Raises:
        RefusedError: they are of different sets, or of different kinds.
    """
    if one.set_name != other.set_name:
        raise RefusedError(f"{one.set_name} and {other.set_name} are two sets; compare one.")
    if isinstance(one, SetFigures) and isinstance(other, SetFigures):
        rows, overall, kind = tuple(_fields(one, other)), _overall(one, other), SetKind.FIELDS
    elif isinstance(one, ClaimFigures) and isinstance(other, ClaimFigures):
        rows, overall, kind = tuple(_metrics(one, other)), None, SetKind.CLAIMS
    else:
        raise RefusedError(f"{one.set_name}: figures of claims and of fields do not compare.")
    return Comparison(
        set_name=one.set_name,
        kind=kind,
        first=first,
        second=second,
        rows=rows,
        overall=overall,
        notes=tuple(_notes(one, other)),
        set_version=one.set_version if isinstance(one, ClaimFigures) else None,
    )


def side_of(name: str, figures: AnyFigures, cost: AnswerCost | None) -> ComparedSide:
    """One side as the comparison names it."""
    return ComparedSide(
        name=name, n_runs=len(figures.run_indices), statuses=figures.statuses, cost=cost
    )


def _unfit(project: Project, set_name: str, model: str) -> Iterator[str]:
    serving(project, set_name, model)
    stored = read_figures(project, set_name, model)
    command = f'Run "evals run {set_name} --model {model}".'
    if stored is None:
        yield f"{set_name}: nothing is scored for {model}. {command}"
    elif stored.outdated:
        changed = ", ".join(stored.outdated)
        yield f"{set_name}: the figures of {model} are out of date, {changed} changed. {command}"


def _figures(project: Project, set_name: str, model: str) -> AnyFigures:
    stored = read_figures(project, set_name, model)
    if stored is None:
        raise RefusedError(f"{set_name}: nothing is scored for {model}.")
    return stored.figures


def _side(project: Project, set_name: str, model: str) -> ComparedSide:
    figures = _figures(project, set_name, model)
    return side_of(model, figures, answer_cost(project, set_name, model, figures.run_indices))


def _notes(one: AnyFigures, other: AnyFigures) -> Iterator[str]:
    if len(one.run_indices) != len(other.run_indices):
        yield (
            f"{len(one.run_indices)} runs beside {len(other.run_indices)}: a pair compares shares "
            "of runs"
        )
    for figures in (one, other):
        for note in figures.notes:
            yield f"{figures.model_version}: {note}"


# --- fields -------------------------------------------------------------------------------------


def _fields(one: SetFigures, other: SetFigures) -> Iterator[ComparedRow]:
    there = {figures.field: figures for figures in other.fields}
    for figures in one.fields_by_weight:
        if figures.field in there:
            pairs = pair_documents(figures.documents, there[figures.field].documents).gated
            yield _paired_row(figures.field, pairs, paired_on="document")


def _overall(one: SetFigures, other: SetFigures) -> ComparedRow:
    return ComparedRow(
        name="overall (information)",
        first=one.correct / one.n if one.n else None,
        second=other.correct / other.n if other.n else None,
        first_counts=Counts(right=one.correct, of=one.n),
        second_counts=Counts(right=other.correct, of=other.n),
    )


def _paired_row(name: str, pairs: Sequence[Pair], *, paired_on: str) -> ComparedRow:
    return ComparedRow(
        name=name,
        first=_share(mean_share(pair.before for pair in pairs)),
        second=_share(mean_share(pair.now for pair in pairs)),
        first_counts=_summed(pair.before for pair in pairs),
        second_counts=_summed(pair.now for pair in pairs),
        paired_on=paired_on,
        n_pairs=len(pairs),
        better=sum(pair.movement > 0 for pair in pairs),
        worse=sum(pair.movement < 0 for pair in pairs),
        p_value=mcnemar(pairs),
    )


def _summed(tallies: Iterable[DocumentTally]) -> Counts:
    right, of = summed_up(tallies)
    return Counts(right=right, of=of)


def _share(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


# --- claims -------------------------------------------------------------------------------------


def _metrics(one: ClaimFigures, other: ClaimFigures) -> Iterator[ComparedRow]:
    """Precision paired by case, recall by required gold claim; calibration errors as they are."""
    pairings: Mapping[str, tuple[str, Callable[[ClaimFigures], list[DocumentTally]]]] = {
        "precision": ("case", _claims_by_case),
        "recall": ("gold claim", _by_gold_claim),
    }
    for name in (*pairings, *_UNPAIRED):
        left, right = one.metrics[name], other.metrics[name]
        row = ComparedRow(
            name=name,
            first=left.mean,
            second=right.mean,
            first_counts=_counts(one, name),
            second_counts=_counts(other, name),
        )
        reason = left.reason or right.reason
        if name in _UNPAIRED or left.mean is None or right.mean is None:
            yield replace(row, reason=reason)
            continue
        paired_on, tallies = pairings[name]
        pairs = pair_documents(tallies(one), tallies(other)).gated
        yield replace(
            row,
            paired_on=paired_on,
            n_pairs=len(pairs),
            better=sum(pair.movement > 0 for pair in pairs),
            worse=sum(pair.movement < 0 for pair in pairs),
            p_value=mcnemar(pairs),
        )


def _counts(figures: ClaimFigures, metric: str) -> Counts:
    """What a metric is over, all runs together."""
    found = figures.counts
    match metric:
        case "precision":
            return Counts(right=found["matched"], of=found["emitted"])
        case "recall":
            return Counts(right=found["gold_required_matched"], of=found["gold_required"])
        case _:
            return Counts(right=None, of=figures.calibration.n)


def _claims_by_case(figures: ClaimFigures) -> list[DocumentTally]:
    """Per case, how many of its emitted claims matched, over all runs."""
    return _tallies(
        (case.case_id, claim.outcome is ClaimOutcome.MATCHED)
        for case in figures.cases
        for claim in case.claims
    )


def _by_gold_claim(figures: ClaimFigures) -> list[DocumentTally]:
    """Per required gold claim, in how many runs it was matched."""
    return _tallies(
        (f"{case.case_id}\n{position}", gold.outcome is GoldOutcome.MATCHED)
        for case in figures.cases
        for position, gold in _required(case)
    )


def _required(case: JudgedCase) -> Iterator[tuple[int, JudgedGold]]:
    for position, gold in enumerate(case.gold):
        if gold.gold.required:
            yield position, gold


def _tallies(found: Iterator[tuple[str, bool]]) -> list[DocumentTally]:
    counts: dict[str, list[int]] = {}
    for name, is_right in found:
        count = counts.setdefault(name, [0, 0])
        count[0] += is_right
        count[1] += 1
    return [
        DocumentTally(fixture_id=name, document=name, correct=right, n=n, gold_digest="")
        for name, (right, n) in counts.items()
    ]

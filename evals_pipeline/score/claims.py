"""The figures of a claim suite: precision, recall, calibration, per run and over the runs.

What could not be measured is null with its reason. A claim that the judge left open is neither a
match nor a miss, so a figure that needs it is null too; the notes say between which bounds it lies.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import (
    CalibrationFigures,
    ClaimFigures,
    ConfidencePair,
    Figure,
)
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, GoldOutcome
from evals_pipeline.core.run_records import JudgedCase, JudgedClaim, JudgedGold, StatusCounts
from evals_pipeline.score.calibration import calibration_figures, exact_calibration_error
from evals_pipeline.score.repeats import figure

METRICS = ("precision", "recall", "calibration_error", "calibration_error_semantic")

_FULL = frozenset({ClaimOutcome.MATCHED})
_SEMANTIC = frozenset({ClaimOutcome.MATCHED, ClaimOutcome.UNDER_CONFIDENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A metric of one run: its value, or why there is none."""

    value: Fraction | float | None
    reason: str | None = None


_RIGHT = {"calibration_error": _FULL, "calibration_error_semantic": _SEMANTIC}
"""Which outcomes a calibration error counts as right."""

_Metric: TypeAlias = Callable[[Sequence[JudgedCase]], Measured]


def score_claims(
    judged: Sequence[JudgedCase],
    *,
    set_name: str,
    model_version: str,
    run_indices: Sequence[int],
    statuses: StatusCounts,
) -> ClaimFigures:
    """The figures of a suite for one model version, each run pooled over the suite's cases.

    precision = matched emitted / emitted. recall = matched required gold / required gold, where
    the gold of a case whose extraction failed counts as missed. calibration_error counts a full
    match as right, calibration_error_semantic one below its floor too.

    Args:
        judged: Every case of every run; other runs than ``run_indices`` are refused.
        set_name: The suite's id.
        model_version: What answered.
        run_indices: The runs to report on, in order; a run without a case is unmeasured.
        statuses: The ledger of the extractions, all runs together; a run with fewer cases than
            planned is unmeasured.

    Raises:
        ValueError: A case of another run, or one case twice in a run.
    """
    _check_places(judged, run_indices)
    runs = {run: [case for case in judged if case.run_index == run] for run in run_indices}
    return ClaimFigures(
        set_name=set_name,
        model_version=model_version,
        run_indices=tuple(run_indices),
        metrics={
            name: _over_runs(runs, measure, n_planned=_planned_per_run(statuses, run_indices))
            for name, measure in _MEASURES.items()
        },
        counts=claim_counts(judged),
        statuses=statuses,
        calibration=_calibration(judged, right=_FULL),
        calibration_semantic=_calibration(judged, right=_SEMANTIC),
        cases=tuple(judged),
        notes=tuple(_notes(runs, statuses)),
    )


def exact_mean(figures: ClaimFigures, metric: str) -> Fraction | None:
    """The mean of a metric over the runs without any rounding: what a threshold is compared with.

    0.6, 0.8 and 1.0 have the mean 4/5, which no sum of doubles gives. None where the figure is.
    """
    if figures.metrics[metric].mean is None:
        return None
    shares = [
        _exact(metric, [case for case in figures.cases if case.run_index == run])
        for run in figures.run_indices
    ]
    return sum(shares, Fraction(0)) / len(shares)


def _exact(metric: str, cases: Sequence[JudgedCase]) -> Fraction:
    if metric in _RIGHT:
        return exact_calibration_error(_pairs(cases, right=_RIGHT[metric]))
    return Fraction(_MEASURES[metric](cases).value or 0)


def claim_counts(judged: Sequence[JudgedCase]) -> dict[str, int]:
    """What was counted, all runs pooled.

    ``emitted`` = matched + under_confidence + spurious + unjudged. ``gold``, required or not, =
    gold_matched + gold_under_confidence + missed + gold_unjudged. ``unjudged_pairs`` got
    no verdict; what is unjudged on either side hangs on one of them. ``confidence_left_out``:
    emitted claims without a usable confidence.
    """
    claims, gold = list(_claims(judged)), list(_gold(judged))
    required = [wanted for wanted in gold if wanted.gold.required]
    by_outcome = {
        outcome: sum(claim.outcome is outcome for claim in claims) for outcome in ClaimOutcome
    }
    by_gold = {
        outcome: sum(wanted.outcome is outcome for wanted in gold) for outcome in GoldOutcome
    }
    return {
        "emitted": len(claims),
        "matched": by_outcome[ClaimOutcome.MATCHED],
        "under_confidence": by_outcome[ClaimOutcome.UNDER_CONFIDENCE],
        "spurious": by_outcome[ClaimOutcome.SPURIOUS],
        "unjudged": by_outcome[ClaimOutcome.UNJUDGED],
        "suspect": sum(bool(claim.suspect) for claim in claims),
        "gold": len(gold),
        "gold_matched": by_gold[GoldOutcome.MATCHED],
        "gold_under_confidence": by_gold[GoldOutcome.UNDER_CONFIDENCE],
        "missed": by_gold[GoldOutcome.MISSED],
        "gold_unjudged": by_gold[GoldOutcome.UNJUDGED],
        "unjudged_pairs": sum(case.n_unjudged_pairs for case in judged),
        "gold_required": len(required),
        "gold_required_matched": sum(wanted.outcome is GoldOutcome.MATCHED for wanted in required),
        "confidence_left_out": sum(claim.claim.confidence is None for claim in claims),
        "skipped_cases": sum(case.status is ExtractionStatus.DECLINED for case in judged),
    }


def is_left_open(case: JudgedCase) -> bool:
    """Whether the judge left a pair of a case open, so that nothing may be decided on its figures.

    Looks at all three traces of one, so that no count that happens to be 0 lets anything pass.
    """
    return (
        case.n_unjudged_pairs > 0
        or any(claim.outcome is ClaimOutcome.UNJUDGED for claim in case.claims)
        or any(wanted.outcome is GoldOutcome.UNJUDGED for wanted in case.gold)
    )


def confidence_pairs(judged: Sequence[JudgedCase]) -> list[ConfidencePair]:
    """Stated confidences with whether the claim matched at all: what calibration is fitted on.

    Claims without a usable confidence, and unjudged ones, are not among them.
    """
    return _pairs(judged, right=_SEMANTIC)


# --- one run ------------------------------------------------------------------------------------


def _precision(cases: Sequence[JudgedCase]) -> Measured:
    """matched / emitted; null with nothing emitted or with an unjudged claim."""
    outcomes = [claim.outcome for claim in _claims(cases)]
    matched, n_open = outcomes.count(ClaimOutcome.MATCHED), outcomes.count(ClaimOutcome.UNJUDGED)
    if not outcomes:
        return Measured(value=None, reason="nothing was emitted")
    if n_open:
        return _bounded(matched, n_open, len(outcomes), what="claims")
    return Measured(value=Fraction(matched, len(outcomes)))


def _recall(cases: Sequence[JudgedCase]) -> Measured:
    """matched required / required; null with nothing required or with an unjudged one."""
    outcomes = [wanted.outcome for wanted in _gold(cases) if wanted.gold.required]
    matched, n_open = outcomes.count(GoldOutcome.MATCHED), outcomes.count(GoldOutcome.UNJUDGED)
    if not outcomes:
        return Measured(value=None, reason="no gold claim is required")
    if n_open:
        return _bounded(matched, n_open, len(outcomes), what="required gold claims")
    return Measured(value=Fraction(matched, len(outcomes)))


def _bounded(matched: int, n_open: int, n: int, *, what: str) -> Measured:
    low, high = matched / n, (matched + n_open) / n
    return Measured(
        value=None,
        reason=f"{n_open} of {n} {what} are unjudged; it lies between {low:.3f} and {high:.3f}",
    )


def _calibration_error(cases: Sequence[JudgedCase]) -> Measured:
    figures = _calibration(cases, right=_FULL)
    return Measured(value=figures.ece, reason=figures.reason)


def _calibration_error_semantic(cases: Sequence[JudgedCase]) -> Measured:
    figures = _calibration(cases, right=_SEMANTIC)
    return Measured(value=figures.ece, reason=figures.reason)


_MEASURES: dict[str, _Metric] = {
    "precision": _precision,
    "recall": _recall,
    "calibration_error": _calibration_error,
    "calibration_error_semantic": _calibration_error_semantic,
}


def _calibration(
    cases: Sequence[JudgedCase], *, right: frozenset[ClaimOutcome]
) -> CalibrationFigures:
    claims = list(_claims(cases))
    n_open = sum(claim.outcome is ClaimOutcome.UNJUDGED for claim in claims)
    return calibration_figures(
        _pairs(cases, right=right),
        n_left_out=sum(claim.claim.confidence is None for claim in claims),
        unmeasured=f"{n_open} of {len(claims)} claims are unjudged" if n_open else None,
    )


def _pairs(cases: Sequence[JudgedCase], *, right: frozenset[ClaimOutcome]) -> list[ConfidencePair]:
    return [
        ConfidencePair(confidence=claim.claim.confidence, is_correct=claim.outcome in right)
        for claim in _claims(cases)
        if claim.claim.confidence is not None and claim.outcome is not ClaimOutcome.UNJUDGED
    ]


def _claims(cases: Iterable[JudgedCase]) -> Iterable[JudgedClaim]:
    return (claim for case in cases for claim in case.claims)


def _gold(cases: Iterable[JudgedCase]) -> Iterable[JudgedGold]:
    return (wanted for case in cases for wanted in case.gold)


# --- over the runs ------------------------------------------------------------------------------

_Runs: TypeAlias = dict[int, list[JudgedCase]]


def _over_runs(runs: _Runs, measure: _Metric, *, n_planned: int) -> Figure:
    measured = {run: _of_run(cases, measure, n_planned) for run, cases in runs.items()}
    reasons = [
        f"run {run}: {of_run.reason}" for run, of_run in measured.items() if of_run.value is None
    ]
    return figure([of_run.value for of_run in measured.values()], reason="; ".join(reasons) or None)


def _of_run(cases: Sequence[JudgedCase], measure: _Metric, n_planned: int) -> Measured:
    """The metric of a run; null while a planned case is absent, whose gold nobody counted."""
    if not cases:
        return Measured(value=None, reason="no case was judged")
    if len(cases) < n_planned:
        n_absent = n_planned - len(cases)
        return Measured(value=None, reason=f"{n_absent} of {n_planned} planned cases are absent")
    return measure(cases)


def _planned_per_run(statuses: StatusCounts, run_indices: Sequence[int]) -> int:
    return statuses.planned // max(len(run_indices), 1)


def _check_places(judged: Sequence[JudgedCase], run_indices: Sequence[int]) -> None:
    strange = {case.run_index for case in judged} - set(run_indices)
    if strange:
        raise ValueError(
            f"cases of runs {sorted(strange)}, but only {list(run_indices)} are scored"
        )
    places = [(case.run_index, case.case_id) for case in judged]
    if len(set(places)) < len(places):
        twice = next(place for place in places if places.count(place) > 1)
        raise ValueError(f"case {twice[1]!r} was judged twice in run {twice[0]}")


def _what_hangs_on(case: JudgedCase) -> str:
    n_claims = sum(claim.outcome is ClaimOutcome.UNJUDGED for claim in case.claims)
    n_gold = sum(wanted.outcome is GoldOutcome.UNJUDGED for wanted in case.gold)
    return (
        f"case {case.case_id}: {counted(case.n_unjudged_pairs, 'pair')} unjudged; "
        f"{counted(n_claims, 'claim')} and {counted(n_gold, 'gold claim')} "
        "hang on what the judge would have said"
    )


def _notes(runs: _Runs, statuses: StatusCounts) -> Iterable[str]:
    """What a reader of the figures has to know beside them."""
    for run, cases in runs.items():
        for case in cases:
            if case.n_unjudged_pairs:
                yield f"run {run}: {_what_hangs_on(case)}"
            reason = f": {case.reason}" if case.reason else ""
            if case.status is ExtractionStatus.DECLINED:
                yield f"run {run}: case {case.case_id} was skipped (declined{reason})"
            elif case.status is not ExtractionStatus.OK:
                yield (
                    f"run {run}: case {case.case_id} ended {case.status.value}{reason}; "
                    f"its {len(case.gold)} gold claims count as missed"
                )
    if statuses.absent:
        yield f"{statuses.absent} of {statuses.planned} planned extractions are absent"

"""The figures of a harness suite: confusion with supports, per class, and the costly mistakes.

Every rate is over aligned labels: a label that no emitted claim says again is no evidence of how
its property would have been stated. How many were aligned stands beside. A rate over nothing is
null, and so is everything in a run whose claims never state the property, where silence would read
as a perfect score.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from evals_pipeline.core.harness_records import (
    CLASSES,
    UNREADABLE,
    AlignedCase,
    AlignedLabel,
    ClassFigures,
    ConfusionCell,
    HarnessFigures,
    HarnessKind,
    HarnessRate,
    HarnessSuite,
    Modality,
    Polarity,
    Validity,
)
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.score.repeats import figure

_OPTIONAL_CLASSES = (Modality.CONSTITUTIVE.value,)
"""Classes that are shown only where a label or a claim is of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """``count`` of ``n``; over nothing there is a reason instead of a value."""

    count: int
    n: int
    reason: str | None = None


_Measure: TypeAlias = Callable[[Sequence[AlignedCase]], _Share]


def score_harness(
    suite: HarnessSuite,
    cases: Sequence[AlignedCase],
    *,
    extractor_id: str,
    model_version: str,
    run_indices: Sequence[int],
    statuses: StatusCounts,
    judge: str,
    threshold: float,
) -> HarnessFigures:
    """The figures of a suite for one model version, each rate per run and pooled.

    Args:
        suite: The suite as loaded.
        cases: Every case of every run, its labels aligned as far as they were.
        extractor_id: Whose suite it is.
        model_version: What answered.
        run_indices: The runs, in order.
        statuses: How the extractions ended, all runs together.
        judge: Who aligned.
        threshold: The lowest similarity that aligned.
    """
    runs = {run: [case for case in cases if case.run_index == run] for run in run_indices}
    labels = list(_labels(cases))
    shown = _shown_classes(suite.kind, labels)
    return HarnessFigures(
        kind=suite.kind,
        set_name=suite.suite_id,
        set_version=suite.version,
        extractor_id=extractor_id,
        model_version=model_version,
        run_indices=tuple(run_indices),
        judge=judge,
        threshold=threshold,
        n_labels=len(labels),
        n_aligned=sum(one.emitted is not None for one in labels),
        confusion=_confusion(labels, shown),
        classes=tuple(_class(name, runs, labels, suite.kind) for name in shown),
        rates=tuple(
            _rate(name, runs, measure, suite.kind) for name, measure in _measures(suite).items()
        ),
        statuses=statuses,
        cases=tuple(cases),
        date_tolerance_days=(
            suite.date_tolerance_days if suite.kind is HarnessKind.VALIDITY else None
        ),
        notes=tuple(_notes(suite.kind, cases)),
    )


def _measures(suite: HarnessSuite) -> dict[str, _Measure]:
    """The rates of a kind; the first is the mistake that costs most."""
    match suite.kind:
        case HarnessKind.MODALITY:
            others = [name for name in Modality if name is not Modality.FALSIFIABLE]
            return {
                "false_non_falsifiable_rate": _mistaken(Modality.FALSIFIABLE, as_any_of=others),
                "narrative_emission_rate": _narratives,
            }
        case HarnessKind.POLARITY:
            hidden = [Polarity.DECLINED, Polarity.HYPOTHETICAL]
            return {
                "wrong_declined_rate": _mistaken(Polarity.ASSERTED, as_any_of=hidden[:1]),
                "wrong_hidden_rate": _mistaken(Polarity.ASSERTED, as_any_of=hidden),
            }
        case HarnessKind.VALIDITY:
            return {
                "wrong_expiry_rate": _mistaken(Validity.DURABLE, as_any_of=[Validity.BOUNDED]),
                "expiry_precision": _precision(Validity.BOUNDED),
                "expiry_recall": _recall(Validity.BOUNDED),
                "date_accuracy": _dates_within(suite.date_tolerance_days),
            }
        case _:
            assert_never(suite.kind)


# --- shares of one run --------------------------------------------------------------------------


def _precision(name: str) -> _Measure:
    """Of the aligned labels emitted as a class: the share that should be."""

    def measure(cases: Sequence[AlignedCase]) -> _Share:
        emitted = [one for one in _labels(cases) if one.emitted == name]
        right = sum(one.label.expected == name for one in emitted)
        return _share(right, len(emitted), f"no aligned claim was emitted as {name}")

    return measure


def _recall(name: str) -> _Measure:
    """Of the aligned labels that should be a class: the share emitted as it."""

    def measure(cases: Sequence[AlignedCase]) -> _Share:
        wanted = _aligned_as(cases, name)
        caught = sum(one.emitted == name for one in wanted)
        return _share(caught, len(wanted), f"no label {name} was aligned")

    return measure


def _mistaken(name: str, *, as_any_of: Iterable[str]) -> _Measure:
    """Of the aligned labels that should be a class: the share emitted as one of some others."""
    others = frozenset(as_any_of)

    def measure(cases: Sequence[AlignedCase]) -> _Share:
        wanted = _aligned_as(cases, name)
        mistaken = sum(one.emitted in others for one in wanted)
        return _share(mistaken, len(wanted), f"no label {name} was aligned")

    return measure


def _narratives(cases: Sequence[AlignedCase]) -> _Share:
    """Of the cases that should be stated as a narrative: the share that was, failed ones too."""
    wanted = [case for case in cases if case.narrative_expected]
    emitted = sum(case.narrative_emitted for case in wanted)
    return _share(emitted, len(wanted), "no case expects a narrative")


def _dates_within(tolerance_days: int) -> _Measure:
    """Of the aligned labels bounded on both sides: the share with the day within the tolerance."""

    def measure(cases: Sequence[AlignedCase]) -> _Share:
        offs = [
            abs((one.valid_until - one.label.valid_until).days)
            for one in _labels(cases)
            if one.valid_until is not None and one.label.valid_until is not None
        ]
        close = sum(off <= tolerance_days for off in offs)
        return _share(close, len(offs), "no aligned label is bounded on both sides")

    return measure


def _share(count: int, n: int, reason: str) -> _Share:
    return _Share(count=count, n=n, reason=None if n else reason)


def _aligned_as(cases: Sequence[AlignedCase], name: str) -> list[AlignedLabel]:
    return [one for one in _labels(cases) if one.emitted is not None and one.label.expected == name]


def _labels(cases: Iterable[AlignedCase]) -> Iterable[AlignedLabel]:
    return (label for case in cases for label in case.labels)


# --- over the runs ------------------------------------------------------------------------------

_Runs: TypeAlias = dict[int, list[AlignedCase]]


def _rate(name: str, runs: _Runs, measure: _Measure, kind: HarnessKind) -> HarnessRate:
    shares = {run: measure(cases) for run, cases in runs.items()}
    silent = {run for run, cases in runs.items() if _is_silent(cases)}
    reasons = {
        run: f"no emitted claim states a {kind.value}" if run in silent else share.reason
        for run, share in shares.items()
    }
    values = [None if reasons[run] else share.count / share.n for run, share in shares.items()]
    told = dict.fromkeys(reason for reason in reasons.values() if reason)
    return HarnessRate(
        name=name,
        figure=figure(values, reason="; ".join(told) or None),
        count=sum(share.count for share in shares.values()),
        n=sum(share.n for share in shares.values()),
    )


def _is_silent(cases: Sequence[AlignedCase]) -> bool:
    """Whether claims were emitted and none of them says anything of the property."""
    n_emitted = sum(case.n_emitted for case in cases)
    return n_emitted > 0 and not sum(case.n_stating for case in cases)


def _class(
    name: str, runs: _Runs, labels: Sequence[AlignedLabel], kind: HarnessKind
) -> ClassFigures:
    return ClassFigures(
        name=name,
        n_labels=sum(one.label.expected == name for one in labels),
        precision=_rate("precision", runs, _precision(name), kind),
        recall=_rate("recall", runs, _recall(name), kind),
    )


def _shown_classes(kind: HarnessKind, labels: Sequence[AlignedLabel]) -> tuple[str, ...]:
    there = {one.label.expected for one in labels} | {one.emitted for one in labels}
    return tuple(
        str(name) for name in CLASSES[kind] if name not in _OPTIONAL_CLASSES or name in there
    )


def _confusion(labels: Sequence[AlignedLabel], shown: Sequence[str]) -> tuple[ConfusionCell, ...]:
    """Every cell of the shown classes, empty ones too, and unreadable ones where there are."""
    counts = Counter((one.label.expected, one.emitted) for one in labels)
    emitted = [*shown]
    if any(one.emitted == UNREADABLE for one in labels):
        emitted.append(UNREADABLE)
    return tuple(
        ConfusionCell(expected=row, emitted=column, n=counts[row, column])
        for row in shown
        for column in emitted
    )


def _notes(kind: HarnessKind, cases: Sequence[AlignedCase]) -> Iterable[str]:
    n_emitted = sum(case.n_emitted for case in cases)
    n_stating = sum(case.n_stating for case in cases)
    if n_stating < n_emitted:
        yield (
            f"{n_emitted - n_stating} of {n_emitted} emitted claims state no {kind.value}; they "
            f"count as {_DEFAULTS[kind]}"
        )
    if n_unjudged := sum(case.n_unjudged for case in cases):
        yield f"{n_unjudged} of {n_emitted} emitted claims were left unjudged and are not aligned"
    for case in cases:
        if case.status is not ExtractionStatus.OK:
            reason = f": {case.reason}" if case.reason else ""
            yield (
                f"run {case.run_index}: case {case.case_id} ended {case.status.value}{reason}; "
                f"its {len(case.labels)} labels are not aligned"
            )


_DEFAULTS = {
    HarnessKind.MODALITY: Modality.FALSIFIABLE.value,
    HarnessKind.POLARITY: Polarity.ASSERTED.value,
    HarnessKind.VALIDITY: Validity.DURABLE.value,
}

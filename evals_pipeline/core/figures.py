"""The records of figures: what scoring, baselines, gates and calibration hand on.

A figure that could not be measured is None with a reason beside it; it is never 0, NaN or 1.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from evals_pipeline.core.judge_settings import JudgedBy
from evals_pipeline.core.outcomes import FieldOutcome, FieldVerdict, GateVerdict
from evals_pipeline.core.run_records import JudgedCase, StatusCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One metric over repeats: mean, min, max, range, sample standard deviation, values by run.

    ``mean`` is None, with ``reason``, when any run's value is None or there is no run;
    ``stdev`` is None for fewer than two runs. ``values`` follows the run indices in order.
    """

    mean: float | None
    min: float | None
    max: float | None
    stdev: float | None
    values: tuple[float | None, ...]
    reason: str | None = None

    @property
    def range(self) -> float | None:
        """How far the runs lie apart, max minus min; None when the figure is null."""
        if self.min is None or self.max is None:
            return None
        return self.max - self.min


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """One bin of a reliability diagram, [lower, upper), the last one closed; empty bins stay."""

    lower: float
    upper: float
    n: int
    mean_confidence: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFigures:
    """Calibration error over ten equal-width bins, with what keeps a bin edge from deciding.

    ``ece`` is in [0, 1], lower is better; None with ``reason`` when ``n`` is 0. ``n_left_out``
    counts values without a usable confidence.
    """

    ece: float | None
    n: int
    n_left_out: int
    bins: tuple[ReliabilityBin, ...]
    brier: float | None = None
    ece_adaptive: float | None = None
    auroc: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFigures:
    """The figures of a suite for one model version over its runs.

    ``metrics`` has precision, recall, calibration_error and calibration_error_semantic;
    ``counts`` pools all runs (emitted, matched, under_confidence, spurious, unjudged, suspect,
    gold, gold_matched, gold_under_confidence, missed, gold_unjudged, unjudged_pairs, gold_required,
    gold_required_matched, confidence_left_out, skipped_cases). ``set_version`` is the suite's and
    ``judged_by`` who decided; None where that was not noted.
    """

    set_name: str
    model_version: str
    run_indices: tuple[int, ...]
    metrics: Mapping[str, Figure]
    counts: Mapping[str, int]
    statuses: StatusCounts
    calibration: CalibrationFigures
    calibration_semantic: CalibrationFigures
    cases: tuple[JudgedCase, ...]
    notes: tuple[str, ...] = ()
    set_version: str | None = None
    judged_by: JudgedBy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """One field of one document in one run that was not correct.

    ``labelled_by``, ``labelled_at`` and ``corrections`` (of this field, in words) say whom to ask
    whether the label is right.
    """

    fixture_id: str
    document: str
    run_index: int
    want: str | None
    got: str | None
    outcome: FieldOutcome
    trace: tuple[str, ...] = ()
    in_document: bool | None = None
    note: str | None = None
    labelled_by: str | None = None
    labelled_at: str | None = None
    corrections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTally:
    """How often one field of one document was correct: ``correct`` of ``n`` runs."""

    fixture_id: str
    document: str
    correct: int
    n: int
    gold_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFigures:
    """The figures of one field over all documents and runs.

    ``accuracy`` = correct / n over planned documents × runs, errors counting as wrong, with a
    Wilson 95 % interval. ``value_recall`` is over the ``n_values`` labelled values,
    ``invention_rate`` over the ``n_absences`` labelled absences, each None with nothing to count.
    ``disagreement`` is the share of the ``n_compared`` documents (those with two valid runs or
    more) whose canonical answers differ; ``is_unstable`` at or above the limit. ``lone_miss`` names
    the one document that all misses are on, and its labeller: suspect the label first.
    """

    field: str
    kind: str
    weight: Decimal
    n: int
    correct: int
    accuracy: float | None
    ci_low: float | None
    ci_high: float | None
    value_recall: float | None
    invention_rate: float | None
    disagreement: float | None
    is_unstable: bool
    outcomes: Mapping[FieldOutcome, int]
    misses: tuple[Miss, ...]
    documents: tuple[DocumentTally, ...]
    accuracy_by_run: tuple[float | None, ...]
    calibration: CalibrationFigures | None = None
    lone_miss: str | None = None
    n_values: int = 0
    n_absences: int = 0
    n_compared: int = 0


def label_hints(fields: Iterable[FieldFigures]) -> Iterator[str]:
    """One sentence over all fields whose misses are on one label each; none where there is none."""
    alone = [f"{one.field} ({one.lone_miss})" for one in fields if one.lone_miss is not None]
    if alone:
        yield f"every miss is on one label: {', '.join(alone)}; read the document before the prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceFigures:
    """One field's count within a slice (``source=acme``, ``locale=de_DE``, ``tag=fax`` …)."""

    slice: str
    field: str
    n: int
    correct: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFigures:
    """The figures of a golden set for one model version over its runs.

    ``n_by_run`` and ``correct_by_run`` count field values; the overall line is information only.
    """

    set_name: str
    model_version: str
    run_indices: tuple[int, ...]
    fields: tuple[FieldFigures, ...]
    slices: tuple[SliceFigures, ...]
    statuses: StatusCounts
    n: int
    correct: int
    notes: tuple[str, ...] = ()

    @property
    def fields_by_weight(self) -> tuple[FieldFigures, ...]:
        """The fields as tables show them: by impact, those of one weight as the set states them."""
        return tuple(sorted(self.fields, key=lambda one: -one.weight))


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinePins:
    """What a baseline is pinned to; a gate compares these before any figure."""

    set_name: str
    model_version: str
    provider_model: str
    prompt_sha256: str | None
    extractor: str
    schema_digest: str
    corpus_digest: str
    labels_digest: str
    n_runs: int
    recorded_at: str
    package_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The committed record of a golden set's outcomes: per field, per document, correct of runs.

    ``calibration`` is each field's calibration error, rounded as the file keeps it.
    """

    pins: BaselinePins
    fields: Mapping[str, tuple[DocumentTally, ...]]
    calibration: Mapping[str, Decimal] = field(default_factory=dict)
    cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDelta:
    """One row of the gate's table, on the documents present on both sides.

    ``baseline``, ``now`` and ``delta`` are exact; None on the side where the field is not there.
    ``p_value`` is the exact McNemar test, ``noise`` the spread (max minus min) between runs,
    ``is_within_noise`` whether the Wilson intervals of both sides overlap although it changed; they
    inform, the tolerance decides. ``reason`` says why a field fails.
    """

    field: str
    baseline: Fraction | None
    now: Fraction | None
    delta: Fraction | None
    tolerance: str
    verdict: FieldVerdict
    n_documents: int
    acknowledged: str | None = None
    p_value: float | None = None
    noise: float | None = None
    is_unstable: bool = False
    misses: tuple[Miss, ...] = ()
    is_within_noise: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationDelta:
    """One field's calibration error beside its baseline; lower is better.

    ``verdict`` is regression only where the set states a calibration tolerance; vanished: the
    baseline had a figure and no answer states a confidence now.
    """

    field: str
    baseline: Fraction | None
    now: Fraction | None
    delta: Fraction | None
    tolerance: str | None
    verdict: FieldVerdict
    n: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDocument:
    """A document that newly fails or newly passes in a field, or was added, removed, relabelled."""

    field: str | None
    fixture_id: str
    document: str
    change: str
    baseline: str | None = None
    now: str | None = None
    misses: tuple[Miss, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """The gate of one set and one model version.

    ``reasons`` say why it failed or refused, each with what mends it; ``hints`` never decide.
    """

    set_name: str
    model_version: str
    verdict: GateVerdict
    reasons: tuple[str, ...]
    fields: tuple[FieldDelta, ...] = ()
    overall_baseline: Fraction | None = None
    overall_now: Fraction | None = None
    overall_noise: float | None = None
    newly_failing: tuple[ChangedDocument, ...] = ()
    newly_passing: tuple[ChangedDocument, ...] = ()
    not_gated: tuple[ChangedDocument, ...] = ()
    hints: tuple[str, ...] = ()
    baseline_source: str | None = None
    cost_usd: Decimal | None = None
    baseline_cost_usd: Decimal | None = None
    calibration: tuple[CalibrationDelta, ...] = ()
    overall_is_within_noise: bool | None = None
    statuses: StatusCounts | None = None
    n_runs: int | None = None
    baseline_n_runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidencePair:
    """A stated confidence with whether the claim (semantically) or the value was right."""

    confidence: float
    is_correct: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFit:
    """A fit of stated confidence to observed correctness, or its refusal.

    ``refusal`` None: accepted, and only then may it be applied. ``parameters`` holds
    ``temperature`` or the isotonic knots as JSON. ECE before and after are in sample;
    ``heldout_*`` on recorded runs that the fit did not see. ``n_correct`` of the ``n_pairs`` are
    right; ``n_left_out`` more state no usable confidence. ``sources`` names the sets that the pairs
    are from, ``heldout_sources`` those of the held-out runs.
    """

    set_name: str
    model_version: str
    method: str
    n_pairs: int
    n_movable: int
    parameters: Mapping[str, float | tuple[float, ...]]
    ece_before: float | None
    ece_after: float | None
    heldout_n: int
    heldout_ece_before: float | None
    heldout_ece_after: float | None
    refusal: str | None
    refusal_code: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] = ()
    n_correct: int = 0
    n_left_out: int = 0
    sources: tuple[str, ...] = ()
    heldout_sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewThreshold:
    """From which stated confidence on values may go unreviewed.

    ``threshold`` is the lowest stated confidence such that of the values stated at or above it at
    least the share ``wanted`` is right; None with ``reason`` when there is none. ``n_accepted``
    values stand at or above it, ``n_correct`` of them right: ``precision`` with its Wilson 95 %
    interval. ``review_share`` = the share of all ``n`` values that stand below it or state no
    usable confidence. ``is_assured``: the interval's lower end reaches ``wanted`` too.
    """

    wanted: float
    threshold: float | None
    precision: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_accepted: int
    n_correct: int
    review_share: float | None
    is_assured: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldReview:
    """How far the stated confidence of a field can be relied on; ``field`` None: all of the set."""

    field: str | None
    calibration: CalibrationFigures
    threshold: ReviewThreshold

"""The records that stages hand to one another.

Everything here is frozen, knows no file and no clock, and says one thing. Confidence lies in [0, 1]
or is None; a similarity is a cosine in [-1, 1] as it came; money is US dollars as Decimal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeAlias

from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    FieldOutcome,
    GoldOutcome,
    Presence,
    UncertaintyNature,
)

JsonValue: TypeAlias = (
    "bool | int | Decimal | float | str | list[JsonValue] | dict[str, JsonValue] | None"
)
"""A JSON value; the strict reader makes fractions Decimal, code extractors may also give float."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One source document of a set.

    ``fixture_id`` is the case id in a suite and the document's SHA-256 in a golden set; ``name`` is
    for people. Exactly one of ``path`` and ``inline`` holds the bytes, which
    ``sets.read_content`` reads and checks against ``sha256``.
    """

    fixture_id: str
    name: str
    sha256: str
    source_type: str
    media_type: str
    path: Path | None = None
    inline: bytes | None = None


# --- claim suites -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldClaim:
    """A claim that a suite expects; ``confidence_min`` is a floor in [0, 1]."""

    content: str
    confidence_min: float
    uncertainty_nature: UncertaintyNature
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSubject:
    """A named entity and the reference that is right; ``ref`` None: no authority holds it."""

    case_id: str
    name: str
    ref: str | None
    mention: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCase:
    """One document of a suite with the claims expected of it.

    ``declares_source_type`` is False for an inline case, which the suite's source types route.
    """

    case_id: str
    fixture: Fixture
    expected: tuple[GoldClaim, ...]
    declares_source_type: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A claim suite as loaded; ``digest`` is a SHA-256 over the suite file and its fixtures."""

    suite_id: str
    name: str
    version: str
    domain: str
    source_types: tuple[str, ...]
    cases: tuple[SuiteCase, ...]
    gold_subjects: tuple[GoldSubject, ...] = ()
    metrics: tuple[tuple[str, str], ...] = ()
    published_by: str | None = None
    published_at: str | None = None
    path: Path
    digest: str
    is_calibration: bool = False
    warnings: tuple[str, ...] = ()


# --- golden sets --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a field may drop: a count of documents or an exact fraction, one of the two."""

    documents: int | None = None
    fraction: Fraction | None = None

    def allows(self, drop: Fraction, *, n_documents: int) -> bool:
        """Whether ``drop`` (baseline minus now, of ``n_documents``) stays within; equal passes."""
        if self.documents is not None:
            return drop * n_documents <= self.documents
        return drop <= (self.fraction or Fraction(0))

    def __str__(self) -> str:
        if self.documents is not None:
            return f"{self.documents} doc" + ("" if self.documents == 1 else "s")
        return format(float(self.fraction or 0), "g")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """How one field of a golden set is compared; a column of a table and an item of a list too.

    ``locale`` and ``formats`` override those of the document, the source and the set. ``values``
    maps each member of a closed vocabulary (enum, boolean) to its synonyms. ``absolute_tolerance``
    and ``relative_tolerance`` belong to number and percent. ``pivot`` is the first year of the
    hundred that two-digit years fall in. ``credit_is_positive`` turns the sign of amounts marked CR
    and DR round: on an invoice a credit is negative, on a bank statement it is not.
    """

    name: str
    kind: str
    weight: Decimal = Decimal(1)
    tolerance: Tolerance | None = None
    threshold: float | None = None
    formats: tuple[str, ...] = ()
    locale: str | None = None
    currency: str | None = None
    absolute_tolerance: Decimal | None = None
    relative_tolerance: Decimal | None = None
    pivot: int | None = None
    credit_is_positive: bool = False
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ordered: bool = False
    item: "FieldSpec | None" = None
    key: tuple[str, ...] = ()
    columns: tuple["FieldSpec", ...] = ()
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """The limits of a golden set's gate, as its file states them."""

    tolerance: Tolerance
    max_errors: int = 0
    disagreement: Fraction = Fraction(1, 10)
    min_runs: int = 1
    calibration_tolerance: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConvention:
    """What a document's source states about its notation; None and () leave it to the set."""

    locale: str | None = None
    currency: str | None = None
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A label that was changed after the fact, with what it was."""

    field: str
    old: JsonValue
    new: JsonValue
    by: str
    at: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenDocument:
    """One labelled document; ``labels`` holds for every field its accepted readings.

    A reading of None says that the field is absent from the document. ``convention`` is the
    document's own merged over its source's and the set's.
    """

    fixture: Fixture
    labelled_by: str
    labelled_at: str
    source: str | None
    convention: SourceConvention
    tags: tuple[str, ...]
    labels: Mapping[str, tuple[JsonValue, ...]]
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A golden set as loaded.

    ``schema_digest`` covers the fields and how they compare, ``corpus_digest`` the documents,
    ``labels_digest`` the labels; each is a SHA-256 in hex. ``sources`` are those that the set
    lists, with documents or without.
    """

    name: str
    source_type: str
    convention: SourceConvention
    fields: tuple[FieldSpec, ...]
    gate: GatePolicy
    documents: tuple[GoldenDocument, ...]
    path: Path
    prompt_path: Path | None
    schema_digest: str
    corpus_digest: str
    labels_digest: str
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


# --- extractions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim as an extractor emitted it.

    ``confidence`` is None when absent, not a number, or outside [0, 1]; ``confidence_flag`` then
    says which, with what was stated.
    """

    content: str
    confidence: float | None
    subjects: tuple[str, ...] = ()
    confidence_flag: str | None = None
    properties: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """A field's value as an extractor gave it; ``presence`` keeps null, missing and blank apart."""

    value: JsonValue
    presence: Presence
    confidence: float | None = None
    confidence_flag: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one answer as the provider counted them; cached input is part of input."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one answer cost; ``usd`` None is unknown, not free. ``is_new`` False: recorded."""

    usd: Decimal | None
    price_table: str | None
    is_new: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where one answer came from.

    ``provider_model`` is the name that the provider returned; ``retries`` counts the calls beyond
    the first that this answer took.
    """

    extractor: str
    prompt_sha256: str | None = None
    answer_key: str | None = None
    provider_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    cost: Cost | None = None
    retries: int = 0
    duration_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """One answer of one extractor for one fixture in one run.

    ``recovered``: the values stood inside prose or fences. ``repaired``: the text was not strict
    JSON and a lenient reading was taken. Both are shown, neither is silent. ``reason`` explains any
    status but ok.
    """

    fixture_id: str
    run_index: int
    status: ExtractionStatus
    reason: str | None = None
    claims: tuple[Claim, ...] = ()
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    recovered: bool = False
    repaired: bool = False
    provenance: Provenance


# --- judgements ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A gold claim close to an emitted one, or the reverse, with the cosine between them."""

    content: str
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """An emitted claim with its outcome.

    ``similarity`` is to the matched gold claim, else to the nearest. ``suspect`` holds the guards'
    reasons. ``rendering`` is the text whose similarity counted (as written, or with subjects).
    """

    claim: Claim
    outcome: ClaimOutcome
    gold_index: int | None
    similarity: float | None
    suspect: tuple[str, ...] = ()
    rendering: str
    near: tuple[NearMiss, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGold:
    """A gold claim with what became of it; ``similarity`` to its match, else to the nearest."""

    gold: GoldClaim
    outcome: GoldOutcome
    claim_index: int | None
    similarity: float | None
    near: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """All claims of one case in one run, both sides.

    When ``status`` is not ok nothing was emitted and every gold claim is missed, so that it stays
    in the denominators; a declined case was not expected to answer and has no gold claims here.
    """

    case_id: str
    run_index: int
    status: ExtractionStatus
    reason: str | None = None
    claims: tuple[JudgedClaim, ...]
    gold: tuple[JudgedGold, ...]


class FieldMatch(NamedTuple):
    """One field of one document in one run, judged.

    A named tuple, because there are millions of them: a frozen dataclass takes three times as long
    to make. Its values are named where one is made, save in the one place that makes the millions.

    ``want`` and ``got`` are canonical forms as text (None: absent); ``want_raw`` and ``got_raw``
    JSON text as labelled and as given. ``reading`` numbers the accepted reading that matched.
    ``answer`` is what disagreement compares: equal text means the same canonical answer; None when
    the extraction did not end ok. ``in_document`` is information: was the value found in the text.
    """

    fixture_id: str
    document: str
    run_index: int
    field: str
    kind: str
    outcome: FieldOutcome
    want: str | None
    got: str | None
    want_raw: str
    got_raw: str | None
    presence: Presence | None
    answer: str | None
    confidence: float | None = None
    reading: int | None = None
    trace: tuple[str, ...] = ()
    in_document: bool | None = None
    note: str | None = None


# --- runs ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionKey:
    """One cell of a set's grid."""

    set_name: str
    model_version: str
    run_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStamp:
    """Who made a row: Dagster's run id or ``local``, the commit, the moment (UTC), our version."""

    run_id: str
    commit: str | None
    at: datetime
    package_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDigests:
    """The digests of everything a stored row was made from; what staleness compares.

    ``extraction`` covers fixtures, prompt and extractor; ``judging`` the gold, the schema, the
    judge's settings and code version.
    """

    corpus: str
    prompt: str | None
    extractor: str
    gold: str
    schema: str
    judge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCounts:
    """The ledger of a figure: planned = ok + declined + error + truncated + unparsable + absent."""

    planned: int
    ok: int
    declined: int = 0
    error: int = 0
    truncated: int = 0
    unparsable: int = 0
    absent: int = 0

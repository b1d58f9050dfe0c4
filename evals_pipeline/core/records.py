"""The records that stages hand to one another.

Everything here is frozen, knows no file and no clock, and says one thing. Confidence lies in [0, 1]
or is None; a similarity is a cosine in [-1, 1] as it came; money is US dollars as Decimal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from evals_pipeline.core.outcomes import (
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
class LaterLabel:
    """Who first labelled a field that a set gained after a document was labelled, and when."""

    by: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenDocument:
    """One labelled document; ``labels`` holds for every field its accepted readings.

    A reading of None says that the field is absent from the document. ``convention`` is the
    document's own merged over its source's and the set's. ``labelled_later`` holds the fields whose
    first label is of another day than the document's; such a label corrects nothing.
    """

    fixture: Fixture
    labelled_by: str
    labelled_at: str
    source: str | None
    convention: SourceConvention
    tags: tuple[str, ...]
    labels: Mapping[str, tuple[JsonValue, ...]]
    corrections: tuple[Correction, ...] = ()
    labelled_later: Mapping[str, LaterLabel] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A golden set as loaded.

    ``schema_digest`` covers the fields and how they compare, ``corpus_digest`` the documents,
    ``labels_digest`` the labels, ``notation_digest`` what is stated of each document's notation;
    each is a SHA-256 in hex. ``sources`` are those that the set lists, with documents or without.
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
    notation_digest: str = ""
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


# --- extractions --------------------------------------------------------------------------------

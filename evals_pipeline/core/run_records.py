"""The records of what was extracted from the documents of a set, and of how it was judged.

As ``core.records``: frozen, without file or clock. Confidence lies in [0, 1] or is None; a
similarity is a cosine in [-1, 1] as it came; money is US dollars as Decimal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    FieldOutcome,
    GoldOutcome,
    Presence,
)
from evals_pipeline.core.records import GoldClaim, JsonValue


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
    ``n_unjudged_pairs`` pairs got no verdict; every claim, of either side, whose outcome hangs on
    one of them is unjudged.
    """

    case_id: str
    run_index: int
    status: ExtractionStatus
    reason: str | None = None
    claims: tuple[JudgedClaim, ...]
    gold: tuple[JudgedGold, ...]
    n_unjudged_pairs: int = 0


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

    An extraction is made from corpus, prompt, extractor and question; judging adds the gold, the
    schema, and the judge with its settings. ``question`` is what the set puts into a question
    besides the document, so far as the extractor takes it in; None in rows of earlier versions.
    """

    corpus: str
    prompt: str | None
    extractor: str
    gold: str
    schema: str
    judge: str
    question: str | None = None


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

"""The records of the harnesses beside claim suites: modality, polarity and validity of claims.

A claim suite asks whether the right facts were stated. These ask whether a claim that was stated
carries the right property: what kind of assertion it is, how its document frames it, and until when
it holds. Their labels are claims with the property that a right extractor gives them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from evals_pipeline.core.figures import Figure
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import StatusCounts


class HarnessKind(StrEnum):
    """Which property of claims a harness measures; also the name of its folder."""

    MODALITY = "modality"
    POLARITY = "polarity"
    VALIDITY = "validity"


class Modality(StrEnum):
    """What kind of assertion a claim is; a claim that states none is falsifiable.

    CONSTITUTIVE (a rule that makes something so) stands in suites of other runners; the other four
    are those that this package's own suites use.
    """

    FALSIFIABLE = "FALSIFIABLE"
    EVALUATIVE = "EVALUATIVE"
    EXPERIENTIAL = "EXPERIENTIAL"
    NARRATIVE = "NARRATIVE"
    CONSTITUTIVE = "CONSTITUTIVE"


class Polarity(StrEnum):
    """How a document frames a claim; a claim that states none is asserted."""

    ASSERTED = "ASSERTED"
    DECLINED = "DECLINED"
    HYPOTHETICAL = "HYPOTHETICAL"


class Validity(StrEnum):
    """Whether a claim stops being true at a date; a claim that states none is durable."""

    DURABLE = "DURABLE"
    BOUNDED = "BOUNDED"


UNREADABLE = "UNREADABLE"
"""The class of a claim whose property says something that is none of the classes."""

CLASSES: Mapping[HarnessKind, tuple[str, ...]] = {
    HarnessKind.MODALITY: tuple(Modality),
    HarnessKind.POLARITY: tuple(Polarity),
    HarnessKind.VALIDITY: tuple(Validity),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessLabel:
    """A claim with the class that a right extractor gives it.

    ``expected`` is a member of the kind's classes; ``valid_until`` stands beside BOUNDED alone.
    """

    content: str
    expected: str
    valid_until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessCase:
    """One document with its labelled claims.

    ``narrative_expected`` (modality): the document as a whole should be stated as a narrative.
    ``reference_date`` (validity): the day from which "tomorrow" is counted.
    """

    case_id: str
    fixture: Fixture
    labels: tuple[HarnessLabel, ...]
    narrative_expected: bool = False
    reference_date: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessSuite:
    """A suite of one harness as loaded; ``digest`` is the SHA-256 of its file."""

    kind: HarnessKind
    suite_id: str
    name: str
    version: str
    domain: str
    source_type: str
    cases: tuple[HarnessCase, ...]
    date_tolerance_days: int = 3
    metrics: tuple[str, ...] = ()
    published_by: str | None = None
    published_at: str | None = None
    path: Path
    digest: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedLabel:
    """A label with the emitted claim that says the same, if one does.

    ``emitted`` is the class that the claim states, None where no claim was aligned;
    ``is_stated`` False when the claim carries no such property, so that its class is the default.
    """

    label: HarnessLabel
    claim: str | None
    similarity: float | None
    emitted: str | None
    is_stated: bool = False
    valid_until: date | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedCase:
    """All labels of one case in one run; without an ok extraction none is aligned.

    ``n_stating`` of the ``n_emitted`` claims carry the property at all. ``n_unjudged`` claims were
    left open by the judge, so that a label may stand unaligned for want of an answer.
    """

    case_id: str
    run_index: int
    status: ExtractionStatus
    reason: str | None
    labels: tuple[AlignedLabel, ...]
    n_emitted: int
    n_stating: int
    n_unjudged: int = 0
    narrative_expected: bool = False
    narrative_emitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """How many aligned labels of one class were emitted as another, all runs pooled."""

    expected: str
    emitted: str
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessRate:
    """A rate over the runs, with the ``count`` of ``n`` that it is over all runs pooled."""

    name: str
    figure: Figure
    count: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """One class: precision of what was emitted as it, recall of what should be it.

    ``n_labels`` are all labels of the class, ``recall.n`` those of them that were aligned.
    """

    name: str
    n_labels: int
    precision: HarnessRate
    recall: HarnessRate


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessFigures:
    """The figures of a harness suite for one model version over its runs.

    Rates are over aligned labels; ``n_aligned`` of ``n_labels`` were. ``threshold`` is the lowest
    similarity that aligns.
    """

    kind: HarnessKind
    set_name: str
    set_version: str
    extractor_id: str
    model_version: str
    run_indices: tuple[int, ...]
    judge: str
    threshold: float
    n_labels: int
    n_aligned: int
    confusion: tuple[ConfusionCell, ...]
    classes: tuple[ClassFigures, ...]
    rates: tuple[HarnessRate, ...]
    statuses: StatusCounts
    cases: tuple[AlignedCase, ...]
    date_tolerance_days: int | None = None
    notes: tuple[str, ...] = ()

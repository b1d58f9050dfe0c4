"""What the HTML page shows, as one record; rendering it needs nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.figures import CalibrationFit, ClaimFigures, GateReport, SetFigures
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.core.run_records import InputDigests, RunStamp


class Side(StrEnum):
    """Whose value is marked in an excerpt."""

    WANT = "want"
    GOT = "got"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark:
    """A half-open range of an excerpt's characters that a value stands in."""

    start: int
    end: int
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Some lines of a document's text with the value marked; ``line`` counts from 1."""

    text: str
    line: int
    marks: tuple[TextMark, ...]


PlaceKey: TypeAlias = tuple[str, str, str | None, str | None]
"""Fixture id, field, want, got: what a miss is, whatever its run."""


class DiffKind(StrEnum):
    """What a line of a difference is."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a difference between two texts; a gap stands for lines left out."""

    kind: DiffKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChange:
    """What changed in the prompt between the baseline and now.

    ``before`` names the revision (or the model version) that the other side is from. ``note`` says
    why there is nothing to show when ``lines`` is empty.
    """

    path: str | None
    before: str | None
    lines: tuple[DiffLine, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """A committed baseline: the share of right answers of every field at that commit."""

    commit: str
    day: str
    subject: str
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Precision and recall at a threshold; None is unmeasured."""

    threshold: float
    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFit:
    """A calibration fit, accepted or refused, with its day; outdated: its pairs are not today's."""

    fit: CalibrationFit
    day: str
    is_outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What every model version of a set has beside its figures.

    ``outdated`` names inputs that changed since the figures were made.
    """

    model_version: str
    extractor: str
    stamp: RunStamp
    digests: InputDigests
    outdated: tuple[str, ...]
    cost: AnswerCost
    change: PromptChange
    fits: tuple[ShownFit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenModel:
    """One model version of a golden set.

    ``gate`` is what the gate says of it. ``places`` shows misses in their documents, as far as
    places were looked for and found; ``n_not_looked_for`` counts those beyond the limit.
    """

    measured: Measured
    figures: SetFigures
    gate: GateReport
    tolerances: Mapping[str, str]
    places: Mapping[PlaceKey, tuple[Excerpt, ...]] = field(default_factory=dict)
    n_not_looked_for: int = 0
    history: tuple[HistoryPoint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """A model version that could serve a set and has no figures, with what makes some."""

    model_version: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSection:
    """A golden set. ``slices`` names for every document the slices that it lies in."""

    set_name: str
    n_documents: int
    models: tuple[GoldenModel, ...]
    slices: Mapping[str, tuple[str, ...]]
    disagreement_limit: float
    unmeasured: tuple[Unmeasured, ...] = ()
    warnings: tuple[str, ...] = ()


def in_order(models: Sequence[GoldenModel]) -> tuple[GoldenModel, ...]:
    """The failing model versions first, then those that pass, then the refused."""
    rank = (GateVerdict.FAIL, GateVerdict.PASS, GateVerdict.REFUSED)
    return tuple(sorted(models, key=lambda model: rank.index(model.gate.verdict)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteModel:
    """One model version of a claim suite.

    ``curve`` is the trade of precision and recall over thresholds; ``passages`` shows for a claim
    (case id, its text) the passage of the document that shares most words with it.
    """

    measured: Measured
    figures: ClaimFigures
    curve: tuple[CurvePoint, ...] = ()
    passages: Mapping[tuple[str, str], Excerpt] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSection:
    """A claim suite with how it was judged."""

    set_name: str
    title: str
    version: str
    n_cases: int
    judge: str
    threshold: float
    models: tuple[SuiteModel, ...]
    with_claim_text: bool = True
    unmeasured: tuple[Unmeasured, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """Everything that one page shows; ``failures`` are the faults of sets that did not load."""

    project: str
    made_at: datetime
    commit: str | None
    subject: str | None
    package_version: str
    golden: tuple[GoldenSection, ...] = ()
    suites: tuple[SuiteSection, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def verdict(self) -> GateVerdict | None:
        """The verdict over all gates; None where the page holds no golden set with figures."""
        verdicts = [model.gate.verdict for section in self.golden for model in section.models]
        return GateVerdict.over(verdicts) if verdicts else None

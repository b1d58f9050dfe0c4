"""The shapes of harness suites: strict inside cases and labels, where a key lost is a label lost.

At the root unknown keys are let through and warned of, as in claim suites.
"""

from collections.abc import Callable
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from evals_pipeline.core.edges import (
    Count,
    EdgeModel,
    Flag,
    Moment,
    Text,
    member_of,
    read_some,
    read_text,
)
from evals_pipeline.core.harness_records import HarnessKind, Modality, Polarity
from evals_pipeline.sets.suite_model import SuiteId


def _read_day(raw: object) -> object:
    """An ISO 8601 day, or the day of an ISO 8601 moment."""
    text = str(read_text(raw)).strip()
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise ValueError("must be an ISO 8601 date, such as 2026-12-31") from None


def _any_case(vocabulary: type[StrEnum]) -> Callable[[object], object]:
    """A member of a vocabulary whatever its case; suites of other runners write either."""
    read = member_of(vocabulary)

    def read_member(raw: object) -> object:
        return read(raw.strip().upper() if isinstance(raw, str) else raw)

    return read_member


def _read_metric(raw: object) -> object:
    """The name of a metric that a suite documents, alone or with its definition."""
    return raw.get("name") if isinstance(raw, dict) else raw


Day = Annotated[date, BeforeValidator(_read_day)]
MetricName = Annotated[Text, BeforeValidator(_read_metric)]


class ModalityLabelModel(EdgeModel):
    """A claim, worded as an extractor would, with the modality that it should get."""

    content: Text
    modality: Annotated[Modality, BeforeValidator(_any_case(Modality))]


class PolarityLabelModel(EdgeModel):
    """A claim with the polarity that its document gives it, be it true or not."""

    content: Text
    polarity: Annotated[Polarity, BeforeValidator(_any_case(Polarity))]


class ValidityLabelModel(EdgeModel):
    """A claim that is durable, or holds until a day; the two keys have to agree."""

    content: Text
    expected_valid_until: Day | None = None
    is_durable: Flag


class ModalityCaseModel(EdgeModel):
    """One entry; unless it says otherwise it should be stated as a narrative too."""

    case_id: Text = Field(max_length=200)
    entry: Text
    labels: Annotated[tuple[ModalityLabelModel, ...], BeforeValidator(read_some)]
    narrative_expected: Flag = True


class PolarityCaseModel(EdgeModel):
    """One document with labelled claims."""

    case_id: Text = Field(max_length=200)
    document: Text
    labels: Annotated[tuple[PolarityLabelModel, ...], BeforeValidator(read_some)]


class ValidityCaseModel(EdgeModel):
    """One document, the day from which it counts, and labelled claims."""

    case_id: Text = Field(max_length=200)
    document: Text
    reference_date: Day
    labels: Annotated[tuple[ValidityLabelModel, ...], BeforeValidator(read_some)]


class HarnessSuiteModel(EdgeModel):
    """What the suites of all harnesses have in common."""

    model_config = ConfigDict(extra="allow")

    suite_id: SuiteId
    name: Text
    version: Text
    domain: Text
    source_type: Text
    metrics: tuple[MetricName, ...] = ()
    published_by: Text | None = None
    published_at: Moment | None = None


class ModalitySuiteModel(HarnessSuiteModel):
    """A suite of entries whose claims are of several modalities."""

    cases: Annotated[tuple[ModalityCaseModel, ...], BeforeValidator(read_some)]


class PolaritySuiteModel(HarnessSuiteModel):
    """A suite of documents that assert, decline and suppose."""

    cases: Annotated[tuple[PolarityCaseModel, ...], BeforeValidator(read_some)]


class ValiditySuiteModel(HarnessSuiteModel):
    """A suite of documents some of whose claims stop being true."""

    cases: Annotated[tuple[ValidityCaseModel, ...], BeforeValidator(read_some)]
    date_tolerance_days: Count = Field(default=3, ge=0)


SuiteModels = ModalitySuiteModel | PolaritySuiteModel | ValiditySuiteModel
CaseModels = ModalityCaseModel | PolarityCaseModel | ValidityCaseModel
LabelModels = ModalityLabelModel | PolarityLabelModel | ValidityLabelModel

MODELS: dict[HarnessKind, type[SuiteModels]] = {
    HarnessKind.MODALITY: ModalitySuiteModel,
    HarnessKind.POLARITY: PolaritySuiteModel,
    HarnessKind.VALIDITY: ValiditySuiteModel,
}

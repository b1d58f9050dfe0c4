"""The frozen shape of a suite file: which keys it has and what each of them takes.

Strict inside cases, expected claims and gold subjects, where a misspelt key would lose gold data.
At the root, and in the list of metrics, unknown keys are let through and warned of, so that a suite
may carry what a newer runner understands.
"""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from evals_pipeline.core.edges import EdgeModel, Flag, Moment, Number, Text, member_of, read_some
from evals_pipeline.core.outcomes import UncertaintyNature
from evals_pipeline.sets.fixtures import ContentHash
from evals_pipeline.sets.paths import is_plain_name


def _read_fixture_id(text: str) -> str:
    if not is_plain_name(text):
        raise ValueError("must be a plain name of letters, digits, '.', '_' and '-'")
    return text


FixtureId = Annotated[Text, AfterValidator(_read_fixture_id)]
Nature = Annotated[UncertaintyNature, BeforeValidator(member_of(UncertaintyNature))]
SuiteId = Annotated[Text, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
AuthorityRef = Annotated[Text, Field(pattern=r"^[^\s:]+:\S+$")]


class ExpectedModel(EdgeModel):
    """One expected claim."""

    content: Text
    confidence_min: Number = Field(ge=0, le=1)
    uncertainty_nature: Nature
    required: Flag = True


class SnapshotModel(EdgeModel):
    """An inline snapshot; only the hash of the inline content is needed."""

    content_hash: ContentHash
    snapshot_id: Text | None = None
    captured_at: Moment | None = None
    content_published_at: Moment | None = None
    etag: Text | None = None
    last_modified: Text | None = None
    warc_record_type: Text | None = None
    archive_path: Text | None = None
    refers_to: Text | None = None
    extraction_status: Text | None = None
    author_id: Text | None = None
    author_role: Text | None = None


class CaseModel(EdgeModel):
    """One document and the claims expected of it; a fixture or an inline snapshot, never both."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["fixture"]},
                {"required": ["source_snapshot", "inline_content"]},
            ]
        }
    )

    case_id: Text = Field(max_length=200)
    fixture: FixtureId | None = None
    source_snapshot: SnapshotModel | None = None
    inline_content: str | None = None
    expected: tuple[ExpectedModel, ...]


class GoldSubjectModel(EdgeModel):
    """A named entity; ``ref`` must be stated, null where no authority holds it."""

    case_id: Text
    name: Text
    ref: AuthorityRef | None
    mention: Text | None = None
    note: Text | None = None


class MetricModel(EdgeModel):
    """A metric that a suite documents; nothing is computed from it."""

    model_config = ConfigDict(extra="allow")

    name: Text
    definition: Text


class SuiteModel(EdgeModel):
    """A claim suite."""

    model_config = ConfigDict(extra="allow")

    suite_id: SuiteId
    name: Text
    version: Text
    domain: Text
    source_types: Annotated[tuple[Text, ...], BeforeValidator(read_some)]
    cases: Annotated[tuple[CaseModel, ...], BeforeValidator(read_some)]
    metrics: tuple[MetricModel, ...] = ()
    published_by: Text | None = None
    published_at: Moment | None = None
    gold_subjects: tuple[GoldSubjectModel, ...] = ()

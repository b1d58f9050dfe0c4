"""The shape of a golden set's ``set.yaml``: fields, how each compares, the gate's limits."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from evals_pipeline.core.edges import (
    Count,
    EdgeModel,
    Exact,
    Flag,
    Number,
    Text,
    complete_refusal,
    read_some,
    read_text,
)
from evals_pipeline.core.errors import did_you_mean
from evals_pipeline.sets.conventions import (
    ConventionModel,
    Currency,
    DateFormat,
    LocaleName,
    reads_two_digit_years,
)
from evals_pipeline.sets.tolerances import ToleranceText

KINDS_GROUP = "evals_pipeline.kinds"

# Which parameters each kind of ours reads. A kind that another package adds may read any.
_READS = {
    "boolean": frozenset({"values"}),
    "date": frozenset({"formats", "locale", "pivot"}),
    "enum": frozenset({"values"}),
    "identifier": frozenset[str](),
    "list": frozenset({"item", "ordered"}),
    "money": frozenset({"credit_is_positive", "currency", "locale"}),
    "number": frozenset(
        {"absolute_tolerance", "credit_is_positive", "locale", "relative_tolerance"}
    ),
    "percent": frozenset({"absolute_tolerance", "relative_tolerance", "locale"}),
    "table": frozenset({"columns", "key"}),
    "text": frozenset({"threshold"}),
}
_NESTING = ("list", "table")


@cache
def known_kinds() -> tuple[str, ...]:
    """The value kinds there are: ours, and those that installed packages add."""
    return tuple(sorted({*_READS, *(point.name for point in entry_points(group=KINDS_GROUP))}))


def _read_kind(raw: object) -> object:
    kind = str(read_text(raw))
    if kind not in known_kinds():
        remedy = did_you_mean(kind, known_kinds())
        raise complete_refusal(f"no such kind, got {kind[:40]!r}", remedy=remedy)
    return kind


def _read_values(raw: object) -> object:
    """A vocabulary as members with synonyms; a plain list has none."""
    if isinstance(raw, list):
        return {str(member): () for member in raw if read_text(member)}
    if isinstance(raw, dict):
        return {member: synonyms or () for member, synonyms in raw.items()}
    return raw


Kind = Annotated[
    str, BeforeValidator(_read_kind), Field(json_schema_extra={"examples": sorted(_READS)})
]
Vocabulary = Annotated[
    dict[Text, tuple[Text, ...]],
    BeforeValidator(_read_values),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {
                    "type": "object",
                    "additionalProperties": {
                        "type": ["array", "null"],
                        "items": {"type": "string"},
                    },
                },
            ]
        }
    ),
]
FieldName = Annotated[str, Field(pattern=r"^[^\W\d][\w.-]{0,99}$")]
SetName = Annotated[Text, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=100)]


class PartModel(EdgeModel):
    """How one value is compared: of a field, a column of a table, an item of a list."""

    kind: Kind
    threshold: Number | None = Field(default=None, gt=0, le=1)
    formats: tuple[DateFormat, ...] = ()
    locale: LocaleName | None = None
    currency: Currency | None = None
    absolute_tolerance: Exact | None = Field(default=None, ge=0)
    relative_tolerance: Exact | None = Field(default=None, ge=0)
    pivot: Count | None = Field(default=None, ge=1, le=9900)
    credit_is_positive: Flag = False
    values: Vocabulary = Field(default_factory=dict)
    ordered: Flag = False
    item: "PartModel | None" = None
    key: tuple[Text, ...] = ()
    columns: "dict[FieldName, PartModel]" = Field(default_factory=dict)
    description: Text | None = None

    @model_validator(mode="after")
    def _parameters_of_its_kind(self) -> Self:
        problems = [*_foreign_parameters(self), *_problems_of_kind(self)]
        if problems:
            raise complete_refusal("; ".join(problems))
        return self


class FieldModel(PartModel):
    """A field of the set; ``weight`` orders reviews and never changes a figure."""

    weight: Exact = Field(default=1, ge=0, validate_default=True)
    tolerance: ToleranceText | None = None


class GateModel(EdgeModel):
    """The limits of the set's gate."""

    tolerance: ToleranceText = Field(default="0 docs", validate_default=True)
    max_errors: Count = Field(default=0, ge=0)
    disagreement: Exact = Field(default=0.1, gt=0, le=1, validate_default=True)
    min_runs: Count = Field(default=1, ge=1)
    calibration_tolerance: Exact | None = Field(default=None, ge=0, lt=1)


class SetModel(ConventionModel):
    """A golden set."""

    set: SetName
    source_type: Text
    description: Text | None = None
    prompt: Text | None = None
    sources: dict[Text, ConventionModel] = Field(default_factory=dict)
    fields: Annotated[dict[FieldName, FieldModel], BeforeValidator(read_some)]
    gate: GateModel = Field(default_factory=GateModel)


def _foreign_parameters(part: PartModel) -> Iterator[str]:
    """Parameters that the kind does not read: they would look as if they did something."""
    always = {"kind", "description", "weight", "tolerance"}
    reads = _READS.get(part.kind)
    for name in sorted(part.model_fields_set - always):
        if reads is not None and name not in reads:
            readers = [kind for kind, names in _READS.items() if name in names]
            yield f"{name} is not for kind {part.kind}, but for {', '.join(readers)}"


def _problems_of_kind(part: PartModel) -> Iterator[str]:
    if part.kind == "date" and part.pivot is None:
        if short := [text for text in part.formats if reads_two_digit_years(text)]:
            yield f"{short[0]!r} reads years of two digits; state pivot, the first year of them"
    elif part.kind in ("enum", "boolean"):
        yield from _vocabulary_problems(part)
    elif part.kind == "list" and part.item is not None and part.item.kind in _NESTING:
        yield f"an item cannot be a {part.item.kind}"
    elif part.kind == "table":
        yield from _table_problems(part)


def _vocabulary_problems(part: PartModel) -> Iterator[str]:
    if part.kind == "enum" and not part.values:
        yield "values is missing; an enum states its members"
    if part.kind == "boolean" and set(part.values) - {"true", "false"}:
        yield "the values of a boolean are true and false"
    owners: dict[str, str] = {}
    for member, synonyms in part.values.items():
        for word in (member, *synonyms):
            owner = owners.setdefault(word.casefold(), member)
            if owner != member:
                yield f"{word!r} stands for both {owner!r} and {member!r}"


def _table_problems(part: PartModel) -> Iterator[str]:
    if not part.columns:
        yield "columns is missing; a table states its columns"
    for name in part.key:
        if name not in part.columns:
            yield f"key {name!r} is no column. {did_you_mean(name, [*part.columns])}".rstrip(" .?")
    if len(set(part.key)) != len(part.key):
        yield "key names a column twice"
    for name, column in part.columns.items():
        if column.kind == "table":
            yield f"the column {name} cannot be a table"

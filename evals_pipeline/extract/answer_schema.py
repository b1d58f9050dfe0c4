"""The JSON Schema that an answer has to follow, built from a set's fields or for claims.

It keeps to what strict structured output takes everywhere: every key required, no further keys, an
absent value as null. Ranges and patterns are left out, since endpoints do not hold models to them;
what comes back is checked here in any case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evals_pipeline.core.harness_records import Polarity
from evals_pipeline.core.records import FieldSpec, JsonValue

# What to write for a value of each kind; shown to the model beside the field's name.
_WORDS = {
    "money": "an amount, copied as printed",
    "number": "a number, copied as printed",
    "percent": "a percentage, copied as printed",
    "date": "a date as YYYY-MM-DD",
    "identifier": "a code, copied character by character",
    "text": "text, copied as printed",
    "boolean": "true or false",
}


class ClaimProperty(StrEnum):
    """What a prompt may ask of every claim besides its content; harnesses measure it."""

    MODALITY = "modality"
    POLARITY = "polarity"
    VALID_UNTIL = "valid_until"


_PROPERTY_SCHEMAS: dict[ClaimProperty, JsonValue] = {
    ClaimProperty.MODALITY: {
        "type": "string",
        "enum": ["FALSIFIABLE", "EVALUATIVE", "EXPERIENTIAL", "NARRATIVE"],
    },
    ClaimProperty.POLARITY: {"type": "string", "enum": [name.value for name in Polarity]},
    ClaimProperty.VALID_UNTIL: {"type": ["string", "null"]},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """A field as a prompt sees it; ``{{ field }}`` gives the whole line."""

    name: str
    kind: str
    description: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.description}"


class FieldList(tuple[FieldView, ...]):
    """The fields of a set; ``{{ fields }}`` gives one line a field, and a loop gives each."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(f"- {view}" for view in self)


def field_views(specs: Sequence[FieldSpec]) -> FieldList:
    """The fields of a set for its prompt."""
    return FieldList(
        FieldView(
            name=spec.name, kind=spec.kind, description=describe(spec), values=tuple(spec.values)
        )
        for spec in specs
    )


def describe(spec: FieldSpec) -> str:
    """What a field holds and how to write it, in one line.

    >>> describe(FieldSpec(name="due_date", kind="date"))
    'a date as YYYY-MM-DD'
    """
    if spec.kind == "enum":
        words = "one of " + ", ".join(spec.values)
    elif spec.kind == "list":
        words = f"an array; each item {describe(spec.item)}" if spec.item else "an array of text"
    elif spec.kind == "table":
        columns = "; ".join(f"{column.name}: {describe(column)}" for column in spec.columns)
        words = f"an array of rows, each with {columns}"
    else:
        words = _WORDS.get(spec.kind, "text, copied as printed")
    return f"{spec.description} ({words})" if spec.description else words


def schema_for_fields(specs: Sequence[FieldSpec], *, with_confidence: bool) -> dict[str, JsonValue]:
    """The schema of an object with every field, each as a value or as value and confidence."""
    properties: dict[str, JsonValue] = {}
    for spec in specs:
        value = _value_schema(spec)
        if with_confidence:
            value = _object({"value": value, "confidence": {"type": "number"}})
        properties[spec.name] = value
    return _object(properties)


def schema_for_claims(
    *, with_confidence: bool, properties: Sequence[ClaimProperty] = ()
) -> dict[str, JsonValue]:
    """The schema of ``{"claims": [{"content", "confidence", "subjects", …}]}``.

    ``properties`` are asked for of every claim besides.
    """
    claim: dict[str, JsonValue] = {"content": {"type": "string"}}
    if with_confidence:
        claim["confidence"] = {"type": "number"}
    claim["subjects"] = {"type": "array", "items": {"type": "string"}}
    claim |= {name.value: _PROPERTY_SCHEMAS[name] for name in properties}
    return _object({"claims": {"type": "array", "items": _object(claim)}})


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _value_schema(spec: FieldSpec) -> JsonValue:
    match spec.kind:
        case "boolean":
            return {"type": ["boolean", "null"]}
        case "enum":
            return {"type": ["string", "null"], "enum": [*spec.values, None]}
        case "list":
            item: JsonValue = _value_schema(spec.item) if spec.item else {"type": "string"}
            return {"type": ["array", "null"], "items": item}
        case "table":
            row = _object({column.name: _value_schema(column) for column in spec.columns})
            return {"type": ["array", "null"], "items": row}
        case _:
            return {"type": ["string", "null"]}

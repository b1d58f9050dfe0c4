"""The schema of an answer: strict, and one for the fields that the set has."""

import pytest

from evals_pipeline.core.records import FieldSpec
from evals_pipeline.extract.answer_schema import describe, schema_for_claims, schema_for_fields

TEXT = {"type": ["string", "null"]}


def spec(kind, **more):
    return FieldSpec(name="f", kind=kind, **more)


LINES = spec(
    "table", columns=(FieldSpec(name="what", kind="text"), FieldSpec(name="paid", kind="boolean"))
)


@pytest.mark.parametrize("kind", ["text", "money", "number", "percent", "date", "identifier"])
def test_single_values_are_text_or_null(kind):
    assert schema_for_fields([spec(kind)], with_confidence=False)["properties"] == {"f": TEXT}


def test_a_closed_vocabulary_is_closed():
    found = schema_for_fields([spec("enum", values={"A": ("x",), "B": ()})], with_confidence=False)

    assert found["properties"] == {"f": {"type": ["string", "null"], "enum": ["A", "B", None]}}


def test_tables_and_lists_are_arrays():
    table = schema_for_fields([LINES], with_confidence=False)["properties"]
    items = schema_for_fields([spec("list", item=spec("money"))], with_confidence=False)

    assert table["f"]["type"] == ["array", "null"]
    assert table["f"]["items"]["properties"] == {
        "what": TEXT,
        "paid": {"type": ["boolean", "null"]},
    }
    assert items["properties"] == {"f": {"type": ["array", "null"], "items": TEXT}}


def test_confidence_stands_beside_each_value():
    found = schema_for_fields([spec("text")], with_confidence=True)["properties"]["f"]

    assert found["properties"] == {"value": TEXT, "confidence": {"type": "number"}}
    claim = schema_for_claims(with_confidence=True)["properties"]["claims"]["items"]
    assert list(claim["properties"]) == ["content", "confidence", "subjects"]
    bare = schema_for_claims(with_confidence=False)["properties"]["claims"]["items"]
    assert list(bare["properties"]) == ["content", "subjects"]


def objects_in(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects_in(inner)


@pytest.mark.parametrize(
    "schema",
    [
        schema_for_fields([LINES, spec("list", item=spec("date"))], with_confidence=True),
        schema_for_claims(with_confidence=True),
    ],
)
def test_every_object_is_closed_and_complete_as_strict_endpoints_require(schema):
    found = list(objects_in(schema))

    assert len(found) >= 2
    for one in found:
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (spec("date"), "a date as YYYY-MM-DD"),
        (spec("enum", values={"A": (), "B": ()}), "one of A, B"),
        (spec("list", item=spec("money")), "an array; each item an amount, copied as printed"),
        (LINES, "an array of rows, each with what: text, copied as printed; paid: true or false"),
        (spec("date", description="Last day"), "Last day (a date as YYYY-MM-DD)"),
        (spec("of-a-plugin"), "text, copied as printed"),
    ],
)
def test_fields_in_words(what, words):
    assert describe(what) == words

from pathlib import Path

import pytest

from evals_pipeline.sets.schemas import PUBLISHED, json_schema, schema_text, write_schemas

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_schemas_are_those_of_the_loaders(name):
    published = (PROJECT / PUBLISHED[name]).read_text(encoding="utf-8")
    assert published == schema_text(name), "write them again: sets.schemas.write_schemas(project)"


def test_schemas_are_written_beside_the_files_they_describe(tmp_path: Path):
    write_schemas(tmp_path)
    assert (tmp_path / "golden" / "label.schema.json").read_text("utf-8") == schema_text("label")


def test_a_suite_schema_is_as_strict_as_the_loader():
    schema = json_schema("suite")
    case, expected = schema["$defs"]["CaseModel"], schema["$defs"]["ExpectedModel"]
    assert schema["additionalProperties"] is True
    assert case["additionalProperties"] is False
    assert expected["additionalProperties"] is False
    assert [*expected["required"]] == ["content", "confidence_min", "uncertainty_nature"]
    assert len(case["oneOf"]) == 2


def test_a_set_schema_writes_limits_in_the_words_of_json_schema():
    text = schema_text("set")
    assert '"exclusiveMinimum": 0' in text
    assert '"gt"' not in text
    assert '"ge"' not in text
    tolerance = json_schema("set")["$defs"]["GateModel"]["properties"]["tolerance"]
    assert [part["type"] for part in tolerance["anyOf"]] == ["string", "number"]


def test_a_label_schema_names_what_every_label_states():
    assert json_schema("label")["required"] == ["doc", "labelled_by", "labelled_at", "fields"]

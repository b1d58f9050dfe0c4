"""What a prompt may ask of every claim besides its content."""

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.extract.prompts import answer_schema, load_prompt

HEAD = "---\noutput: {output}\nproperties: {properties}\n---\n{{{{ document }}}}\n"


def load(properties: str, output: str = "claims"):
    return load_prompt(HEAD.format(output=output, properties=properties), where="p.md")


def test_each_property_is_asked_of_every_claim():
    schema = answer_schema(load("[polarity, valid_until]"), ())
    claim = schema["properties"]["claims"]["items"]
    assert claim["required"] == ["content", "confidence", "subjects", "polarity", "valid_until"]
    assert claim["properties"]["polarity"]["enum"] == ["ASSERTED", "DECLINED", "HYPOTHETICAL"]
    assert claim["properties"]["valid_until"]["type"] == ["string", "null"]
    assert "modality" not in claim["properties"]


def test_without_properties_a_claim_is_what_it_was():
    plain = load_prompt("---\noutput: claims\n---\n{{ document }}\n", where="p.md")
    claim = answer_schema(plain, ())["properties"]["claims"]["items"]
    assert claim["required"] == ["content", "confidence", "subjects"]


def test_a_property_that_does_not_exist_comes_with_the_nearest():
    with pytest.raises(InputError, match='Did you mean "polarity"'):
        load("[polarty]")


def test_fields_have_no_properties():
    with pytest.raises(InputError, match="properties are asked of claims"):
        load("[polarity]", output="fields")

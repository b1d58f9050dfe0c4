"""Where values stand in the text of an answer."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.extract.value_spans import Span, value_spans

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def at(text, path):
    span = value_spans(text)[path]
    return text.encode()[span.start : span.end].decode()


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from("abc"), values), st.booleans(), st.sampled_from([None, 2]))
def test_what_stands_at_a_place_is_the_value(value, is_ascii, indent):
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    spans = value_spans(f"Sure:\n{text}\nDone.")

    for name, inner in value.items():
        found = at(f"Sure:\n{text}\nDone.", (name,))
        quoted = f'"{found}"' if isinstance(inner, str) and inner else found
        assert json.loads(quoted) == inner
    assert ((),) not in spans


def test_nested_values_have_paths():
    text = '{"lines": [{"amount": "1,5"}, {"amount": null}], "é": "ü"}'

    assert at(text, ("lines", 0, "amount")) == "1,5"
    assert at(text, ("lines", 1, "amount")) == "null"
    assert at(text, ("é",)) == "ü"
    assert value_spans('{"a": ""}')[("a",)] == Span(start=6, end=8)


@pytest.mark.parametrize(
    "text",
    ["", "no json", "{", '{"a"', '{"a": ', '{"a": [1, 2', '{"a" 1}', '{"a": 1 "b": 2}', "[1 2]",
     "[" * 5000],
)  # fmt: skip
def test_what_is_no_whole_json_has_no_places(text):
    assert value_spans(text) == {}

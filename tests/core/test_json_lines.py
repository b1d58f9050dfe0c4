"""The line of a value of a JSON text."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.json_lines import JsonLines
from evals_pipeline.core.strict_json import loads

TEXT = """{
  "a": 1,
  "b": [
    "x: {\\" [",
    {"c": null,
     "d": []},
    [7,
     8]
  ],
  "e": {"a": true}
}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("a",), 2),
        (("b",), 3),
        (("b", 0), 4),
        (("b", 1), 5),
        (("b", 1, "c"), 5),
        (("b", 1, "d"), 6),
        (("b", 2, 1), 8),
        (("e", "a"), 10),
        (("e", "missing"), 10),
        (("missing",), 1),
    ],
)
def test_the_line_is_that_of_the_key_or_of_what_holds_it(path, line):
    assert JsonLines(TEXT).line_of(path) == line
    assert JsonLines(TEXT.encode()).line_of(path) == line


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=40, deadline=None)
@given(values)
def test_every_value_stands_on_its_line(value):
    text = json.dumps(value, indent=1)
    lines, finder = text.split("\n"), JsonLines(text)

    def look(one: object, path: tuple[str | int, ...]) -> None:
        if path:
            shown = json.dumps(path[-1]) + ": " if isinstance(path[-1], str) else ""
            start = json.dumps(one, indent=1).split("\n")[0]
            assert lines[finder.line_of(path) - 1].strip().startswith(shown + start)
        if isinstance(one, dict | list):
            for key, item in one.items() if isinstance(one, dict) else enumerate(one):
                look(item, (*path, key))

    look(value, ())


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "1" * 1001])
def test_a_number_that_is_refused_has_its_line(number):
    with pytest.raises(InputError) as caught:
        loads(f'{{"a": "NaN",\n "b": [1,\n {number}]}}', where="x")
    assert [fault.line for fault in caught.value.faults] == [3]

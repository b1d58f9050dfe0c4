"""What a model's answer is read as, and what is refused."""

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core import strict_json
from evals_pipeline.core.answer_text import parse_answer
from evals_pipeline.core.outcomes import ExtractionStatus

OK = ExtractionStatus.OK
TRUNCATED = ExtractionStatus.TRUNCATED
UNPARSABLE = ExtractionStatus.UNPARSABLE


def test_plain_json_is_neither_recovered_nor_repaired():
    answer = parse_answer(' \n{"total": 12.50, "po": null}\n', finish_reason="stop")

    assert answer.status is OK
    assert answer.value == {"total": Decimal("12.50"), "po": None}
    assert (answer.recovered, answer.repaired, answer.reason) == (False, False, None)


def test_a_byte_order_mark_is_no_text_around_the_value():
    assert parse_answer('\ufeff{"a": 1}', finish_reason=None).recovered is False


@pytest.mark.parametrize(
    "text",
    [
        'The `total` is in here: {"a": 1}',
        '```json\n{"a": 1}\n```',
        '~~~\n{"a": 1}\n~~~',
        '```\n{"a": 1}\n``` Let me know if you need more [2] or {other} things.',
        '<think>perhaps {"a": 7}? no</think>\n{"a": 1}',
        '<THINK>perhaps {"a": 7}</THINK>{"a": 1}',
        'perhaps {"a": 7}? no\n</think>\n```json\n{"a": 1}\n```',
        '<thinking>{"a": </thinking>{"a": 1}',
        'As in [1], the set {x | x > 0} gives {"a": 1}',
        '{"a": 1}\n\nTo repeat:\n{ "a":1 }',
    ],
)
def test_what_stands_around_the_value_is_stepped_over_and_shown(text):
    answer = parse_answer(text, finish_reason="stop")

    assert answer.status is OK, answer.reason
    assert answer.value == {"a": 1}
    assert answer.recovered is True
    assert answer.repaired is False


def test_marks_inside_a_string_are_text():
    text = '{"note": "see <think> and ``` and } and </think>", "b": [1]}'

    for wrapped in (text, f"Answer: {text}", f"```\n{text}\n```"):
        answer = parse_answer(wrapped, finish_reason="stop")
        assert answer.value == {"note": "see <think> and ``` and } and </think>", "b": [1]}


@pytest.mark.parametrize("text", ['[{"content": "x"}]', 'Claims: [{"content": "x"}].'])
def test_an_array_of_objects_is_an_answer(text):
    assert parse_answer(text, finish_reason="stop").value == [{"content": "x"}]


@pytest.mark.parametrize("text", ["[]", "None were found: []", "```json\n[ ]\n```"])
def test_an_empty_array_is_an_answer(text):
    assert parse_answer(text, finish_reason="stop").value == []


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])
@pytest.mark.parametrize("text", ['{"rows": ["p", "q"', '{"rows": ["p", "q"]}', ""])
def test_an_answer_at_the_output_limit_is_truncated_even_when_it_reads(reason, text):
    answer = parse_answer(text, finish_reason=reason)

    assert answer.status is TRUNCATED
    assert answer.value is None
    assert reason in (answer.reason or "")


@pytest.mark.parametrize(
    "text",
    ['{"rows": ["p", "q"', '{"rows": "p', '{"a": 1} and now {"a": 2, "b', "<think>so {"],
)
def test_an_open_end_is_truncated_unless_the_model_is_known_to_have_stopped(text):
    assert parse_answer(text, finish_reason=None).status is TRUNCATED
    assert parse_answer(text, finish_reason="stop").status is UNPARSABLE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,\n], "b": "x,]",}', {"a": [1, 2], "b": "x,]"}),
        ('```json\n{"a": {"b": 1,},}\n```', {"a": {"b": 1}}),
    ],
)
def test_trailing_commas_are_mended_in_the_open(text, value):
    answer = parse_answer(text, finish_reason="stop")

    assert answer.value == value
    assert answer.repaired is True


@pytest.mark.parametrize(
    "text",
    [
        '{"match": true} ... in the end: {"match": false}',
        '{"flag": true}\n{"flag": 1}',
        'The form is {"a": null}, so here it is: {"a": 3}',
        '[{"content": "x"}] {"content": "y"}',
    ],
)
def test_values_that_contradict_one_another_are_refused(text):
    answer = parse_answer(text, finish_reason="stop")

    assert answer.status is UNPARSABLE
    assert answer.value is None
    assert "contradict" in (answer.reason or "")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"a": ' + "9" * 5000 + "}",
        '{"a": ' + "[" * 500 + "]" * 500 + "}",
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "{'a': 1}",
        '{"a": 1,, "b": 2}',
        '{"a": 1} is not {"a": 1, "a": 2}',
        '{"a": True}',
    ],
)
def test_what_strict_json_refuses_carries_no_value(text):
    answer = parse_answer(text, finish_reason="stop")

    assert answer.status is UNPARSABLE
    assert answer.value is None
    assert answer.reason


@pytest.mark.parametrize(
    "text", ["", "  \n", "I cannot help with that.", "42", '"{\\"a\\": 1}"', "null"]
)
def test_no_object_is_unparsable(text):
    assert parse_answer(text, finish_reason="stop").status is UNPARSABLE


@pytest.mark.parametrize(
    "text", ['No {} there. {"a": 1}', '{"a": 1}, otherwise {}', '{} {} {"a": 1}']
)
def test_empty_braces_beside_an_object_deny_nothing(text):
    answer = parse_answer(text, finish_reason="stop")
    assert (answer.status, answer.value) == (ExtractionStatus.OK, {"a": 1})


def test_empty_braces_alone_are_an_object():
    assert parse_answer("I found: {}", finish_reason="stop").value == {}


@pytest.mark.parametrize("reason", ["content_filter", "refusal", "SAFETY"])
def test_a_withheld_answer_carries_no_value(reason):
    assert parse_answer('{"a": 1}', finish_reason=reason).status is UNPARSABLE


@pytest.mark.parametrize(
    "text",
    [
        "{" * 400_000,
        '{"' * 200_000,
        '"\\' * 200_000,
        '{"a": "' + '\\"' * 200_000,
        "{" + " " * 400_000,
        ("{" + " " * 600) * 600,
        "<think>" * 60_000,
        "</think>" * 60_000,
        '{"a": 1} ' * 20_000,
        "," * 400_000,
        '{"a": [' + ", " * 200_000 + "]}",
    ],
    ids=range(11),
)
def test_hostile_text_takes_linear_time(text):
    started = time.perf_counter()
    parse_answer(text, finish_reason="stop")

    # Quadratic reading of these takes minutes; the limit leaves room for a busy machine.
    assert time.perf_counter() - started < 10


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4))
def test_any_object_written_strictly_is_read_back_alone_and_in_a_fence(value):
    text = strict_json.dumps(value)

    assert parse_answer(text, finish_reason="stop").value == value
    assert parse_answer(f"Here:\n```json\n{text}\n```", finish_reason=None).value == value


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=6), JSON_VALUES, min_size=1, max_size=4), st.data())
def test_a_cut_object_never_yields_a_value(value, data):
    text = strict_json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))

    assert parse_answer(text[:cut], finish_reason=None).status is not OK


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_without_a_crash(text):
    answer = parse_answer(text, finish_reason=None)

    assert (answer.status is OK) == (answer.reason is None)

"""Reading replies: whatever a server sends, and not a letter altered."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.run_records import Usage
from evals_pipeline.llm.failures import CallFailedError
from evals_pipeline.llm.logprobs import TokenLine
from evals_pipeline.llm.replies import read_reply

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def reply(**parts):
    envelope = {"choices": [{"message": {"content": "x"}}], **parts}
    return read_reply(json.dumps(envelope))


@settings(max_examples=50)
@given(envelope=json_values, message=json_values, rest=json_values)
def test_whatever_a_server_sends_is_a_reply_or_a_failed_call(envelope, message, rest):
    whole = {"choices": [{"message": message, "logprobs": rest}], "usage": rest, "model": rest}
    for body in (envelope, whole, {**whole, "choices": envelope, "error": message}):
        try:
            text = read_reply(json.dumps(body)).text
        except CallFailedError:
            continue
        assert text.encode("utf-8").decode("utf-8") == text


def test_cached_tokens_are_part_of_the_input_in_both_spellings():
    one = {
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    two = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}
    expected = Usage(input_tokens=10, cached_input_tokens=4, output_tokens=2)

    assert reply(usage=one).usage == reply(usage=two).usage == expected
    more_than_all = {**two, "prompt_cache_hit_tokens": 99}
    assert (found := reply(usage=more_than_all).usage) is not None
    assert found.cached_input_tokens == 10


def token(text, logprob, **more):
    return {"token": text, "logprob": logprob, **more}


def with_tokens(text, tokens):
    choice = {"message": {"content": text}, "logprobs": {"content": tokens}}
    return read_reply(json.dumps({"choices": [choice]})).tokens


def test_tokens_are_laid_along_the_text():
    tokens = [token("```", -1), token('{"a"', -0.5), token(":1}", -0.25), token("", -3)]

    assert with_tokens('{"a":1}', tokens) == TokenLine(ends=(4, 7), logprobs=(-0.5, -0.25))


def test_a_letter_split_between_tokens_is_put_together_from_its_bytes():
    tokens = [token("\ufffd", -1, bytes=[0xC3]), token("\ufffd", -2, bytes=[0xA9])]

    assert with_tokens("é", tokens) == TokenLine(ends=(1, 2), logprobs=(-1.0, -2.0))


@pytest.mark.parametrize(
    "tokens",
    [
        [token("other", -1)],
        [token("x", None)],
        [token("x", float("nan"))],
        [token("x", float("-inf"))],
        [{"token": "x"}],
        [None],
        "x",
    ],
)
def test_tokens_that_cannot_be_used_leave_no_line(tokens):
    assert with_tokens("x", tokens) == TokenLine()


def test_a_message_from_outside_is_kept_short():
    with pytest.raises(CallFailedError) as raised:
        read_reply(json.dumps({"error": {"message": "long\n" * 500}}))

    assert len(raised.value.reason) < 400
    assert "\n" not in raised.value.reason

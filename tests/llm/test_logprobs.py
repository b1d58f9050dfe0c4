"""Tokens along a text, and the probability of a part of it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.llm.logprobs import (
    RawToken,
    TokenLine,
    align,
    joint_probability,
    typical_probability,
)


def tokens(*parts):
    return [RawToken(content=text.encode(), logprob=logprob) for text, logprob in parts]


LINE = align(
    '{"a":"xy"}', tokens(('{"', -1.0), ('a":', -0.5), ('"x', -0.25), ("y", -2.0), ('"}', 0.0))
)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 2, (-1.0,)), (6, 8, (-0.25, -2.0)), (7, 8, (-2.0,)), (8, 8, ()), (9, 99, (0.0,))],
)
def test_a_part_has_the_tokens_that_touch_it(start, end, expected):
    assert LINE.span_logprobs(start, end) == expected


@settings(max_examples=50)
@given(st.lists(st.tuples(st.text(max_size=4), st.floats(-5, 0)), max_size=8), st.text(max_size=3))
def test_tokens_cover_the_text_whatever_stands_around_it(parts, fence):
    text = "".join(part for part, _ in parts)
    line = align(text, tokens((fence, -1.0), *parts, (fence, -1.0)))

    assert list(line.ends) == sorted(line.ends)
    if text:
        assert line.ends[-1] == len(text.encode())
    else:
        assert line == TokenLine()


def test_a_text_that_is_not_there_has_no_line():
    assert align("xyz", tokens(("x", -1.0), ("z", -1.0))) == TokenLine()
    assert align("", tokens(("x", -1.0))) == TokenLine()


def test_probabilities():
    half = math.log(0.5)

    assert joint_probability([half, half]) == pytest.approx(0.25)
    assert typical_probability([half, half]) == pytest.approx(0.5)
    assert joint_probability([]) is None
    assert typical_probability([]) is None

"""Estimates are made without a call, and say what they rest on."""

from decimal import Decimal

import pytest

from evals_pipeline.core.settings import PriceOverride
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.estimate import input_tokens, n_leaves, output_tokens
from evals_pipeline.llm.request import ImagePart, Message, Sampling, TextPart
from tests.llm.asks import door, question, questions
from tests.llm.loopback import completion, loopback

NOWHERE = "http://127.0.0.1:9/v1"


def test_the_estimate_counts_calls_recorded_answers_tokens_and_money(tmp_path):
    prices = PriceBook({"tiny-1": PriceOverride(input=10, output=50)})
    with loopback(lambda call: completion(usage=(100, 30))) as server:
        door(server.url, tmp_path, prices=prices).ask_all(questions(3))
        found = door(server.url, tmp_path, prices=prices, environ={}).estimate(
            [*questions(5), question("q0")]
        )

        assert len(server.calls) == 3
    assert (found.planned, found.recorded, found.calls) == (5, 3, 2)
    assert found.output_tokens == 60  # two calls at the mean of the recorded three
    assert found.usd == Decimal(found.input_tokens * 10 + 60 * 50) / 10**6


def test_an_unknown_price_is_unknown_and_says_where_to_state_it(tmp_path):
    found = door(NOWHERE, tmp_path).estimate(questions(2))

    assert found.usd is None
    assert any("tool.evals.prices" in note for note in found.notes)


def test_nothing_to_ask_costs_nothing(tmp_path):
    found = door(NOWHERE, tmp_path).estimate([])

    assert (found.calls, found.usd, found.notes) == (0, Decimal(0), ())


def test_four_bytes_are_a_token():
    plain = question("x" * 400, schema=None)
    picture = ImagePart(data_url="data:,", identity="i")
    shown = question(
        schema=None, messages=(Message(role="user", parts=(TextPart(text="x" * 400), picture)),)
    )

    assert input_tokens(plain) == 104  # 400 / 4, and four for the message
    assert input_tokens(shown) == 104 + 1100
    assert input_tokens(question("é" * 200, schema=None)) == 104


@pytest.mark.parametrize(
    ("schema", "leaves"),
    [
        ({"type": "string"}, 1),
        ({"type": "object", "properties": {"a": {}, "b": {}}}, 2),
        ({"type": "array", "items": {"type": "object", "properties": {"a": {}, "b": {}}}}, 10),
    ],
)
def test_the_leaves_of_a_schema(schema, leaves):
    assert n_leaves(schema) == leaves


def test_the_answer_is_not_longer_than_its_limit():
    short = question(sampling=Sampling(max_output_tokens=5))

    assert output_tokens(short, mean=None) == 5
    assert output_tokens(question(), mean=None) == 20
    assert output_tokens(question(), mean=7.6) == 8
    assert output_tokens(question(schema=None), mean=None) == 256

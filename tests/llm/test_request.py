"""The key covers what shapes the answer, and nothing else."""

from decimal import Decimal

import pytest

from evals_pipeline.llm.request import (
    AnswerRequest,
    ImagePart,
    Message,
    Purpose,
    Sampling,
    TextPart,
    answer_key,
)
from tests.llm.asks import SCHEMA, question


def key(request: AnswerRequest, *, provider="openai", model="m"):
    return answer_key(request, provider=provider, model=model)


def picture(data_url="data:image/png;base64,AA", identity="sha256:1#page=1"):
    part = ImagePart(data_url=data_url, identity=identity)
    return question(messages=(Message(role="user", parts=(TextPart(text="q"), part)),))


@pytest.mark.parametrize(
    "other",
    [
        question("r"),
        question(messages=(Message.of_text("system", "q"),)),
        question(messages=(Message.of_text("user", "q"), Message.of_text("user", ""))),
        question(run_index=1),
        question(schema=None),
        question(schema={**SCHEMA, "required": []}),
        question(structured="text"),
        question(sampling=Sampling(temperature=Decimal("0.1"))),
        question(sampling=Sampling(temperature=None)),
        question(sampling=Sampling(seed=1)),
        question(sampling=Sampling(max_output_tokens=9)),
        question(sampling=Sampling(logprobs=True)),
        question(sampling=Sampling(extra={"top_p": Decimal("0.5")})),
        picture(),
    ],
)
def test_whatever_shapes_the_answer_changes_the_key(other):
    assert key(other) != key(question())


def test_provider_and_model_change_the_key():
    assert key(question(), model="n") != key(question()) != key(question(), provider="p")


@pytest.mark.parametrize(
    "same",
    [
        question(set_name="other", label="other", prompt_sha256="x"),
        question(purpose=Purpose.JUDGE),
        question(schema=dict(reversed(SCHEMA.items()))),
        question(sampling=Sampling(temperature=Decimal("0.0"))),
    ],
)
def test_what_it_is_for_and_how_it_is_spelt_does_not(same):
    assert key(same) == key(question())


def test_a_picture_counts_by_its_identity():
    assert key(picture(data_url="data:image/png;base64,BB")) == key(picture())
    assert key(picture(identity="sha256:1#page=2")) != key(picture())


def test_a_key_stays_what_it_was():
    """A change here throws away every recording: raise KEY_FORMAT and record anew."""
    assert key(question()) == ("0da213aa6412fa207a219becef7e180d986a3275850f563fa88cf44e3e6a29ee")


def test_messages_on_the_wire():
    assert question().messages[0].as_wire() == {"role": "user", "content": "q"}
    assert picture().messages[0].as_wire() == {
        "role": "user",
        "content": [
            {"type": "text", "text": "q"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        ],
    }

"""What an endpoint refuses is left out, one step at a time."""

from decimal import Decimal

import pytest

from evals_pipeline.llm.dialect import Dialect, Structured, adapted, request_body
from evals_pipeline.llm.endpoint import OPENAI_URL
from evals_pipeline.llm.request import Message, Sampling
from tests.llm.asks import SCHEMA, question

LOCAL = "http://127.0.0.1:1/v1"
AUTO = Dialect.first("auto", base_url=LOCAL)


def forms(message, *, dialect=AUTO, param=None):
    """The forms that are tried while the endpoint says the same."""
    tried = [dialect.structured.value]
    while (dialect := adapted(dialect, message=message, param=param)) is not None:
        tried.append(dialect.structured.value)
    return tried


def test_an_unexplained_refusal_is_taken_for_one_of_the_form_until_the_form_has_worked():
    assert forms("bad request") == ["json_schema", "json_object", "text"]
    assert forms("bad request", dialect=AUTO.as_proven()) == ["json_schema"]
    assert forms("no json_schema here", dialect=AUTO.as_proven())[:2] == [
        "json_schema", "json_object",
    ]  # fmt: skip


def test_a_form_that_the_settings_name_is_kept():
    fixed = Dialect.first("json_object", base_url=LOCAL)

    assert forms("response_format is not supported", dialect=fixed) == ["json_object"]


@pytest.mark.parametrize("said", ["maximum context length is 5", "Prompt is too long (schema)"])
def test_a_question_that_is_too_long_changes_nothing(said):
    assert forms(said) == ["json_schema"]


@pytest.mark.parametrize("name", ["temperature", "seed", "logprobs"])
def test_a_refused_parameter_is_named_by_the_message_or_by_param(name):
    by_message = adapted(AUTO, message=f"{name} is not supported", param=None)
    by_param = adapted(AUTO, message="unsupported value", param=name)

    assert by_message == by_param
    assert by_param is not None
    assert by_param.dropped == {name}


def test_every_refusal_raises_the_rank():
    dialect = AUTO
    for said in ("seed", "max_tokens", "schema", "temperature", "response_format"):
        simpler = adapted(dialect, message=said, param=None)
        assert simpler is not None
        assert simpler.rank == dialect.rank + 1
        dialect = simpler


def test_the_limit_has_the_name_that_the_endpoint_takes():
    asked = question(sampling=Sampling(max_output_tokens=7))
    other = adapted(AUTO, message="Unsupported: 'max_tokens'", param="max_tokens")

    assert request_body(asked, AUTO, model="m")["max_tokens"] == 7
    assert other is not None
    assert request_body(asked, other, model="m")["max_completion_tokens"] == 7
    at_home = Dialect.first("auto", base_url=OPENAI_URL)
    assert request_body(asked, at_home, model="m")["max_completion_tokens"] == 7


def test_the_body_in_each_form():
    system = Message.of_text("system", "be brief")
    asked = question(messages=(system, Message.of_text("user", "q")))
    bodies = {
        form: request_body(asked, Dialect.first(form.value, base_url=LOCAL), model="m")
        for form in Structured
    }

    schema = bodies[Structured.JSON_SCHEMA]["response_format"]
    assert schema == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }
    assert bodies[Structured.JSON_OBJECT]["response_format"] == {"type": "json_object"}
    assert "response_format" not in bodies[Structured.TEXT]
    for form, body in bodies.items():
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["system", "user"]  # some templates refuse two of one role in a row
        assert ("JSON object" in body["messages"][-1]["content"]) is (
            form is not Structured.JSON_SCHEMA
        )


def test_free_text_has_no_form():
    body = request_body(question(schema=None), AUTO, model="m")

    assert "response_format" not in body
    assert body["messages"] == [{"role": "user", "content": "q"}]


def test_parameters_of_the_settings_are_sent_as_json_knows_them():
    extra = {"top_p": Decimal("0.5"), "stop": ["x"], "options": {"k": Decimal(2)}}
    sampling = Sampling(temperature=None, seed=4, logprobs=True, extra=extra)
    body = request_body(question(sampling=sampling), AUTO, model="m")

    assert {name: body[name] for name in ("top_p", "stop", "options", "seed", "logprobs")} == {
        "top_p": 0.5, "stop": ["x"], "options": {"k": 2.0}, "seed": 4, "logprobs": True,
    }  # fmt: skip
    assert "temperature" not in body

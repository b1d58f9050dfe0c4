"""What an endpoint refuses, and that no refusal shows a key."""

import json
import logging

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.endpoint import OPENAI_URL
from evals_pipeline.llm.rounds import PinError
from tests.llm.asks import SECRET, ask_one, door, first_then, question, questions
from tests.llm.loopback import Act, completion, failure, loopback

OK = ExtractionStatus.OK
ERROR = ExtractionStatus.ERROR


# --- refusals that concern every call -----------------------------------------------------------


@pytest.mark.parametrize("status", [401, 402, 404])
def test_an_endpoint_that_refuses_everything_stops_the_run(status, tmp_path):
    with loopback(first_then(failure(status, f"bad key {SECRET}"))) as server:
        with pytest.raises(SetupError, match=f"HTTP {status}") as raised:
            door(server.url, tmp_path, max_concurrency=2).ask_all(questions(20))

        assert len(server.calls) <= 2
    assert SECRET not in str(raised.value)


def test_an_account_without_credit_is_not_waited_for(tmp_path):
    body = {"error": {"message": "no credit", "type": "x", "code": "insufficient_quota"}}
    broke = Act(status=429, body=json.dumps(body).encode(), headers={"retry-after": "60"})
    with loopback(first_then(broke)) as server:
        with pytest.raises(SetupError, match="credit"):
            door(server.url, tmp_path).ask_all([question()])

        assert len(server.calls) == 1


def test_a_missing_key_is_named_with_what_is_recorded(tmp_path):
    with loopback(first_then(completion())) as server:
        door(server.url, tmp_path).ask_all(questions(2))
        with pytest.raises(SetupError, match=r"TINY_KEY is not set.*2 of 5.*3 would") as raised:
            door(server.url, tmp_path, environ={}).ask_all(questions(5))

        assert len(server.calls) == 2
    assert raised.value.exit_status == 2


def test_openai_itself_needs_a_named_key(tmp_path):
    with pytest.raises(SetupError, match="api_key_env"):
        door(OPENAI_URL, tmp_path, api_key_env=None).ask_all([question()])


# --- secrets ------------------------------------------------------------------------------------


def test_the_key_is_nowhere_but_in_the_request(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    leaky = completion(f'{{"a": "{SECRET}"}}', model="tiny-1")
    acts = first_then(failure(500, f"Bearer {SECRET}"), leaky)
    answer, server = ask_one(acts, tmp_path)

    assert server.calls[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(answer)
    assert SECRET not in caplog.text
    everything = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "redacted" in everything
    assert SECRET not in everything


def test_a_password_in_the_address_is_not_shown(tmp_path):
    with loopback(first_then(completion(model="other"))) as server:
        address = server.url.replace("http://", "http://me:hunter2@")
        with pytest.raises(PinError) as raised:
            door(address, tmp_path, api_key_env=None).ask_all([question()])
        with pytest.raises(SetupError, match="Take one out") as refused:
            door(address, tmp_path / "b").ask_all([question()])

    assert "hunter2" not in f"{raised.value} {refused.value}"


def test_a_document_goes_to_the_address_in_the_settings_and_nowhere_else(tmp_path):
    with loopback(first_then(completion())) as elsewhere:
        there = f"{elsewhere.url}/chat/completions?token=t"
        away = Act(status=307, headers={"location": there})
        with loopback(lambda call: away) as server:
            with pytest.raises(SetupError, match="sends elsewhere, to http") as raised:
                door(server.url, tmp_path).ask_all([question()])

            assert (len(server.calls), len(elsewhere.calls)) == (1, 0)
    assert "token" not in str(raised.value)


def test_what_the_address_asks_for_in_its_query_is_sent_with_every_call(tmp_path):
    with loopback(lambda call: completion()) as server:
        address = f"{server.url}?api-version=2026-01-01"
        door(address, tmp_path).ask_all(questions(2))

        paths = {call.path for call in server.calls}
    assert paths == {"/v1/chat/completions?api-version=2026-01-01"}


# --- fallback -----------------------------------------------------------------------------------


def test_a_refused_form_is_left_for_the_next_and_remembered(tmp_path):
    def script(call):
        form = call.body.get("response_format", {}).get("type")
        if form is None:
            return completion()
        return failure(400, f"response_format {form} is not supported")

    with loopback(script) as server:
        answers = door(server.url, tmp_path, max_concurrency=1).ask_all(questions(3))

        forms = [call.body.get("response_format", {}).get("type") for call in server.calls]
    assert forms == ["json_schema", "json_object", None, None, None]
    assert [(answer.structured, answer.retries) for answer in answers] == [
        ("text", 2), ("text", 0), ("text", 0),
    ]  # fmt: skip
    assert '"required": ["a"]' in server.calls[-1].asked  # the schema is told in words


def test_a_refused_parameter_is_dropped_and_told(tmp_path):
    def script(call):
        if "temperature" in call.body:
            return failure(400, "Unsupported value", param="temperature")
        if "max_tokens" in call.body:
            return failure(400, "Use 'max_completion_tokens' instead of max_tokens")
        return completion()

    with loopback(script) as server:
        asked = question(sampling=question().sampling.__class__(max_output_tokens=50))
        (answer,) = door(server.url, tmp_path).ask_all([asked])

    assert (answer.status, answer.retries, answer.dropped) == (OK, 2, ("temperature",))
    assert server.calls[-1].body["max_completion_tokens"] == 50


def test_a_question_that_is_too_long_is_an_error_of_its_own(tmp_path):
    def script(call):
        if "long" in call.asked:
            return failure(400, "This model's maximum context length is 10 tokens")
        return completion()

    with loopback(script) as server:
        long, short = door(server.url, tmp_path).ask_all([question("long"), question("short")])

    assert (long.status, short.status) == (ERROR, OK)
    assert long.retries == 0

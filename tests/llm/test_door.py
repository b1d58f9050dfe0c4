"""The door against a server that misbehaves: right statuses, nothing lost, nothing paid twice."""

import asyncio
import json
import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evals_pipeline.core.answer_text import parse_answer
from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.archive import export_answers
from evals_pipeline.llm.asking import Stamp
from evals_pipeline.llm.endpoint import OPENAI_URL
from evals_pipeline.llm.rounds import PinError
from tests.llm.asks import SECRET, door, question, questions
from tests.llm.loopback import Act, completion, failure, loopback

OK = ExtractionStatus.OK
ERROR = ExtractionStatus.ERROR
TRUNCATED = ExtractionStatus.TRUNCATED
UNPARSABLE = ExtractionStatus.UNPARSABLE


def first_then(*acts):
    """The acts one after the other; the last one for ever."""
    return lambda call: acts[min(call.number, len(acts) - 1)]


def ask_one(script, tmp_path, **changes):
    with loopback(script) as server:
        (answer,) = door(server.url, tmp_path, **changes).ask_all([question()])
        return answer, server


def test_a_good_answer_is_kept_with_everything_that_the_provider_said(tmp_path):
    answer, server = ask_one(first_then(completion('{"a": 2}')), tmp_path)

    assert (answer.status, answer.text) == (OK, '{"a": 2}')
    assert (answer.provider_model, answer.system_fingerprint) == ("tiny-1", "fp-1")
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (100, 20)
    assert (answer.retries, answer.is_new, answer.structured) == (0, True, "json_schema")
    sent = server.calls[0].body
    assert sent["model"] == "tiny-1"
    assert sent["temperature"] == 0
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["a"]


def test_asking_again_calls_nobody_and_needs_no_key(tmp_path):
    with loopback(first_then(completion())) as server:
        first = door(server.url, tmp_path).ask_all(questions(3))
        again = door(server.url, tmp_path, environ={}).ask_all(questions(3))

        assert len(server.calls) == 3
    assert [answer.text for answer in again] == [answer.text for answer in first]
    assert not any(answer.is_new for answer in again)
    assert [answer.cost.usd for answer in again] == [answer.cost.usd for answer in first]


def test_the_same_question_twice_is_asked_once(tmp_path):
    with loopback(first_then(completion())) as server:
        answers = door(server.url, tmp_path).ask_all([question(), question(), question("other")])

        assert len(server.calls) == 2
    assert answers[0].key == answers[1].key != answers[2].key


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_failure_that_passes_is_waited_out(status, tmp_path):
    answer, server = ask_one(first_then(failure(status), completion()), tmp_path)

    assert (answer.status, answer.retries, len(server.calls)) == (OK, 1, 2)
    assert answer.retry_reasons == (f"HTTP {status}: no",)


def test_retries_end_and_the_failure_has_a_status_and_a_reason(tmp_path):
    answer, server = ask_one(first_then(failure(500, "boom")), tmp_path)

    assert (answer.status, answer.retries, len(server.calls)) == (ERROR, 2, 3)
    assert answer.reason == "HTTP 500: boom (after 3 calls)"
    assert answer.cost.usd == 0


def test_a_failed_answer_is_tried_again_by_the_next_run(tmp_path):
    with loopback(first_then(failure(500), failure(500), failure(500), completion())) as server:
        assert door(server.url, tmp_path).ask_all([question()])[0].status is ERROR
        assert door(server.url, tmp_path).ask_all([question()])[0].status is OK


@pytest.mark.parametrize(
    ("headers", "shortest"),
    [({"retry_after": "0.2"}, 0.2), ({"retry_after_ms": "150"}, 0.15), ({}, 0.0)],
)
def test_a_wait_that_is_asked_for_is_kept(headers, shortest, tmp_path):
    started = time.perf_counter()
    answer, _ = ask_one(first_then(failure(429, **headers), completion()), tmp_path)

    assert answer.status is OK
    assert shortest <= time.perf_counter() - started < 5


def test_a_wait_that_is_asked_for_has_a_limit(tmp_path):
    moment = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    started = time.perf_counter()
    answer, _ = ask_one(first_then(failure(429, retry_after=moment), completion()), tmp_path)

    assert answer.status is OK
    assert 0.3 <= time.perf_counter() - started < 5


def test_a_wait_that_is_asked_for_holds_for_all_calls_to_the_endpoint(tmp_path):
    at = []

    def script(call):
        at.append(time.perf_counter())
        return failure(429, retry_after="0.25") if call.number == 0 else completion()

    with loopback(script) as server:
        answers = door(server.url, tmp_path, max_concurrency=1).ask_all(questions(2))

    assert [answer.status for answer in answers] == [OK, OK]
    assert at[1] - at[0] >= 0.25


def test_a_slow_answer_within_the_timeout_is_an_answer(tmp_path):
    answer, _ = ask_one(first_then(completion(delay_s=0.3)), tmp_path, timeout_s=5.0)

    assert answer.status is OK
    assert answer.duration_s is not None
    assert answer.duration_s >= 0.3


def test_a_server_that_hangs_is_given_up(tmp_path):
    answer, server = ask_one(first_then(Act(hangs=True)), tmp_path, timeout_s=0.2, max_retries=1)

    assert (answer.status, len(server.calls)) == (ERROR, 2)
    assert answer.reason == "no answer within 0.2 s (after 2 calls)"
    assert answer.cost.usd is None  # nobody knows whether the provider counts it


def test_a_connection_that_closes_half_way_is_tried_again(tmp_path):
    whole = completion()
    cut = Act(body=whole.body, cut_at=40)
    answer, server = ask_one(first_then(cut, whole), tmp_path)

    assert (answer.status, answer.retries, len(server.calls)) == (OK, 1, 2)
    assert "connection failed" in answer.retry_reasons[0]


def test_nobody_listening_stops_the_run(tmp_path):
    with loopback(first_then(completion())) as server:
        gone = server.url
    with pytest.raises(SetupError, match=r"cannot be reached.*3 answers are not recorded"):
        door(gone, tmp_path, max_retries=1).ask_all(questions(3))


def test_a_server_that_goes_away_makes_errors_that_cost_nothing(tmp_path):
    with loopback(first_then(completion())) as server:
        door(server.url, tmp_path, max_retries=1).ask_all([question()])
        gone = server.url
    (answer,) = door(gone, tmp_path, max_retries=1).ask_all([question("later")])

    assert (answer.status, answer.cost.usd, answer.is_paid) == (ERROR, 0, False)


@pytest.mark.parametrize("body", [b"<html>busy</html>", b"", b"[1]", b'{"choices": []}', b"nul"])
def test_a_reply_without_an_answer_is_tried_again(body, tmp_path):
    answer, server = ask_one(first_then(Act(body=body), completion()), tmp_path)

    assert (answer.status, len(server.calls)) == (OK, 2)


def test_a_billed_reply_without_an_answer_is_not_tried_again(tmp_path):
    billed = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    answer, server = ask_one(first_then(Act(body=json.dumps(billed).encode())), tmp_path)

    assert (answer.status, len(server.calls)) == (ERROR, 1)
    assert answer.reason is not None
    assert "holds no answer" in answer.reason


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('```json\n{"a": 1}\n```', OK),
        ("not json at all", UNPARSABLE),
        ("", UNPARSABLE),
        ('{"a": 1, "a": 2}', UNPARSABLE),
        ('{"a": NaN}', UNPARSABLE),
        ('{"a": ' + "9" * 5000 + "}", UNPARSABLE),
        ('{"a": "\\ud800"}', UNPARSABLE),
        ('{"a": "\ud800"}', UNPARSABLE),
    ],
)
def test_whatever_the_model_says_is_recorded_once_and_read_strictly(text, status, tmp_path):
    with loopback(first_then(completion(text))) as server:
        (answer,) = door(server.url, tmp_path).ask_all([question()])
        (again,) = door(server.url, tmp_path).ask_all([question()])

        assert len(server.calls) == 1
    assert answer.status is OK
    assert again.text == answer.text
    assert parse_answer(answer.text, finish_reason=answer.finish_reason).status is status


def test_a_truncated_answer_is_kept_with_its_cost_and_tried_again(tmp_path):
    acts = first_then(completion('{"a": [1', finish_reason="length"), completion())
    with loopback(acts) as server:
        (cut,) = door(server.url, tmp_path).ask_all([question()])
        (whole,) = door(server.url, tmp_path).ask_all([question()])

        assert len(server.calls) == 2
    assert (cut.status, cut.text, whole.status) == (TRUNCATED, '{"a": [1', OK)
    kept = door(server.url, tmp_path).record.read(cut.key)
    assert kept is not None
    assert [sample.status for sample in kept.samples] == [TRUNCATED, OK]


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": "9", "completion_tokens": 2},
        {"prompt_tokens": 10**400, "completion_tokens": 2},
    ],
)
def test_usage_that_is_missing_or_unsound_is_unknown_and_not_zero(usage, tmp_path):
    answer, _ = ask_one(first_then(completion(usage=usage)), tmp_path)

    assert answer.status is OK
    assert answer.usage is None
    assert answer.cost.usd is None


def test_content_in_parts_and_a_refusal_are_read(tmp_path):
    parts, _ = ask_one(
        first_then(completion(None, **{"content": [{"type": "text", "text": '{"a": 1}'}]})),
        tmp_path / "parts",
    )
    refused, _ = ask_one(first_then(completion(None, refusal="I will not.")), tmp_path / "refused")

    assert parts.text == '{"a": 1}'
    assert (refused.status, refused.text, refused.refusal) == (OK, "", "I will not.")


# --- the pin ------------------------------------------------------------------------------------


def test_another_model_stops_the_run_and_its_answer_is_kept_but_not_used(tmp_path):
    script = first_then(completion(model="tiny-2"))
    with loopback(script) as server:
        with pytest.raises(PinError, match=r"'tiny-1'.*answered as 'tiny-2'"):
            door(server.url, tmp_path, max_concurrency=2).ask_all(questions(20))
        n_before = len(server.calls)
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=2).ask_all(questions(20))

        assert n_before <= 2
        assert len(server.calls) == n_before  # it is on record, so nothing more is paid
        record = door(server.url, tmp_path).record
        kept = [record.read(key) for key in record.recorded_keys()]
        assert sum(len(file.samples) for file in kept if file) == n_before
        assert door(server.url, tmp_path).find(question("q0")) is None

        accepting = door(server.url, tmp_path, pin="tiny-2")
        assert accepting.find(question("q0")) is not None  # paid once, used once it is accepted


def test_a_model_that_changes_half_way_stops_the_run(tmp_path):
    def script(call):
        return completion(model="tiny-1" if call.number < 5 else "tiny-2")

    with loopback(script) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=1).ask_all(questions(20))

        assert len(server.calls) == 6
        assert door(server.url, tmp_path).estimate(questions(20)).recorded == 5


def test_a_server_without_a_model_name_needs_a_pin_that_says_so(tmp_path):
    with loopback(first_then(completion(model=""))) as server:
        with pytest.raises(PinError, match="unstated"):
            door(server.url, tmp_path).ask_all([question()])
        (answer,) = door(server.url, tmp_path, pin="unstated").ask_all([question("b")])

    assert answer.status is OK


def test_a_mismatch_on_record_refuses_other_questions_too_and_names_what_mends_it(tmp_path):
    with loopback(first_then(completion(model="tiny-2"))) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=1).ask_all([question("a")])
        with pytest.raises(PinError, match=r"provider_model = \"tiny-2\".*evals run --fresh"):
            door(server.url, tmp_path).ask_all([question("b")])
        note = door(server.url, tmp_path).estimate([question("b")]).notes[-1]

        assert len(server.calls) == 1
        assert "none will be made" in note


@pytest.mark.parametrize("anew", [{"insists": True}, {"stamp": Stamp(generation="fresh-1")}])
def test_asking_anew_tries_an_endpoint_with_a_mismatch_on_record(anew, tmp_path):
    is_mended = False

    def script(call):
        return completion(model="tiny-1" if is_mended else "tiny-2")

    with loopback(script) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=1).ask_all(questions(9))
        with pytest.raises(PinError):  # still the wrong one: a single call tells
            door(server.url, tmp_path, **anew).ask_all(questions(9))
        assert len(server.calls) == 2
        is_mended = True
        assert len(door(server.url, tmp_path, **anew).ask_all(questions(9))) == 9
        assert len(door(server.url, tmp_path).ask_all([question("more")])) == 1


def test_a_command_that_insists_does_so_once(tmp_path):
    began = datetime.now(UTC)
    with loopback(first_then(completion(model="tiny-2"))) as server:
        for text in ("a", "b"):
            with pytest.raises(PinError):
                door(server.url, tmp_path, insists=True, since=began).ask_all([question(text)])

        assert len(server.calls) == 1


def test_a_pinned_answer_in_flight_beside_another_models_does_not_lift_the_refusal(tmp_path):
    def script(call):
        is_first = call.number == 0
        return completion(model="tiny-2" if is_first else "tiny-1", delay_s=0 if is_first else 0.2)

    with loopback(script) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=4).ask_all(questions(4))
        n_before = len(server.calls)
        with pytest.raises(PinError):
            door(server.url, tmp_path).ask_all([question("more")])

        assert len(server.calls) == n_before


def test_a_question_to_be_tried_again_is_not_when_the_run_has_stopped(tmp_path):
    def script(call):
        is_first = call.asked == "q0"
        return failure(503, retry_after="0.2") if is_first else completion(model="tiny-2")

    with loopback(script) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=2).ask_all(questions(2))

        assert [call.asked for call in server.calls].count("q0") == 1
    asked = door(server.url, tmp_path)
    file = asked.record.read(asked.key_of(question("q0")))
    assert file is not None
    assert [sample.status for sample in file.samples] == [ERROR]  # what it met is kept


# --- answers that cannot be used ----------------------------------------------------------------


def test_an_answer_that_its_asker_cannot_use_is_asked_for_again_once_a_command(tmp_path):
    texts = iter(["mumble", "mumble", "yes"])

    def script(call):
        return completion(next(texts))

    def is_usable(answer):
        return answer.text == "yes"

    def ask(asked):
        made = door(server.url, tmp_path, asked=asked)
        [answer] = made.ask_all([question()], is_usable=is_usable)
        return answer.text, len(server.calls)

    with loopback(script) as server:
        first, second, third = set(), set(), set()
        assert ask(first) == ("mumble", 1)
        assert ask(first) == ("mumble", 1)  # the same command does not ask a second time
        assert door(server.url, tmp_path).estimate([question()], is_usable=is_usable).calls == 1
        assert ask(second) == ("mumble", 2)
        assert ask(third) == ("yes", 3)
        assert ask(set()) == ("yes", 3)
        kept = door(server.url, tmp_path).record

        assert [len(kept.read(key).samples) for key in kept.recorded_keys()] == [3]


def test_what_a_committed_recording_holds_is_final_whether_it_can_be_used_or_not(tmp_path):
    with loopback(first_then(completion("mumble"))) as server:
        first = door(server.url, tmp_path / "a")
        first.ask_all([question()])
        export_answers(first.record, tmp_path / "committed")
        other = door(server.url, tmp_path / "b", recordings=(tmp_path / "committed",))
        [answer] = other.ask_all([question()], is_usable=lambda _: False)

        assert (answer.text, len(server.calls)) == ("mumble", 1)


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
            door(address, tmp_path).ask_all([question()])

    assert "hunter2" not in str(raised.value)


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


# --- sampling anew, limits, interruption --------------------------------------------------------


def test_a_fresh_sampling_asks_again_and_keeps_what_was(tmp_path):
    def script(call):
        return completion(json.dumps({"a": call.number}))

    with loopback(script) as server:
        (old,) = door(server.url, tmp_path).ask_all([question()])
        fresh = Stamp(generation="fresh-1")
        (new,) = door(server.url, tmp_path, stamp=fresh).ask_all([question()])
        (same,) = door(server.url, tmp_path, stamp=fresh).ask_all([question()])
        (newest,) = door(server.url, tmp_path).ask_all([question()])

        assert len(server.calls) == 2
    assert (old.text, new.text, same.text, newest.text) == (
        '{"a": 0}', '{"a": 1}', '{"a": 1}', '{"a": 1}',
    )  # fmt: skip
    kept = door(server.url, tmp_path).record.read(old.key)
    assert kept is not None
    assert [sample.text for sample in kept.samples] == ['{"a": 0}', '{"a": 1}']


def test_no_more_calls_are_in_flight_than_allowed(tmp_path):
    with loopback(lambda call: completion(delay_s=0.05)) as server:
        door(server.url, tmp_path, max_concurrency=4).ask_all(questions(20))

        assert server.most_in_flight == 4


def test_two_rounds_at_once_share_the_limit(tmp_path):
    async def both(url):
        await asyncio.gather(
            door(url, tmp_path, max_concurrency=3).ask(questions(10)),
            door(url, tmp_path, max_concurrency=3).ask([question(f"other {n}") for n in range(10)]),
        )

    with loopback(lambda call: completion(delay_s=0.03)) as server:
        asyncio.run(both(server.url))

        assert server.most_in_flight == 3
        assert len(server.calls) == 20


def test_an_interrupted_run_writes_what_is_in_flight_and_asks_no_more(tmp_path):
    async def interrupted(url):
        asking = asyncio.create_task(door(url, tmp_path, max_concurrency=2).ask(questions(10)))
        await asyncio.sleep(0.45)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with loopback(lambda call: completion(delay_s=0.3)) as server:
        asyncio.run(interrupted(server.url))

        assert 2 <= len(server.calls) < 10
        assert door(server.url, tmp_path).estimate(questions(10)).recorded == len(server.calls)


def test_progress_is_told_of_every_distinct_answer(tmp_path):
    told = []
    with loopback(first_then(completion())) as server:
        door(server.url, tmp_path).ask_all(questions(2))
        door(server.url, tmp_path).ask_all([*questions(4), question("q0")], on_answer=told.append)

    assert [answer.is_new for answer in told] == [False, False, True, True]


def test_the_answers_of_a_full_disk_are_not_asked_for(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with loopback(first_then(completion())) as server:
        with pytest.raises(SetupError, match="cannot be kept here"):
            door(server.url, blocked / "answers").ask_all([question()])

        assert not server.calls

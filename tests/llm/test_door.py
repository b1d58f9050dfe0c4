"""The door against a server that misbehaves: right statuses, nothing lost, nothing paid twice."""

import asyncio
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evals_pipeline.core.answer_text import parse_answer
from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.settings import PriceOverride
from evals_pipeline.llm.asking import Stamp
from evals_pipeline.llm.costs import PriceBook
from tests.llm.asks import SECRET, ask_one, door, first_then, question, questions
from tests.llm.loopback import Act, completion, failure, loopback

OK = ExtractionStatus.OK
ERROR = ExtractionStatus.ERROR
TRUNCATED = ExtractionStatus.TRUNCATED
UNPARSABLE = ExtractionStatus.UNPARSABLE
PRICES = PriceBook({"tiny-1": PriceOverride(input=10, output=50)})


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
    with pytest.raises(SetupError, match=r"cannot be reached.*3 answers not recorded"):
        door(gone, tmp_path, max_retries=1).ask_all(questions(3))


def test_a_server_that_goes_away_makes_errors_that_cost_nothing(tmp_path):
    with loopback(first_then(completion())) as server:
        door(server.url, tmp_path, max_retries=1).ask_all([question()])
        gone = server.url
    (answer,) = door(gone, tmp_path, max_retries=1).ask_all([question("later")])

    assert (answer.status, answer.cost.usd, answer.is_paid) == (ERROR, 0, False)


def test_a_server_that_stays_away_is_not_waited_for_by_every_question(tmp_path):
    with loopback(first_then(completion())) as server:
        door(server.url, tmp_path, max_retries=0, max_concurrency=1).ask_all([question()])
        gone = server.url
    told = []
    asked = door(gone, tmp_path, max_retries=0, max_concurrency=1)
    with pytest.raises(SetupError, match=r"cannot be reached.*9\d answers not recorded"):
        asked.ask_all([question(f"later {number}") for number in range(99)], on_answer=told.append)

    assert [answer.status for answer in told] == [ERROR, ERROR]


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


def test_a_key_that_a_server_spells_otherwise_is_not_kept(tmp_path):
    spelled = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
    with loopback(lambda call: completion(f'{{"a": "{spelled}"}}')) as server:
        [answer] = door(server.url, tmp_path).ask_all([question()])

    assert answer.text == '{"a": "[redacted]"}'
    assert not any(spelled in path.read_text() for path in tmp_path.rglob("*.json"))


def test_a_key_of_which_one_letter_is_spelled_otherwise_leaves_a_readable_answer(tmp_path):
    spelled = f"\\u{ord(SECRET[0]):04x}{SECRET[1:]}"
    with loopback(lambda call: completion(f'{{"a": "{spelled}"}}')) as server:
        [answer] = door(server.url, tmp_path).ask_all([question()])

        assert (answer.text, len(server.calls)) == ('{"a": "[redacted]"}', 1)


def test_a_byte_order_mark_before_the_reply_is_passed_over(tmp_path):
    reply = replace(completion(), body=b"\xef\xbb\xbf" + completion().body)
    with loopback(lambda call: reply) as server:
        [answer] = door(server.url, tmp_path).ask_all([question()])

        assert (answer.status, len(server.calls)) == (OK, 1)


def test_an_answer_after_a_call_that_may_be_billed_has_no_known_price(tmp_path):
    cut = replace(completion(), cut_at=20)
    with loopback(first_then(cut, completion())) as server:
        [answer] = door(server.url, tmp_path, prices=PRICES).ask_all([question()])

        assert (answer.status, answer.retries, answer.cost.usd) == (OK, 1, None)


def test_a_disk_that_cannot_be_written_any_more_is_said_and_nothing_more_is_asked(tmp_path):
    folder = tmp_path / "answers"

    def taken_away(answer):
        if folder.is_dir():
            folder.rename(tmp_path / "away")
            folder.write_text("no folder any more")

    with loopback(lambda call: completion()) as server:
        asked = door(server.url, folder, max_concurrency=1)
        with pytest.raises(SetupError, match=r"answers: an answer could not be written, got Not a"):
            asked.ask_all(questions(9), on_answer=taken_away)

        assert len(server.calls) < 4


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


def test_an_interruption_goes_before_whatever_else_ends_the_round(tmp_path):
    def script(call):
        is_first = call.number == 0
        named = "tiny-2" if is_first else "tiny-1"
        return completion(model=named, delay_s=0.2 if is_first else 1.0)

    async def interrupted(server):
        asking = asyncio.create_task(
            door(server.url, tmp_path, max_concurrency=2).ask(questions(4))
        )
        while len(server.calls) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)  # the wrong model has answered, the other call is in flight
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with loopback(script) as server:
        asyncio.run(interrupted(server))

        assert len(server.calls) == 2


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

"""Which answers may be used: those of the pinned model, and those that their asker can read."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm import rounds
from evals_pipeline.llm.archive import export_answers
from evals_pipeline.llm.asking import Stamp
from evals_pipeline.llm.rounds import PinError
from tests.llm.asks import door, first_then, question, questions
from tests.llm.loopback import completion, failure, loopback

OK = ExtractionStatus.OK
ERROR = ExtractionStatus.ERROR


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


def test_a_name_that_is_none_does_not_flood_the_message(tmp_path):
    named = completion(model="x\x1b[31m" + "y" * 10**6)
    with loopback(first_then(named)) as server, pytest.raises(PinError) as raised:
        door(server.url, tmp_path).ask_all([question()])

    assert len(str(raised.value)) < 2000
    assert "\x1b" not in str(raised.value)


def test_a_command_that_insists_does_so_once(tmp_path):
    began = datetime.now(UTC)
    with loopback(first_then(completion(model="tiny-2"))) as server:
        for text in ("a", "b"):
            with pytest.raises(PinError):
                door(server.url, tmp_path, insists=True, since=began).ask_all([question(text)])

        assert len(server.calls) == 1


def test_workers_start_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "START_SPACING_S", 0.5)
    with loopback(first_then(completion(model="tiny-2"))) as server:
        with pytest.raises(PinError):
            door(server.url, tmp_path, max_concurrency=4).ask_all(questions(4))

        assert len(server.calls) == 1  # the others had not started when its answer came


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
        if call.asked == "q0":  # answered when the other question is asked, too
            return replace(failure(503, retry_after="0.2"), delay_s=0.1)
        return completion(model="tiny-2", delay_s=0.15)

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

"""What is recorded comes back as it was; what counts is the newest good sample."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import InputError, SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Cost, Usage
from evals_pipeline.llm.answers import Answer, AnswerFile, AnswerOrigin
from evals_pipeline.llm.archive import export_answers
from evals_pipeline.llm.fresh import begin_fresh, end_fresh
from evals_pipeline.llm.logprobs import TokenLine
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import Purpose
from tests.llm.asks import door, question
from tests.llm.loopback import completion, loopback

KEY = "ab" * 32
OK = ExtractionStatus.OK
NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
ORIGIN = AnswerOrigin(
    provider="openai", model="m", model_version="m@1", set_name="memos", label="memo-1",
    purpose=Purpose.EXTRACTION, run_index=0, sampling={"seed": None},
)  # fmt: skip


def sample(text="x", *, status=OK, model="m", usd="0.5", generation="", key=KEY):
    return Answer(
        key=key,
        status=status,
        text=text,
        provider_model=model,
        usage=Usage(input_tokens=1, output_tokens=2),
        cost=Cost(usd=Decimal(usd), price_table="t"),
        at=NOW,
        generation=generation,
    )


def free_failure():
    failed = sample("", status=ExtractionStatus.ERROR, usd="0")
    return replace(failed, usage=None)


def add(record, *samples):
    for one in samples:
        record.add(ORIGIN, one)


@settings(max_examples=50)
@given(
    text=st.text(),
    reason=st.none() | st.text(),
    usd=st.none() | st.decimals(0, 100, places=6),
    ends=st.lists(st.integers(0, 10**6)),
    retries=st.integers(0, 9),
)
def test_an_answer_written_and_read_is_the_same(text, reason, usd, ends, retries):
    answer = replace(
        sample(text),
        reason=reason,
        cost=Cost(usd=usd, price_table=None),
        tokens=TokenLine(ends=tuple(ends), logprobs=tuple(-0.25 for _ in ends)),
        retries=retries,
    )
    file = AnswerFile(format=1, key=KEY, origin=ORIGIN, samples=(answer,))

    assert record_json.from_text(AnswerFile, record_json.to_text(file)) == file


def test_the_newest_good_sample_counts(tmp_path):
    record = AnswerRecord(tmp_path)
    cut = sample("cut", status=ExtractionStatus.TRUNCATED)
    add(record, sample("old"), sample("new"), cut, sample("other", model="n"))

    assert (found := record.find(KEY, pin="m")) is not None
    assert (found.text, found.is_new) == ("new", False)
    assert (other := record.find(KEY, pin="n")) is not None
    assert other.text == "other"
    assert record.find(KEY, pin="nobody") is None
    assert record.find("cd" * 32, pin="m") is None


def test_inside_a_fresh_sampling_only_its_own_samples_count(tmp_path):
    record = AnswerRecord(tmp_path)
    add(record, sample("old"), sample("fresh", generation="f"))

    assert (found := record.find(KEY, pin="m", generation="f")) is not None
    assert found.text == "fresh"
    assert record.find(KEY, pin="m", generation="g") is None


def test_of_failures_that_cost_nothing_only_the_newest_is_kept(tmp_path):
    record = AnswerRecord(tmp_path)
    cut = sample("cut", status=ExtractionStatus.TRUNCATED)
    add(record, free_failure(), cut, free_failure(), free_failure())

    kept = record.read(KEY)
    assert kept is not None
    assert [one.status.value for one in kept.samples] == ["truncated", "error"]


def test_a_failed_write_leaves_what_was_there(tmp_path):
    record = AnswerRecord(tmp_path)
    add(record, sample("first"))
    file = record.read(KEY)
    assert file is not None
    unwritable = replace(file, samples=(replace(sample(), text="half \ud800"),))

    with pytest.raises(UnicodeEncodeError):
        record.put(unwritable)

    assert record.read(KEY) == file
    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.json"]


def test_what_a_killed_write_left_is_overwritten(tmp_path):
    (tmp_path / f".{KEY}.writing").write_text("half an ans")
    record = AnswerRecord(tmp_path)
    add(record, sample("whole"))

    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.json"]
    assert (found := record.find(KEY, pin="m")) is not None
    assert found.text == "whole"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": "x"}', b"\xff"])
def test_a_damaged_file_is_named_and_not_paid_for_again(content, tmp_path):
    (tmp_path / f"{KEY}.json").write_bytes(content)

    with pytest.raises(InputError, match=r"Move the file away"):
        AnswerRecord(tmp_path).find(KEY, pin="m")


def test_a_record_that_cannot_be_read_stops_before_anything_is_asked(tmp_path):
    (tmp_path / f"{KEY}.json").mkdir()

    with pytest.raises(SetupError, match="cannot be read"):
        AnswerRecord(tmp_path).find(KEY, pin="m")


# --- committed recordings -----------------------------------------------------------------------


def test_a_recording_stands_in_for_the_network(tmp_path):
    with loopback(lambda call: completion()) as server:
        paid = door(server.url, tmp_path / "answers")
        paid.ask_all([question("a"), question("b")])
        assert export_answers(paid.record, tmp_path / "recordings") == 2

        elsewhere = door(
            server.url, tmp_path / "empty", recordings=(tmp_path / "recordings",), environ={}
        )
        answers = elsewhere.ask_all([question("b"), question("a")])

        assert len(server.calls) == 2
    assert [(answer.text, answer.is_new) for answer in answers] == [('{"a": 1}', False)] * 2
    assert not (tmp_path / "empty").exists()


def test_a_truncated_answer_that_is_committed_is_final(tmp_path):
    record = AnswerRecord(tmp_path / "answers")
    add(record, free_failure(), sample("cut", status=ExtractionStatus.TRUNCATED))
    export_answers(record, tmp_path / "recordings")
    committed = AnswerRecord(tmp_path / "none", recordings=[tmp_path / "recordings"])

    assert (found := committed.find(KEY, pin="m")) is not None
    assert (found.text, found.status) == ("cut", ExtractionStatus.TRUNCATED)
    assert committed.find(KEY, pin="n") is None
    assert committed.find(KEY, pin="m", generation="fresh") is None
    assert record.find(KEY, pin="m") is None


def test_an_export_of_nothing_leaves_what_is_committed(tmp_path):
    record = AnswerRecord(tmp_path / "answers")
    assert export_answers(record, tmp_path / "recordings") == 0
    assert not (tmp_path / "recordings").exists()

    add(record, sample())
    export_answers(record, tmp_path / "recordings")
    nothing = AnswerRecord(tmp_path / "none")
    assert export_answers(nothing, tmp_path / "recordings", replace_all=True) == 0
    committed = AnswerRecord(tmp_path / "x", recordings=[tmp_path / "recordings"])
    assert committed.find(KEY, pin="m") is not None


def test_ones_own_answer_goes_before_the_committed_one(tmp_path):
    other = AnswerRecord(tmp_path / "other")
    add(other, sample("committed"))
    export_answers(other, tmp_path / "recordings")
    record = AnswerRecord(tmp_path / "answers", recordings=[tmp_path / "recordings"])
    add(record, sample("mine"))

    assert (found := record.find(KEY, pin="m")) is not None
    assert found.text == "mine"


def test_faulty_recordings_name_every_line(tmp_path):
    record = AnswerRecord(tmp_path / "answers")
    add(record, sample())
    export_answers(record, tmp_path / "recordings", name="a")
    line = (tmp_path / "recordings" / "a.jsonl").read_text()
    (tmp_path / "recordings" / "b.jsonl").write_text("nonsense\n\n" + line + "{}\n")

    with pytest.raises(InputError) as raised:
        AnswerRecord(tmp_path / "x", recordings=[tmp_path / "recordings"]).find(KEY, pin="m")

    assert [fault.line for fault in raised.value.faults] == [1, 3, 4]
    assert "a.jsonl:1" in str(raised.value)


def test_a_line_that_is_json_but_no_answer_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"key": KEY}) + "\n")

    with pytest.raises(InputError, match="not a recorded answer"):
        AnswerRecord(tmp_path / "x", recordings=[tmp_path]).find(KEY, pin="m")


# --- fresh --------------------------------------------------------------------------------------


def test_an_unfinished_fresh_sampling_goes_on_under_its_label(tmp_path):
    first = begin_fresh(tmp_path, scope="memos 0", now=NOW)

    assert begin_fresh(tmp_path, scope="memos 0", now=NOW.replace(year=2027)) == first
    assert begin_fresh(tmp_path, scope="memos 1", now=NOW.replace(year=2027)) != first
    end_fresh(tmp_path, scope="memos 0")
    assert begin_fresh(tmp_path, scope="memos 0", now=NOW.replace(year=2027)) != first

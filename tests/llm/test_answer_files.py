"""Answers in an object store, where no lock reaches from one machine to another."""

import asyncio
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.archive import export_answers, list_answers, prune
from evals_pipeline.llm.fresh import begin_fresh, end_fresh
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.places import place_at
from tests.llm.test_record import KEY, NOW, ORIGIN, free_failure, sample


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place_at(tmp_path, f"memory://bucket-{uuid.uuid4().hex}/answers")


@pytest.fixture
def record(folder):
    return AnswerRecord(folder)


def later(answer, minutes):
    return replace(answer, at=NOW + timedelta(minutes=minutes))


def test_two_machines_that_answer_one_question_lose_nothing(folder, record):
    other = AnswerRecord(folder)
    record.check_writable()
    assert record.read(KEY) is None
    other.add(ORIGIN, later(sample("second"), 2))
    record.add(ORIGIN, later(sample("first"), 1))
    record.add(ORIGIN, later(sample("first"), 1))

    for one in (record, other):
        found = one.read(KEY)
        assert found is not None
        assert [answer.text for answer in found.samples] == ["first", "second"]
        assert (best := one.find(KEY, pin="m")) is not None
        assert best.text == "second"
        assert not best.is_new
    assert list(record.recorded_keys()) == [KEY]


def test_of_failures_that_cost_nothing_only_the_newest_is_kept(record):
    cut = sample("cut", status=ExtractionStatus.TRUNCATED)
    for minutes, one in enumerate((free_failure(), cut, free_failure(), free_failure())):
        record.add(ORIGIN, later(one, minutes))
    found = record.read(KEY)
    assert found is not None
    assert [one.status.value for one in found.samples] == ["truncated", "error"]


def test_pruning_leaves_what_was_added_since_it_looked(folder, record):
    record.add(ORIGIN, later(sample("old"), 0))
    record.add(ORIGIN, later(sample("new"), 1))
    seen = record.read(KEY)
    assert seen is not None
    AnswerRecord(folder).add(ORIGIN, later(sample("since"), 2))
    record.forget(seen, but=seen.samples[1:])
    left = record.read(KEY)
    assert left is not None
    assert [one.text for one in left.samples] == ["new", "since"]


def test_the_commands_see_it(record, tmp_path):
    record.add(ORIGIN, sample("one"))
    record.add(ORIGIN, later(free_failure(), 1))
    assert prune(record, is_dry=True).n_samples == 1
    assert prune(record).n_samples == 1
    assert [len(file.samples) for file in list_answers(record)] == [1]
    assert export_answers(record, tmp_path) == 1
    assert prune(record, remove_paid=True).keys == (KEY,)
    assert list(record.recorded_keys()) == []


def test_a_lock_is_held_on_this_machine(folder, record):
    async def ask():
        async with record.lock(KEY):
            with AnswerRecord(folder).lock_if_free(KEY) as is_mine:
                return is_mine

    assert asyncio.run(ask()) is False


def test_a_fresh_sampling_goes_on_on_another_machine(folder):
    first = begin_fresh(folder, scope="memos 0", now=NOW)
    assert begin_fresh(folder, scope="memos 0", now=NOW.replace(year=2027)) == first
    end_fresh(folder, scope="memos 0")
    assert begin_fresh(folder, scope="memos 0", now=NOW.replace(year=2027)) != first

"""Listing, summing, pruning and exporting; nothing that was paid for goes unasked."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.archive import (
    AnswerFilter,
    export_answers,
    list_answers,
    prune,
    spend_lines,
    total_of,
    totals_by,
)
from evals_pipeline.llm.record import AnswerRecord
from tests.llm.test_record import NOW, ORIGIN, free_failure, sample

A, B, C = ("a" * 64, "b" * 64, "c" * 64)
CUT = ExtractionStatus.TRUNCATED


def record_with_three_keys(root):
    record = AnswerRecord(root)
    other_set = replace(ORIGIN, set_name="notes", model_version="n@1", prompt_sha256="p")
    record.add(ORIGIN, sample("old", key=A, usd="0.1"))
    record.add(ORIGIN, replace(sample("new", key=A, usd="0.2"), at=NOW + timedelta(days=1)))
    record.add(other_set, sample("cut", key=B, status=CUT, usd="0.4"))
    record.add(other_set, replace(free_failure(), key=C))
    return record


def test_answers_are_listed_by_what_they_were_for(tmp_path):
    record = record_with_three_keys(tmp_path)

    assert [file.key for file in list_answers(record)] == [A, B, C]
    assert [f.key for f in list_answers(record, only=AnswerFilter(set_name="notes"))] == [B, C]
    assert [f.key for f in list_answers(record, only=AnswerFilter(model_version="m@1"))] == [A]
    assert [f.key for f in list_answers(record, only=AnswerFilter(keys={C}))] == [C]
    assert [f.key for f in list_answers(record, only=AnswerFilter(prompt_sha256="p"))] == [B, C]
    assert list(list_answers(AnswerRecord(tmp_path / "none"))) == []


def test_everything_that_was_spent_is_summed(tmp_path):
    lines = list(spend_lines(record_with_three_keys(tmp_path)))
    total = total_of(lines)

    # The call that failed has no usage and so no price, whatever the record keeps.
    assert (total.n, total.n_priced, total.n_metered) == (4, 3, 3)
    assert (total.input_tokens, total.output_tokens) == (3, 6)
    assert total.usd == Decimal("0.7")
    by_day = totals_by(lines, lambda line: line.at.date().isoformat())
    assert [(day, one.usd) for day, one in by_day.items()] == [
        ("2026-03-04", Decimal("0.5")), ("2026-03-05", Decimal("0.2")),
    ]  # fmt: skip


def test_a_sum_without_a_price_is_unknown(tmp_path):
    (first, *_) = spend_lines(record_with_three_keys(tmp_path))
    unpriced = replace(first, usd=None)

    assert total_of([unpriced]).usd is None
    assert total_of([]).usd is None
    both = total_of([unpriced, first])
    assert (both.usd, both.n_priced, both.n) == (Decimal("0.1"), 1, 2)


def test_a_failure_that_cost_nothing_does_not_price_the_calls_beside_it(tmp_path):
    record = AnswerRecord(tmp_path)
    good = sample("good", key=A)
    record.add(ORIGIN, replace(good, cost=replace(good.cost, usd=None)))
    record.add(ORIGIN, replace(free_failure(), key=B))
    total = total_of(spend_lines(record))
    assert (total.usd, total.n_priced, total.n) == (None, 0, 2)


def test_pruning_takes_only_what_nobody_paid_for(tmp_path):
    record = record_with_three_keys(tmp_path)
    plan = prune(record, is_dry=True)

    assert (plan.keys, plan.n_samples, plan.n_busy) == ((C,), 1, 0)
    assert list(record.recorded_keys()) == [A, B, C]
    assert prune(record) == plan
    assert list(record.recorded_keys()) == [A, B]


def test_pruning_leaves_alone_what_a_run_is_asking_for(tmp_path):
    record = record_with_three_keys(tmp_path)
    with record.lock_if_free(C) as is_held:
        assert is_held
        report = prune(record)

    assert (report.keys, report.n_busy) == ((), 1)
    assert list(record.recorded_keys()) == [A, B, C]
    assert prune(record).keys == (C,)


def test_pruning_takes_superseded_and_named_answers_when_told_to(tmp_path):
    record = record_with_three_keys(tmp_path)
    prune(record, remove_superseded=True)

    kept = record.read(A)
    assert kept is not None
    assert [one.text for one in kept.samples] == ["new"]
    assert record.read(B) is not None  # truncated, but paid for
    prune(record, only=AnswerFilter(keys={B}), remove_paid=True)
    assert list(record.recorded_keys()) == [A]


def test_an_export_is_sorted_and_grows(tmp_path):
    record = record_with_three_keys(tmp_path / "answers")
    folder = tmp_path / "recordings"

    assert export_answers(record, folder, only=AnswerFilter(set_name="notes")) == 1
    assert export_answers(record, folder) == 2
    assert (folder / "answers.jsonl").stat().st_mode & 0o400
    assert [path.name for path in folder.iterdir()] == ["answers.jsonl"]
    first = (folder / "answers.jsonl").read_bytes()
    assert export_answers(record, folder) == 2
    assert (folder / "answers.jsonl").read_bytes() == first
    assert [line[:8] for line in first.decode().splitlines()] == ['{"format'] * 2
    assert b"old" not in first
    assert export_answers(record, folder, only=AnswerFilter(keys={B}), replace_all=True) == 1


def test_an_export_leaves_to_other_files_what_they_hold(tmp_path):
    record = record_with_three_keys(tmp_path / "answers")
    folder = tmp_path / "recordings"
    export_answers(record, folder, name="one", only=AnswerFilter(keys={A}))

    assert export_answers(record, folder, name="two") == 1
    reading = AnswerRecord(tmp_path / "none", recordings=[folder])
    assert reading.find(A, pin="m") is not None
    assert reading.find(B, pin="m") is not None

"""What a change makes stale: exactly what was made from it, and nothing else."""

import shutil

import pytest

from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.freshness import plan_model
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.scoring import current_runs
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import DUE, NUMBERS, PROMPT, SET


@pytest.fixture
def stale(opened):
    """Per model version whether extraction and judging would be done again."""

    def of(model):
        plan = plan_model(opened(), "bills", model)
        return plan.stale_runs, plan.needs_metrics

    return of


def test_nothing_is_stale_after_a_run(opened, run, stale):
    run(opened(), "steady")
    assert stale("steady") == ((), False)
    again = run(opened(), "steady")
    assert all(extracted.is_current and judged.is_current for extracted, judged in again)


def test_a_changed_label_is_judged_again_but_not_extracted(bills, opened, run, stale):
    run(opened(), "steady")
    bills.label("A-1", due="2026-05-02")
    assert stale("steady") == ((0, 1), True)
    again = run(opened(), "steady")
    assert all(extracted.is_current for extracted, _ in again)
    assert not any(judged.is_current for _, judged in again)


def test_a_changed_field_is_judged_again_but_not_extracted(bills, opened, run):
    run(opened(), "steady")
    bills.write("golden/bills/set.yaml", SET.replace("kind: identifier", "kind: text"))
    again = run(opened(), "steady")
    assert all(extracted.is_current for extracted, _ in again)
    assert not any(judged.is_current for _, judged in again)


# --- what the set puts into the question --------------------------------------------------------


def with_field(bills):
    """The set with one more field, which every label states."""
    bills.write("golden/bills/set.yaml", SET.replace("gate:", "  vat: {kind: money}\ngate:"))
    for number in NUMBERS:
        bills.label(number, due=DUE, vat=None)


def test_a_field_that_no_answer_was_asked_for_is_not_scored(bills, opened, run, model_server):
    run(opened(), "asked@1")
    with_field(bills)
    key = PartitionKey(set_name="bills", model_version="asked@1", run_index=0)
    judge_partition(opened(), key, stamp=make_stamp(bills.root))  # as the assets below it may be
    assert current_runs(opened(), "bills", "asked@1") == ()
    assert plan_model(opened(), "bills", "asked@1").stale_runs == (0, 1)
    run(opened(), "asked@1")
    assert len(model_server.calls) == 12
    assert (
        "vat"
        in model_server.calls[-1].body["response_format"]["json_schema"]["schema"]["properties"]
    )


def test_a_field_is_read_from_predictions_that_were_there_before_it(bills, opened, run):
    run(opened(), "steady")
    with_field(bills)
    assert not any(extracted.is_current for extracted, _ in run(opened(), "steady"))


def test_how_a_field_is_compared_is_no_part_of_the_question(bills, opened, run, model_server):
    run(opened(), "asked@1")
    bills.write("golden/bills/set.yaml", SET.replace("kind: date", "kind: date, weight: 3"))
    assert all(extracted.is_current for extracted, _ in run(opened(), "asked@1"))


@pytest.mark.parametrize(("names_the_locale", "n_calls"), [(False, 6), (True, 12)])
def test_a_documents_notation_counts_where_the_prompt_names_it(
    bills, opened, run, model_server, names_the_locale, n_calls
):
    if names_the_locale:
        bills.write("golden/bills/prompt.md", PROMPT + "\nIt is from {{ locale }}.\n")
    run(opened(), "asked@1")
    bills.write("golden/bills/set.yaml", SET.replace("en_GB", "en_US"))
    run(opened(), "asked@1")
    assert len(model_server.calls) == n_calls


def test_an_earlier_answer_that_is_judged_again_is_not_one_of_todays_prompt(
    bills, opened, run, model_server
):
    run(opened(), "asked@1")
    bills.write("golden/bills/prompt.md", PROMPT.replace("Read the bill.", "Read it well."))
    key = PartitionKey(set_name="bills", model_version="asked@1", run_index=0)
    judge_partition(opened(), key, stamp=make_stamp(bills.root), redo=True)
    assert current_runs(opened(), "bills", "asked@1") == ()


def test_changed_predictions_concern_their_own_model_version_only(bills, opened, run, stale):
    run(opened(), "steady")
    run(opened(), "hasty")
    bills.predict("hasty", {"A-3": "2026-07-01"})
    assert stale("steady") == ((), False)
    assert stale("hasty") == ((0, 1), True)


def test_an_edited_prompt_concerns_only_who_is_sent_it(bills, opened, run, stale, model_server):
    run(opened(), "steady")
    run(opened(), "asked@1")
    assert len(model_server.calls) == 6
    bills.write("golden/bills/prompt.md", PROMPT.replace("Read the bill.", "Read it well."))
    assert stale("steady") == ((), False)
    assert stale("asked@1") == ((0, 1), True)
    run(opened(), "asked@1")
    assert len(model_server.calls) == 12


def test_a_prompt_put_back_is_not_paid_for_again(bills, opened, run, model_server):
    run(opened(), "asked@1")
    bills.write("golden/bills/prompt.md", PROMPT.replace("Read the bill.", "Read it well."))
    run(opened(), "asked@1")
    bills.write("golden/bills/prompt.md", PROMPT)
    run(opened(), "asked@1")
    assert len(model_server.calls) == 12


def test_a_new_document_is_extracted_and_its_siblings_are_not_asked_again(
    bills, opened, run, model_server
):
    run(opened(), "asked@1")
    bills.label("A-4", due="2026-05-01")
    run(opened(), "asked@1")
    # Six answers are recorded; the new document is asked about once in each of the two runs.
    assert len(model_server.calls) == 8


def test_more_runs_extract_only_what_is_missing(opened, run, model_server):
    run(opened(), "asked@1")
    assert len(model_server.calls) == 6
    run(opened(EVALS_RUNS="3"), "asked@1")
    assert len(model_server.calls) == 9


def test_a_judge_setting_concerns_claims_only(opened, run, bills):
    run(opened(), "steady")
    assert plan_model(opened(EVALS_JUDGE_THRESHOLD="0.9"), "bills", "steady").is_current


def test_figures_that_cannot_be_read_are_made_again(opened, run, stale):
    run(opened(), "steady")
    for path in (opened().root / "storage" / "tables" / "records").rglob("data.parquet"):
        path.write_bytes(b"PAR1 and nothing more")
    assert stale("steady") == ((), True)
    run(opened(), "steady")
    assert stale("steady") == ((), False)


def test_a_gate_that_a_kill_came_before_is_made_up_for(opened, run, stale):
    run(opened(), "steady")
    for path in (opened().root / "storage" / "tables" / "records").rglob("part=gate"):
        shutil.rmtree(path)
    assert stale("steady") == ((), True)

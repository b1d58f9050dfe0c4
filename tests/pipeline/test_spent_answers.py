"""The ``costs`` table: what a cell paid for, once, whatever became of it."""

import json
from decimal import Decimal

import pytest

from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.judge.arbiter import ClaimPair
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.model_judge import door_arbiter
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import NUMBERS, sha, text_of
from tests.llm.loopback import completion, loopback

KEY = PartitionKey(set_name="bills", model_version="asked@1", run_index=0)
PRICES = '\n[tool.evals.prices."asked-2026-01-01"]\ninput = 2\noutput = 10\n'
EACH = Decimal("0.0004")  # (100 · 2 + 20 · 10) / 1,000,000


@pytest.fixture
def served(bills):
    """Points ``asked@1`` at a server, with prices."""

    def serving(server, *, budget=""):
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        settings = settings.replace("http://127.0.0.1:9/v1", server.url)
        settings = settings.replace('sets = ["bills"]', f'sets = ["bills"]\n{budget}')
        bills.write("pyproject.toml", settings + PRICES)

    return serving


def right(call):
    number = call.asked.split("Bill ")[1].split("\n")[0]
    return completion(json.dumps({"number": number, "due": "2026-05-01"}), model="asked-2026-01-01")


def test_every_answer_that_was_paid_for_has_one_row(opened, served):
    with loopback(right) as server:
        served(server)
        project = opened()
        extract_partition(project, KEY, stamp=make_stamp(project.root, run_id="run-1"))
        again = make_stamp(project.root, run_id="run-2")
        extract_partition(project, KEY, stamp=again, redo=True)
    spent = list(project.store.iter_costs("bills"))
    assert {one.entry.label for one in spent} == {sha(text_of(number)) for number in NUMBERS}
    assert [one.entry.cost.usd for one in spent] == [EACH] * 3
    assert {(one.run_id, one.entry.purpose, one.key) for one in spent} == {
        ("run-1", "extraction", KEY)
    }


def test_a_run_that_its_budget_stopped_still_notes_what_it_paid(opened, served):
    with loopback(right) as server:
        served(server, budget="max_concurrency = 1\nbudget_tokens = 300\nmax_output_tokens = 50")
        project = opened()
        with pytest.raises(Exception, match="budget"):
            extract_partition(project, KEY, stamp=make_stamp(project.root, run_id="stopped"))
        assert 0 < len(server.calls) < len(NUMBERS)
    assert len(list(project.store.iter_costs("bills"))) == len(server.calls)
    assert project.store.read_extractions(KEY) is None


def test_answers_of_no_price_are_there_without_one_and_predictions_cost_nothing(opened, bills):
    with loopback(right) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        project = opened()
        for model in ("asked@1", "steady"):
            key = PartitionKey(set_name="bills", model_version=model, run_index=0)
            extract_partition(project, key, stamp=make_stamp(project.root))
    spent = list(project.store.iter_costs())
    assert [(one.key.model_version, one.entry.cost.usd) for one in spent] == [("asked@1", None)] * 3


def test_verdicts_are_spent_on_the_cell_that_they_judge(opened, served):
    def verdict(call):
        nonce = json.loads(call.asked)["nonce"]
        text = json.dumps({"nonce": nonce, "reason": "same", "match": True})
        return completion(text, model="asked-2026-01-01")

    key = PartitionKey(set_name="facts-001", model_version="teller", run_index=1)
    with loopback(verdict) as server:
        served(server)
        project = opened()
        judge = JudgeSettings(kind="llm", model="asked@1")
        arbiter = door_arbiter(project, judge, key=key, stamp=make_stamp(project.root))
        for got in ("A boat sank.", "A vessel sank."):
            [found] = arbiter.decide([ClaimPair(want="A ship sank.", got=got)])
            assert found.aligned
    spent = list(project.store.iter_costs("facts-001"))
    assert [(one.entry.purpose, one.key, one.entry.cost.usd) for one in spent] == [
        ("judge", key, EACH)
    ] * 2

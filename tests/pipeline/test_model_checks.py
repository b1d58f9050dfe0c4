import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evals_pipeline.core.figures import CalibrationFigures, ClaimFigures
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus
from evals_pipeline.core.run_records import (
    Claim,
    JudgedCase,
    JudgedClaim,
    PartitionKey,
    StatusCounts,
)
from evals_pipeline.pipeline import model_checks
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import DUE, NUMBERS, Bills

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def bills(tmp_path):
    return Bills(tmp_path / "project").make()


def scored(bills, model, runs=(0, 1)):
    project = Project.open(bills.root, environ={})
    stamp = make_stamp(bills.root)
    for run in runs:
        key = PartitionKey(set_name="bills", model_version=model, run_index=run)
        extract_partition(project, key, stamp=stamp)
        judge_partition(project, key, stamp=stamp)
    score_model(project, "bills", model, stamp=stamp)
    return project


@pytest.mark.parametrize(
    "ask",
    [
        model_checks.inputs_current,
        model_checks.errors_within_limit,
        model_checks.disagreement_within_limit,
        model_checks.runs_complete,
    ],
)
def test_what_was_never_scored_is_not_passed(bills, ask):
    answer = ask(Project.open(bills.root, environ={}), "bills", "steady")
    assert not answer.passed
    assert 'Run "evals run bills --model steady".' in answer.description


def test_one_steady_model_passes_all(bills):
    project = scored(bills, "steady")
    asked = (
        model_checks.inputs_current,
        model_checks.errors_within_limit,
        model_checks.disagreement_within_limit,
        model_checks.runs_complete,
    )
    assert [ask(project, "bills", "steady").passed for ask in asked] == [True] * 4


def test_answers_that_differ_between_runs_name_the_field(bills):
    lines = [
        json.dumps(
            {
                "fixture": f"bill-{number}",
                "run_index": run,
                "fields": {"number": number, "due": DUE if run else "2026-06-01"},
            }
        )
        for run in (0, 1)
        for number in NUMBERS
    ]
    bills.write("golden/bills/steady.jsonl", "\n".join(lines))
    answer = model_checks.disagreement_within_limit(scored(bills, "steady"), "bills", "steady")
    assert not answer.passed
    assert answer.description.startswith("1 field with answers that differ between runs in 0.1 of")
    assert answer.description.endswith(": due 1.000.")


def test_one_run_has_nothing_to_disagree_with(bills):
    project = scored(bills, "steady", runs=(0,))
    answer = model_checks.disagreement_within_limit(project, "bills", "steady")
    assert (answer.passed, answer.description) == (True, "One run only: nothing to compare.")
    assert not model_checks.runs_complete(project, "bills", "steady").passed


def test_fewer_runs_than_the_gate_asks_for(bills):
    text = (bills.folder / "set.yaml").read_text(encoding="utf-8")
    least = text.replace("{tolerance: 0}", "{tolerance: 0, min_runs: 3}")
    bills.write("golden/bills/set.yaml", least)
    answer = model_checks.runs_complete(scored(bills, "steady"), "bills", "steady")
    assert answer.description == "2 runs, and gate.min_runs asks for 3."


def claim_figures(project, outcomes):
    calibration = CalibrationFigures(ece=None, n=0, n_left_out=0, bins=(), reason="none")
    claims = tuple(
        JudgedClaim(
            claim=Claim(content="x", confidence=None),
            outcome=outcome,
            gold_index=None,
            similarity=None,
            rendering="x",
        )
        for outcome in outcomes
    )
    case = JudgedCase(
        case_id="note-1", run_index=0, status=ExtractionStatus.OK, claims=claims, gold=()
    )
    return ClaimFigures(
        set_name="facts-001",
        model_version="teller",
        run_indices=(0,),
        metrics={},
        counts={"unjudged": outcomes.count(ClaimOutcome.UNJUDGED)},
        statuses=StatusCounts(planned=1, ok=1),
        calibration=calibration,
        calibration_semantic=calibration,
        cases=(case, replace(case, case_id="note-2", claims=())),
    )


@pytest.mark.parametrize(
    ("outcomes", "passed", "said"),
    [
        ([ClaimOutcome.MATCHED, ClaimOutcome.SPURIOUS], True, "Every claim is judged."),
        ([ClaimOutcome.UNJUDGED, ClaimOutcome.MATCHED], False, "verdict of the judge, in: note-1."),
    ],
)
def test_claims_without_a_verdict_name_their_cases(bills, outcomes, passed, said):
    project = Project.open(bills.root, environ={})
    digests = input_digests(project, "facts-001", "teller")
    figures = claim_figures(project, outcomes)
    project.store.write_metrics(figures, digests, make_stamp(bills.root))
    answer = model_checks.nothing_unjudged(project, "facts-001", "teller")
    assert answer.passed == passed
    assert said in answer.description


def test_a_pair_without_a_verdict_is_enough_though_every_claim_found_its_gold(bills):
    project = Project.open(bills.root, environ={})
    figures = claim_figures(project, [ClaimOutcome.MATCHED])
    left_open = replace(figures.cases[0], n_unjudged_pairs=1)
    figures = replace(figures, cases=(left_open,), counts={"unjudged": 0, "unjudged_pairs": 1})
    digests = input_digests(project, "facts-001", "teller")
    project.store.write_metrics(figures, digests, make_stamp(bills.root))
    answer = model_checks.nothing_unjudged(project, "facts-001", "teller")
    assert not answer.passed
    assert answer.description.startswith("1 pair without a verdict of the judge, in: note-1.")
    assert answer.facts == {"unjudged": 0, "unjudged_pairs": 1}


@pytest.fixture
def coins(tmp_path):
    shutil.copytree(REPOSITORY / "suites", tmp_path / "suites")
    settings = '[tool.evals.models."coin-catalogue@1"]\nprovider = "code"\n'
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    return Project.open(tmp_path, environ={})


def test_code_that_promises_properties_is_held_to_them(coins):
    where = ("coin-catalogue-001", "coin-catalogue@1")
    assert model_checks.makes_promises(coins, *where)
    assert not model_checks.conformance(coins, *where).passed
    key = PartitionKey(set_name=where[0], model_version=where[1], run_index=0)
    extract_partition(coins, key, stamp=make_stamp(coins.root))
    answer = model_checks.conformance(coins, *where)
    assert answer.passed
    assert answer.facts


def test_what_promises_nothing_owes_nothing(bills):
    project = Project.open(bills.root, environ={})
    assert not model_checks.makes_promises(project, "bills", "steady")
    assert model_checks.conformance(project, "bills", "steady").passed

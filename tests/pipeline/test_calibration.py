"""Fits over recorded runs: which pairs count, who judges, what is stored."""

import json
from dataclasses import replace

import pytest

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.judge_settings import JudgeKind
from evals_pipeline.core.outcomes import GoldOutcome
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.calibration import (
    fit_calibration,
    forget_fits,
    is_outdated,
    stored_fits,
)
from evals_pipeline.pipeline.calibration_sources import calibration_cells, calibration_plan
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judges import judge_of
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.validation import validate_project
from tests.judge.fakes import WordEncoder
from tests.llm.loopback import completion, failure, loopback
from tests.pipeline.tellers import STAMP, Tellers, judged_case

# Too sure: 0.95 right in 15 of 20 each run, 0.7 in 4 of 8.
OVERSURE = {0.95: "1" * 15 + "0" * 5, 0.7: "1" * 4 + "0" * 4}
APT = {0.95: "1" * 19 + "0", 0.7: "1" * 7 + "0" * 3}


@pytest.fixture
def tellers(tmp_path):
    return Tellers(tmp_path).make()


def fit(tellers, suite="facts-001", model="teller", project=None, **options):
    return fit_calibration(project or tellers.open(), suite, model, stamp=STAMP, **options)


def test_a_suite_is_fitted_on_its_extractor_s_calibration_suites(tellers):
    tellers.record("facts-cal-001", OVERSURE, OVERSURE)
    tellers.record("facts-001", OVERSURE)
    found = fit(tellers)
    assert found.refusal is None
    assert (found.sources, found.heldout_sources) == (("facts-cal-001",), ("facts-001",))
    assert (found.n_pairs, found.n_correct, found.heldout_n) == (56, 38, 28)
    assert "2 of 2 passes pooled" in found.notes
    [stored] = tellers.open().store.read_calibration_fits("facts-001", "teller").record
    assert stored == found


def test_a_match_below_its_floor_is_right_for_a_fit(tellers):
    tellers.record("facts-cal-001", {0.95: "1" * 15 + "0" * 5, 0.4: "uuuuuu00"})
    assert fit(tellers).n_correct == 21


def test_what_was_never_judged_gives_a_stored_refusal(tellers):
    found = fit(tellers)
    assert found.refusal_code == "no_pairs"
    assert "no run of facts-cal-001 is recorded" in found.refusal
    assert "evals calibrate facts-001 --model teller" in found.remedy
    [stored] = stored_fits(tellers.open())
    assert stored.fits == (found,)


def test_what_was_judged_and_states_no_confidence_is_not_sent_round_in_a_circle(tellers):
    tellers.record("facts-cal-001", {}, unstated=4)
    found = fit(tellers)
    assert found.refusal_code == "no_pairs"
    assert found.remedy == "The claims have to state a confidence: ask for it in the prompt."


def test_runs_of_other_files_do_not_count(tellers):
    tellers.record("facts-cal-001", OVERSURE)
    tellers.record("facts-001", OVERSURE)
    tellers.suite("facts-001", "NOTE", floor=0.6)
    assert fit(tellers).refusal_code == "no_heldout"
    tellers.suite("facts-cal-001", "NOTE", folder="suites/calibration", header="# edited\n")
    assert fit(tellers).refusal_code == "no_pairs"


def test_no_recorded_benchmark_run_says_which_command_makes_one(tellers):
    tellers.record("facts-cal-001", OVERSURE)
    found = fit(tellers)
    assert found.refusal_code == "no_heldout"
    assert "evals run facts-001 --model teller" in found.remedy


def test_a_fit_that_hurts_the_recorded_runs_is_refused(tellers):
    tellers.record("facts-cal-001", OVERSURE, OVERSURE)
    tellers.record("facts-001", APT, APT)
    found = fit(tellers)
    assert found.refusal_code == "heldout_regression"
    assert found.heldout_ece_after > found.heldout_ece_before


def test_an_unjudged_claim_on_either_side_refuses(tellers):
    tellers.record("facts-cal-001", OVERSURE | {0.8: "??"})
    tellers.record("facts-001", OVERSURE)
    assert fit(tellers).refusal_code == "unjudged"
    tellers.record("facts-cal-001", OVERSURE)
    tellers.record("facts-001", OVERSURE | {0.8: "?"})
    found = fit(tellers)
    assert (found.refusal_code, found.refusal) == (
        "unjudged",
        "1 pair and 1 claim of the held-out runs (facts-001) left unjudged",
    )


def test_a_pair_left_open_refuses_though_no_claim_is_unjudged(tellers):
    """As an earlier version stored it: the claim found another gold claim, the first is open."""
    tellers.record("facts-001", OVERSURE)
    project = tellers.open()
    key = PartitionKey(set_name="facts-cal-001", model_version="teller", run_index=0)
    case = judged_case("facts-cal-001-1", 0, OVERSURE)
    open_gold = replace(case.gold[0], outcome=GoldOutcome.UNJUDGED)
    digests = input_digests(project, "facts-cal-001", "teller")
    for left_open in (replace(case, gold=(open_gold,)), replace(case, n_unjudged_pairs=1)):
        project.store.write_judged_cases(key, [left_open], digests, STAMP)
        found = fit(tellers)
        assert (found.refusal_code, found.refusal) == ("unjudged", "1 pair of 28 left unjudged")
    project.store.write_judged_cases(key, [case], digests, STAMP)
    assert fit(tellers).refusal_code != "unjudged"


def test_failed_extractions_and_unstated_confidences_are_told(tellers):
    tellers.record("facts-cal-001", OVERSURE, OVERSURE, failed=[1], unstated=3)
    found = fit(tellers)
    assert (found.n_pairs, found.n_left_out) == (28, 3)
    assert "1 of 2 extractions gave no claims and so no pairs" in found.notes


def test_a_parser_has_one_pass_however_many_runs_there_are(tellers):
    coin = "coin-catalogue@1"
    tellers.record("coins-cal-001", OVERSURE, OVERSURE, model=coin)
    tellers.record("coins-001", OVERSURE, OVERSURE, model=coin)
    found = fit(tellers, "coins-001", coin)
    assert (found.n_pairs, found.heldout_n) == (28, 28)
    assert "one pass: the extractor is code and says the same every time" in found.notes


def test_a_calibration_suite_is_fitted_on_itself_and_checked_on_the_others(tellers):
    tellers.record("facts-cal-001", OVERSURE, OVERSURE)
    tellers.record("facts-001", OVERSURE)
    found = fit(tellers, "facts-cal-001")
    assert (found.sources, found.heldout_sources) == (("facts-cal-001",), ("facts-001",))


def test_a_model_version_that_serves_no_calibration_suite_has_no_population(tellers):
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    tellers.write("pyproject.toml", text.replace(', facts-cal-001 = "teller-cal.jsonl"', ""))
    found = fit(tellers)
    assert found.refusal_code == "no_population"
    assert found.refusal == "the settings of teller name no predictions file for facts-cal-001"
    assert (
        'name it in files of [tool.evals.models."teller"]: facts-cal-001 = "path.jsonl"'
        in found.remedy
    )


def test_a_model_version_whose_sets_leave_the_population_out_is_told_so(tellers):
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    tellers.write(
        "pyproject.toml",
        text.replace('"teller-cal.jsonl"}', '"teller-cal.jsonl"}\nsets = ["facts-001"]'),
    )
    found = fit(tellers)
    assert found.refusal == "sets of teller leaves out facts-cal-001"
    assert found.remedy == (
        'Add "facts-cal-001" to sets of [tool.evals.models."teller"]; then calibrate.'
    )


def test_without_a_calibration_suite_of_the_extractor_one_has_to_be_written(tellers):
    (tellers.root / "suites" / "calibration" / "facts-cal-001.yaml").unlink()
    found = fit(tellers)
    assert found.refusal == "no calibration suite is of its extractor (there are: coins-cal-001)"
    assert found.remedy.startswith("Write a calibration suite")


# --- who judges ---------------------------------------------------------------------------------


def with_judge(tellers):
    text = (tellers.without_a_wish().root / "pyproject.toml").read_text(encoding="utf-8")
    tellers.write("pyproject.toml", text.replace("runs = 2", 'runs = 2\njudge.model = "asked@1"'))
    return tellers.open()


@pytest.mark.parametrize("model", ["asked@1", "teller"])
def test_a_model_s_claims_want_a_model_to_judge_them(tellers, model):
    """Also where they come out of a file of predictions."""
    project = tellers.without_a_wish().open()
    tellers.record("facts-cal-001", OVERSURE, model=model)
    found = fit(tellers, model=model, project=project)
    assert found.refusal_code == "no_judge"
    assert 'calibration_judge = "embedding"' in found.remedy
    assert (found.n_pairs, found.ece_before) == (0, None)
    assert not calibration_plan(project, "coins-001", "coin-catalogue@1").lacks_judge


def test_a_fit_says_who_labelled_it_and_what_an_embedding_misses(tellers):
    tellers.record("facts-cal-001", OVERSURE)
    tellers.record("coins-cal-001", OVERSURE, model="coin-catalogue@1")
    who = "embedding from 0.8, greedy assignment, guards flag"
    notes = fit(tellers).notes
    assert f"label: semantic match, judged by {who}" in notes
    assert f"label of held-out runs: judged by {who}" in notes
    missed = "no model judged: a paraphrase that the embedding misses is labelled wrong here"
    assert any(note.startswith(missed) for note in notes)
    of_code = fit(tellers, "coins-001", "coin-catalogue@1").notes
    assert not any(note.startswith(missed) for note in of_code)
    project = with_judge(tellers)
    tellers.record("facts-cal-001", OVERSURE, project=project)
    notes = fit(tellers, project=project).notes
    asked = "llm (asked@1) between 0.65 and 0.8, greedy assignment, guards flag"
    assert f"label: semantic match, judged by {asked}" in notes
    assert f"label of held-out runs: judged by {who}" in notes
    assert not any(note.startswith(missed) for note in notes)


def test_the_setting_says_for_good_who_labels(tellers):
    with_judge(tellers)
    embedded = tellers.open(EVALS_CALIBRATION_JUDGE="embedding")
    assert judge_of(embedded, "facts-cal-001", "teller").kind is JudgeKind.EMBEDDING
    asked = tellers.open(EVALS_CALIBRATION_JUDGE="llm")
    assert judge_of(asked, "coins-cal-001", "coin-catalogue@1").kind is JudgeKind.LLM
    assert judge_of(asked, "coins-001", "coin-catalogue@1").kind is JudgeKind.EMBEDDING
    # The command line goes before it.
    both = tellers.open(EVALS_CALIBRATION_JUDGE="llm", EVALS_JUDGE_KIND="embedding")
    assert judge_of(both, "facts-cal-001", "teller").kind is JudgeKind.EMBEDDING


def test_who_asks_for_the_embedding_judge_gets_it(tellers):
    project = tellers.without_a_wish().open(EVALS_JUDGE_KIND="embedding")
    tellers.record("facts-cal-001", OVERSURE, model="asked@1", project=project)
    assert fit(tellers, model="asked@1", project=project).refusal_code == "no_heldout"


def test_with_a_model_to_judge_it_judges_calibration_suites_alone(tellers):
    project = with_judge(tellers)
    assert judge_of(project, "facts-cal-001", "asked@1").kind is JudgeKind.LLM
    assert judge_of(project, "facts-001", "asked@1").kind is JudgeKind.EMBEDDING
    assert judge_of(project, "facts-cal-001", "teller").kind is JudgeKind.LLM
    coins = judge_of(project, "coins-cal-001", "coin-catalogue@1")
    assert coins.kind is JudgeKind.EMBEDDING
    stated = Tellers(tellers.root).open(EVALS_JUDGE_KIND="embedding")
    assert judge_of(stated, "facts-cal-001", "asked@1").kind is JudgeKind.EMBEDDING
    same = input_digests(project, "facts-cal-001", "asked@1")
    assert same.judge != input_digests(project, "facts-001", "asked@1").judge


def test_matches_of_another_judge_do_not_count(tellers):
    embedded = tellers.open(EVALS_JUDGE_KIND="embedding")
    tellers.record("facts-cal-001", OVERSURE, model="asked@1", project=embedded)
    assert fit(tellers, model="asked@1", project=with_judge(tellers)).refusal_code == "no_pairs"


def test_a_judge_that_fails_leaves_no_label_and_so_no_fit(tellers):
    """The extractions come, the judge's calls do not: the fit is refused as unjudged."""
    claims = [
        {"content": "A ship sank slowly today", "confidence": 0.9 - number / 100, "subjects": []}
        for number in range(24)
    ]
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = ["A ship sank.", "A ship sank slowly today"]
    VectorCache(tellers.root / "storage" / "vectors", encoder).vectors(texts)

    def script(call):
        if "List the facts" in call.asked:
            return completion(json.dumps({"claims": claims}), model="asked-2026-01-01")
        return failure(400)

    with loopback(script) as server:
        text = (tellers.without_a_wish().root / "pyproject.toml").read_text(encoding="utf-8")
        text = text.replace("http://127.0.0.1:9/v1", server.url)
        text = text.replace("runs = 2", 'runs = 1\njudge.model = "asked@1"')
        tellers.write("pyproject.toml", text)
        project = tellers.open()
        key = PartitionKey(set_name="facts-cal-001", model_version="asked@1", run_index=0)
        assert extract_partition(project, key, stamp=STAMP).counts.ok == 1
        assert judge_partition(project, key, stamp=STAMP).n_unjudged > 0
    found = fit(tellers, model="asked@1")
    assert found.refusal_code == "unjudged"
    assert "judge can be reached" in found.remedy


# --- what is stored -----------------------------------------------------------------------------


def test_the_methods_stand_beside_each_other_and_can_be_forgotten(tellers):
    tellers.record("facts-cal-001", OVERSURE, OVERSURE)
    tellers.record("facts-001", OVERSURE)
    for method in ("temperature", "isotonic", "temperature"):
        fit(tellers, method=method)
    project = tellers.open()
    [stored] = stored_fits(project)
    assert {one.method for one in stored.fits} == {"temperature", "isotonic"}
    assert not stored.is_outdated
    assert forget_fits(project, "facts-001", "teller", stamp=STAMP) == 2
    assert stored_fits(project) == ()
    assert forget_fits(project, "facts-001", "teller", stamp=STAMP) == 0


def test_a_fit_of_other_files_is_outdated_and_its_other_methods_are_dropped(tellers):
    tellers.record("facts-cal-001", OVERSURE)
    fit(tellers)
    assert not is_outdated(tellers.open(), "facts-001", "teller")
    tellers.suite("facts-cal-001", "NOTE", folder="suites/calibration", header="# edited\n")
    assert is_outdated(tellers.open(), "facts-001", "teller")
    fit(tellers, method="isotonic")
    [stored] = stored_fits(tellers.open())
    assert [one.method for one in stored.fits] == ["isotonic"]


def test_a_stored_fit_of_a_set_that_is_gone_is_outdated(tellers):
    fit(tellers)
    (tellers.root / "suites" / "facts-001.yaml").unlink()
    [stored] = stored_fits(tellers.open())
    assert stored.is_outdated


def test_a_fit_may_be_looked_at_without_storing_it(tellers):
    fit(tellers, save=False)
    assert stored_fits(tellers.open()) == ()


# --- what a name asks for -----------------------------------------------------------------------


def test_an_extractor_is_fitted_for_its_suites_and_a_set_for_itself(tellers):
    project = tellers.open()
    assert calibration_cells(project, "general") == (
        ("facts-001", "teller"),
        ("facts-001", "asked@1"),
    )
    assert calibration_cells(project, "general", ["teller"]) == (("facts-001", "teller"),)
    assert calibration_cells(project, "facts-cal-001", ["teller"]) == (("facts-cal-001", "teller"),)
    (tellers.root / "suites" / "facts-001.yaml").unlink()
    assert calibration_cells(tellers.open(), "general", ["teller"]) == (
        ("facts-cal-001", "teller"),
    )


def test_names_that_mean_nothing_are_refused(tellers):
    project = tellers.open()
    with pytest.raises(UnknownNameError, match="Did you mean"):
        calibration_cells(project, "facts-01")
    with pytest.raises(UnknownNameError, match="model version"):
        calibration_cells(project, "general", ["nobody"])
    with pytest.raises(RefusedError, match=r"cannot serve facts-001; those that can"):
        calibration_cells(project, "general", ["coin-catalogue@1"])


# --- validation ---------------------------------------------------------------------------------


def test_validation_asks_calibration_suites_for_their_contract(tellers):
    assert validate_project(tellers.open()).faults == ()
    tellers.suite("coins-cal-001", "NUMISTA_API_COIN", folder="suites/calibration")
    tellers.suite("facts-cal-001", "NOTE", folder="suites/calibration", floor=0.3)
    found = validate_project(tellers.open()).faults
    assert [(fault.where, fault.line) for fault in found] == [
        ("suites/calibration/coins-cal-001.yaml", 1),
        ("suites/calibration/facts-cal-001.yaml", 13),
    ]
    path = tellers.root / "suites" / "calibration" / "facts-cal-001.yaml"
    assert len(validate_project(tellers.open(), [path]).faults) == 1

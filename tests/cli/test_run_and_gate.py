"""From a fresh project to a verdict, by the commands that a person types."""

import json
import os
import subprocess
from xml.etree import ElementTree

import pytest

from tests.defs.bills import PROMPT
from tests.llm.loopback import completion, loopback


def test_a_field_that_got_worse_is_named_with_its_document(scored, evals):
    found = evals("gate", "bills", "--model", "hasty", "--format", "json")
    assert found.status == 1
    value = json.loads(found.out)
    assert value["verdict"] == "fail"
    rows = {row["field"]: row for row in value["sets"][0]["fields"]}
    # One of three documents is wrong in both runs: 1 - 1/3.
    assert rows["due"]["verdict"] == "regression"
    assert (rows["due"]["baseline"], round(rows["due"]["now"], 6)) == (1, 0.666667)
    assert rows["number"]["verdict"] == "unchanged"
    table = evals("gate", "bills", "--model", "hasty")
    assert "FAIL: due regressed by 0.333" in table.out
    assert "bill-A-2 want 2026-05-01 got 2026-06-01" in table.out


def test_whoever_may_only_read_is_told_the_verdict_all_the_same(scored, evals):
    storage = scored.folder.parents[1] / "storage"
    folders = [storage, *(path for path in storage.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        if os.access(storage, os.W_OK):
            pytest.skip("root writes everywhere")
        found = evals("gate", "bills", "--model", "hasty", "--format", "json")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert found.status == 1
    assert "is not kept" in " ".join(json.loads(found.out)["sets"][0]["hints"])


def test_what_stays_right_passes(scored, evals):
    found = evals("gate", "bills", "--model", "steady")
    assert found.status == 0
    assert "PASS" in found.out


def test_the_hint_on_the_size_of_a_set_keeps_to_the_settings(scored, evals, monkeypatch):
    assert "holds 3 documents; under 40" in evals("gate", "bills", "--model", "steady").out
    monkeypatch.setenv("EVALS_MIN_DOCUMENTS", "3")
    assert "the set holds" not in evals("gate", "bills", "--model", "steady").out
    monkeypatch.setenv("EVALS_MIN_DOCUMENTS", "1")
    monkeypatch.setenv("EVALS_MAX_DOCUMENTS", "2")
    assert "holds 3 documents; over 2" in evals("gate", "bills", "--model", "steady").out


def test_a_gate_speaks_to_pull_requests_and_to_ci(scored, evals, tmp_path):
    target = tmp_path / "gate.xml"
    found = evals("gate", "bills", "--model", "hasty", "--format", "junit", "--output", str(target))
    assert found.status == 1
    suites = ElementTree.parse(target).getroot()
    failed = [case for case in suites.iter("testcase") if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["due"]
    told = evals("gate", "bills", "--model", "hasty", "--format", "markdown")
    assert "due" in told.out
    assert "bill-A-2" in told.out


def test_a_second_run_recomputes_nothing(scored, evals):
    again = evals("run", "bills", "--model", "steady", "--model", "hasty")
    assert again.status == 0
    assert "nothing was recomputed" in again.err
    # Nothing is planned, so nobody looked for answers: none is not what was found.
    assert "estimate: no call to make\n" in again.err


def test_git_passes_over_what_a_run_leaves(bills, evals):
    (bills.root / ".gitignore").unlink(missing_ok=True)
    assert evals("run", "bills", "--model", "steady").status == 0
    assert (bills.root / ".dagster").is_dir()
    subprocess.run(["git", "init", "-q", bills.root], check=True)
    command = ["git", "-C", bills.root, "ls-files", "--others", "--exclude-standard"]
    seen = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert "pyproject.toml" in seen
    assert [path for path in seen if path.startswith((".dagster/", "storage/"))] == []


def test_a_changed_label_is_judged_again_and_its_old_baseline_row_is_not_gated(scored, evals):
    scored.label("A-1", due="2026-05-02")
    stale = evals("gate", "bills", "--model", "steady")
    assert stale.status == 2
    assert "labels or gold claims changed since" in stale.out
    ran = evals("run", "bills", "--model", "steady")
    assert "nothing was recomputed" not in ran.err
    found = evals("gate", "bills", "--model", "steady", "--format", "json")
    report = json.loads(found.out)["sets"][0]
    assert report["fields"][0]["verdict"] in ("unchanged", "new")
    assert any(one["change"] == "relabelled" for one in report["not_gated"])


def test_without_a_baseline_the_gate_refuses_and_says_what_records_one(bills, evals):
    assert evals("run", "bills", "--model", "steady").status == 0
    found = evals("gate", "bills", "--model", "steady")
    assert found.status == 2
    assert "evals baseline record bills --model steady" in " ".join(found.out.split())
    assert not (bills.folder / "baselines").exists()


def test_nothing_scored_refuses(bills, evals):
    found = evals("gate", "bills", "--model", "steady")
    assert found.status == 2
    assert "REFUSED" in found.out


def test_an_empty_set_refuses_everywhere(bills, evals):
    for folder in ("documents", "labels"):
        for path in (bills.folder / folder).iterdir():
            path.unlink()
    ran = evals("run", "bills", "--model", "asked@1")
    assert ran.status == 2
    assert "bills, asked@1: nothing to measure" in ran.err
    for model in ("steady", "asked@1"):
        found = evals("gate", "bills", "--model", model)
        assert found.status == 2
        assert "PASS" not in found.out


def test_a_baseline_is_not_recorded_from_nothing(bills, evals):
    found = evals("baseline", "record", "bills", "--model", "steady")
    assert found.status == 2
    assert "evals run bills --model steady" in found.err


def test_a_baseline_is_shown_with_its_pins(scored, evals):
    found = evals("baseline", "show", "bills", "--model", "steady", "--format", "json")
    one = json.loads(found.out)["baselines"][0]
    assert one["n_runs"] == 2
    assert {row["field"]: (row["correct"], row["n"]) for row in one["fields"]} == {
        "number": (6, 6),
        "due": (6, 6),
    }


def test_a_mistyped_name_selects_nothing_and_offers_the_near_one(scored, evals):
    found = evals("gate", "bils")
    assert found.status == 2
    assert 'Did you mean "bills"?' in found.err
    found = evals("run", "bills", "--model", "stedy")
    assert found.status == 2
    assert 'Did you mean "steady"?' in found.err
    found = evals("gait")
    assert found.status == 2
    assert 'Did you mean "gate"?' in found.err


def test_a_suite_has_no_gate(bills, evals):
    found = evals("gate", "facts-001")
    assert found.status == 2
    assert "evals benchmark --suite facts-001" in found.err


def test_fewer_runs_in_a_file_than_planned_are_told_apart(bills, evals):
    bills.predict("steady", {}, runs=1)
    ran = evals("run", "bills", "--model", "steady", "--format", "json")
    assert ran.status == 0
    figures = json.loads(ran.out)["figures"][0]
    assert figures["counts"]["planned"] == 3


def test_an_estimate_is_json_where_that_is_asked_for(bills, evals):
    found = evals("run", "bills", "--model", "asked@1", "--estimate", "--format", "json")

    estimate = json.loads(found.out)["estimate"]
    assert (found.status, estimate["calls"], estimate["judge_calls"]) == (0, 6, 0)
    assert (estimate["usd"], estimate["needs_yes"]) == (None, False)


def test_a_judge_that_is_not_installed_is_refused_with_those_that_are(bills, evals):
    found = evals("run", "facts-001", "--judge", "oracle")

    assert found.status == 2
    assert "embedding" in found.err
    assert "oracle" in found.err


def test_an_estimate_calls_nobody(bills, evals):
    found = evals("run", "bills", "--model", "asked@1", "--estimate")
    assert found.status == 0
    assert "6 calls" in found.err
    assert not (bills.root / "storage" / "answers").exists()


def test_above_the_confirm_limit_nothing_is_asked_without_a_yes(bills, evals, monkeypatch):
    monkeypatch.setenv("EVALS_CONFIRM_LIMIT", "3")
    found = evals("run", "bills", "--model", "asked@1")
    assert found.status == 2
    assert "Repeat with --yes" in found.err
    assert not (bills.root / "storage" / "answers").exists()


def test_a_model_that_is_not_the_pinned_one_stops_the_run_in_plain_words(bills, evals, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with loopback(lambda _call: completion("{}", model="asked-2027-12-12")) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        found = evals("run", "bills", "--model", "asked@1", "--runs", "1")
    assert found.status == 2
    assert "the pin is 'asked-2026-01-01'" in found.err
    assert "answered as 'asked-2027-12-12'" in found.err
    assert "Failure" not in found.err


def test_figures_of_before_a_failed_run_are_named_and_not_shown(bills, evals, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    models = iter(["asked-2026-01-01"] * 3 + ["asked-2027-12-12"] * 3)
    with loopback(lambda _call: completion("{}", model=next(models))) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        command = ("run", "bills", "--model", "asked@1", "--runs", "1", "--format", "json")
        assert len(json.loads(evals(*command).out)["figures"]) == 1
        bills.write("golden/bills/prompt.md", PROMPT.replace("Read the bill.", "Read it well."))
        found = evals(*command)
    assert found.status == 2
    assert "bills, asked@1: no figures of today" in found.err
    said = json.loads(found.out)
    outdated = {"set": "bills", "model_version": "asked@1", "changed": ["prompt"]}
    assert (said["figures"], said["outdated"]) == ([], [outdated])


def test_a_run_that_extracted_nothing_is_refused_also_when_it_was_sampled_anew(
    bills, evals, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    is_down = False

    def answer(_call):
        if is_down:
            return 400, {"error": {"message": "no"}}
        return completion("{}", model="asked-2026-01-01")

    with loopback(answer) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        command = ("run", "bills", "--model", "asked@1", "--runs", "1", "--fresh", "--yes")
        # Three empty answers are answers: all fields missed, and that was measured.
        assert evals(*command).status == 0
        is_down = True
        found = evals(*command)
        # Another model version has extracted; only whoever is named has to have.
        assert evals("run", "bills", "--runs", "1").status == 0
    assert found.status == 2
    assert "bills, asked@1: nothing was extracted; 3 of 3 extractions failed" in found.err
    assert "spent: 0 new calls, 3 calls without an answer" in found.err


def test_a_red_gate_is_no_failure_of_the_run(scored, evals):
    scored.label("A-1", due="2027-01-01")
    assert evals("run", "bills", "--model", "hasty").status == 0
    assert evals("gate", "bills", "--model", "hasty").status != 0

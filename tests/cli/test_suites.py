"""Suites that do not load, that an extractor declines, and whose fixtures lie elsewhere."""

import hashlib
import json

import pytest

from tests.pipeline.harness_project import with_records
from tests.pipeline.tellers import Tellers

BROKEN = "suite_id: broken-001\nname: Broken\ncases:\n  - case_id: a\n    fixtre: page\n"
COIN = {
    "id": 7,
    "title": "5 Pfennigs",
    "issuer": {"code": "x", "name": "Saxony"},
    "min_year": 1950,
    "max_year": 1951,
    "composition": {"text": "Zinc"},
}
FIXTURE_SUITE = """suite_id: {suite_id}
name: Coins elsewhere
version: 1.0.0
domain: coins
source_types: [NUMISTA_API_COIN]
cases:
  - case_id: coin-1
    fixture: {fixture}
    expected:
      - {{content: "It is of zinc.", confidence_min: 0.0, uncertainty_nature: EPISTEMIC}}
"""


@pytest.fixture
def tellers(bills, tmp_path, monkeypatch):
    made = Tellers(tmp_path / "tellers").make()
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def broken(tellers):
    """A suite that does not load, in a file of another name than its id."""
    tellers.write("suites/zz-other-name.yaml", BROKEN)
    return tellers


def fixture(project, name, *, folder, content=None, acceptors="[coin-catalogue]"):
    """A fixture with its manifest and snapshot; ``content`` states what the snapshot does not."""
    place = f"{folder}/{name}"
    text = json.dumps(COIN)
    digest = hashlib.sha256(text.encode()).hexdigest()
    project.write(
        f"{place}/manifest.yaml",
        f"fixture_id: {name}\nsource_type: NUMISTA_API_COIN\nexpected_acceptors: {acceptors}\n",
    )
    project.write(f"{place}/snapshot.json", json.dumps({"content_hash": digest}))
    project.write(f"{place}/content.bin", text if content is None else content)


# --- what does not load -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("benchmark", "general", "--suite", "broken-001"),
        ("benchmark", "general", "--suite", "zz-other-name"),
        ("run", "broken-001"),
        ("calibrate", "broken-001"),
        ("score", "broken-001", "--predictions", "teller.jsonl"),
    ],
)
def test_a_suite_asked_for_by_name_that_does_not_load_says_why(broken, evals, arguments):
    found = evals(*arguments)
    assert found.status == 2
    assert "suites/zz-other-name.yaml: the file of suite" in found.err
    assert "could not be loaded" in found.err
    assert "fixtre" in found.err
    assert "does not exist" not in found.err


def test_a_run_names_at_its_end_what_it_skipped(broken, evals):
    named = evals("run", "facts-001", "--model", "teller")
    assert named.status == 0, named.err
    assert named.err.splitlines()[-1].startswith(
        "not measured: 1 suite that could not be loaded: broken-001 (zz-other-name.yaml)"
    )
    both = evals("run", "facts-001", "broken-001", "--model", "teller")
    assert both.status == 2
    assert "facts-001, teller" in both.out
    assert both.err.splitlines()[-1].startswith("not measured: 1 suite")
    # Without a name every set is asked for.
    assert evals("run", "--model", "teller").status == 2


def test_a_benchmark_carries_on_and_says_so_at_its_end(broken, evals):
    found = evals("benchmark", "general", "--model", "teller", "--no-save")
    assert found.status == 0, found.err
    assert "facts-001, teller" in found.out
    assert "not measured: 1 suite" in found.err.splitlines()[-1]
    named = evals("benchmark", "general", "--model", "teller", "--suite", "facts-001", "--no-save")
    assert (named.status, "broken-001" in named.err) == (0, False)


def test_an_extractor_whose_suites_do_not_load_is_told_which_do_not(broken, evals):
    (broken.root / "suites" / "facts-001.yaml").unlink()
    found = evals("benchmark", "general", "--model", "teller")
    assert found.status == 2
    assert "of those that load (1 do not: broken-001 (zz-other-name.yaml))" in found.err


def test_a_suite_that_an_extractor_declines_is_skipped_with_a_note_and_exit_2(tellers, evals):
    found = evals("benchmark", "coin-catalogue", "--suite", "facts-001", "--no-save")
    assert found.status == 2
    assert "case facts-001-1 was skipped (declined" in found.out
    assert "nothing measured: the extractor accepts the source type of no case" in found.err


def test_a_harness_suite_is_known_by_its_id_too(tellers, evals):
    tellers.write("suites/polarity/zz.yaml", BROKEN)
    found = evals("benchmark-polarity", "general", "--suite", "broken-001")
    assert found.status == 2
    assert "suites/polarity/zz.yaml: the file of suite 'broken-001' could not be" in found.err


@pytest.mark.parametrize("command", ["gate", "trace", "calibrate", "compare"])
def test_a_harness_suite_is_no_set_and_its_own_commands_are_named(command, tellers, evals):
    with_records(tellers)
    models = ("--model", "teller", "--model", "asked@1") if command == "compare" else ()
    found = evals(command, "records-001", *models)
    assert found.status == 2
    assert "records-001 is a polarity suite" in found.err
    assert 'by "evals run records-001"' in found.err
    assert '"evals benchmark-polarity EXTRACTOR --suite records-001"' in found.err
    assert "does not exist" not in found.err
    unknown = evals(command, "records-002", *models)
    assert "'records-002' does not exist. " in unknown.err
    tellers.write("suites/polarity/zz.yaml", BROKEN)
    broken = evals(command, "broken-001", *models)
    assert "suites/polarity/zz.yaml: the file of suite 'broken-001' could not be" in broken.err


# --- what a run would call, by set --------------------------------------------------------------


def test_an_estimate_over_several_sets_says_what_each_would_call(tellers, evals):
    tellers.suite("facts-002", "NOTE")
    found = evals("run", "--model", "asked@1", "--estimate")
    assert found.status == 0, found.err
    assert "estimate: 4 calls" in found.err
    assert "facts-001  asked@1      2 calls, price unknown" in found.err
    assert "facts-002  asked@1      2 calls, price unknown" in found.err
    assert "only some of them: evals run SET" in found.err
    said = json.loads(evals("run", "--model", "asked@1", "--estimate", "--format", "json").out)
    assert [(one["set"], one["calls"]) for one in said["estimate"]["by"]] == [
        ("facts-001", 2),
        ("facts-002", 2),
    ]
    one = evals("run", "facts-002", "--model", "asked@1", "--estimate")
    assert "estimate: 2 calls" in one.err
    assert "only some of them" not in one.err


def test_a_fresh_run_of_a_harness_suite_counts_every_answer_and_keeps_its_alignment(tellers, evals):
    with_records(tellers)
    found = evals("run", "records-001", "--model", "asked@1", "--fresh", "--estimate")
    assert "estimate: 2 calls" in found.err
    assert "note: --judge" not in found.err
    told = evals("run", "records-001", "--threshold", "0.9", "--estimate")
    assert "note: --judge and --threshold are for claim suites" in told.err


# --- fixtures that lie elsewhere ----------------------------------------------------------------


@pytest.fixture
def elsewhere(tellers):
    """Two suites whose fixtures lie in another tree; the bytes of one have changed."""
    fixture(tellers, "whole", folder="tree/fixtures", acceptors="[another]")
    fixture(tellers, "changed", folder="tree/fixtures", content="{}", acceptors="[another]")
    tellers.write("tree/fixtures/MANIFEST.yaml", "fixtures: [whole, changed, missing]\n")
    for name in ("whole", "changed"):
        text = FIXTURE_SUITE.format(suite_id=f"{name}-001", fixture=name)
        tellers.write(f"suites/{name}.yaml", text)
    line = {"fixture": "coin-1", "run_index": 0, "claims": []}
    tellers.write("said.jsonl", json.dumps(line))
    return tellers


def with_setting(project, value):
    text = (project.root / "pyproject.toml").read_text(encoding="utf-8")
    project.write("pyproject.toml", text.replace("runs = 2", f"runs = 2\nfixtures_dir = {value}"))


def test_without_their_folder_fixtures_are_missed_with_the_remedy(elsewhere, evals):
    found = evals("validate")
    assert "whole: no such fixture in suites/fixtures" in found.out
    assert "name that folder in fixtures_dir or by --fixtures" in found.out


@pytest.mark.parametrize("value", ['"tree/fixtures"', '["none-yet", "tree/fixtures"]', None])
def test_fixtures_are_found_by_the_setting_and_by_the_option(elsewhere, evals, value):
    option = ("--fixtures", "tree/fixtures") if value is None else ()
    if value is not None:
        with_setting(elsewhere, value)
    found = evals("validate", "--format", "json", *option)
    said = json.loads(found.out)
    assert "whole-001" in said["checked"]
    faults = [one["problem"] for one in said["faults"]]
    assert sum("the bytes have changed" in one for one in faults) == 2  # the fixture, its suite
    assert ("there is no folder 'none-yet'" in faults) == ("none-yet" in (value or ""))
    for name in ("whole-001", "changed-001", "suites/changed.yaml"):
        scored = evals("score", name, "--predictions", "said.jsonl", *option)
        assert scored.status == 0, scored.err
    refused = evals("benchmark", "coin-catalogue", "--suite", "changed-001", *option)
    assert (refused.status, "the bytes have changed" in refused.err) == (2, True)
    estimate = evals("benchmark", "coin-catalogue", "--suite", "whole-001", "--estimate", *option)
    assert estimate.status == 0, estimate.err


def test_a_folder_that_a_variable_cannot_name_is_refused(elsewhere, evals):
    (elsewhere.root / "a:b").mkdir()
    found = evals("validate", "--fixtures", "a:b")
    assert (found.status, "Name it in fixtures_dir" in found.err) == (2, True)


def test_the_projects_own_fixture_comes_first(elsewhere, evals):
    with_setting(elsewhere, '"tree/fixtures"')
    fixture(elsewhere, "changed", folder="suites/fixtures")
    said = json.loads(evals("validate", "--format", "json").out)
    assert "changed-001" in said["checked"]
    assert any("tree/fixtures/changed: not used" in one for one in said["warnings"])


def test_suites_may_lie_in_a_folder_of_their_own(tellers, evals):
    (tellers.root / "suites" / "suites").mkdir()
    (tellers.root / "suites" / "facts-001.yaml").rename(
        tellers.root / "suites" / "suites" / "facts-001.yaml"
    )
    assert "facts-001" in json.loads(evals("validate", "--format", "json").out)["checked"]
    tellers.suite("facts-001", "NOTE", folder="suites/calibration")
    found = evals("validate")
    assert "suite_id 'facts-001' is that of suites/suites/facts-001.yaml already" in found.out


# --- conformance --------------------------------------------------------------------------------


def test_conformance_counts_a_fixture_that_does_not_load(elsewhere, evals):
    with_setting(elsewhere, '"tree/fixtures"')
    found = evals("conform", "coin-catalogue")
    assert found.status == 0, found.err
    assert "2 fixtures, 1 of them not loaded" in found.out
    assert "not measured: changed, of another extractor" in found.out
    assert "fault: tree/fixtures/changed/content.bin: the bytes have changed" in found.err
    said = json.loads(evals("conform", "coin-catalogue", "--format", "json").out)["report"]
    assert [one["fixture_id"] for one in said["fixtures"]] == ["whole"]
    [refused] = said["refused"]
    assert (refused["fixture_id"], refused["is_expected"]) == ("changed", False)
    # Mended, the corpus is another one.
    fixture(elsewhere, "changed", folder="tree/fixtures", acceptors="[another]")
    mended = evals("conform", "coin-catalogue")
    assert "not comparable with the last report" in mended.out


def test_conformance_says_nothing_of_the_whole_without_an_own_fixture(elsewhere, evals):
    fixture(elsewhere, "changed", folder="tree/fixtures", content="{}")
    found = evals("conform", "coin-catalogue", "--fixtures", "tree/fixtures")
    assert found.status == 2
    assert "not measured in whole: changed could not be loaded" in found.err
    elsewhere.write("tree/fixtures/changed/manifest.yaml", "[")
    unknown = evals("conform", "coin-catalogue", "--fixtures", "tree/fixtures")
    assert unknown.status == 2
    assert "not measured: changed, whose manifest cannot be read" in unknown.out


# --- calibration suites -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("benchmark", "coin-catalogue", "--suite", "coins-cal-001"),
        ("benchmark", "coin-catalogue", "--suite", "coins-cal-001", "--estimate"),
        (
            "compare",
            "coins-cal-001",
            "--extractor-id",
            "coin-catalogue",
            "--extractor-id",
            "general",
        ),
        ("gate", "coins-cal-001"),
    ],
)
def test_a_calibration_suite_is_not_measured_on(tellers, evals, arguments):
    found = evals(*arguments)
    assert (found.status, found.out) == (2, "")
    assert "coins-cal-001: for calibration, not for measuring" in found.err
    assert 'Run "evals calibrate coins-cal-001"' in found.err
    assert not (tellers.root / "storage" / "benchmarks").exists()


def test_figures_of_a_calibration_suite_say_that_its_gold_is_partial(tellers, evals):
    said = "its gold may leave true claims out by design"
    ran = evals("run", "facts-cal-001", "--model", "teller")
    assert ran.status == 0, ran.err
    assert said in " ".join(ran.out.split())
    again = json.loads(evals("run", "facts-cal-001", "--model", "teller", "--format", "json").out)
    assert any(said in note for note in again["figures"][0]["notes"])
    path = "suites/calibration/facts-cal-001.yaml"
    for named in (path, "facts-cal-001"):
        scored = evals("score", named, "--predictions", "teller-cal.jsonl", "--format", "json")
        assert any(said in note for note in json.loads(scored.out)["notes"])
    other = evals("run", "facts-001", "--model", "teller")
    assert said not in " ".join(other.out.split())


# --- the version of a suite ---------------------------------------------------------------------


def test_the_version_of_a_suite_stands_beside_its_figures(tellers, evals):
    with_records(tellers)
    silent = {"fixture": "record-1", "run_index": 0, "claims": []}
    tellers.write("records.jsonl", json.dumps(silent))
    every = evals("run", "--model", "teller")
    assert every.status == 0, every.err
    shown = [line.split()[:2] for line in every.out.splitlines()]
    assert ["facts-001", "1.0.0"] in shown
    assert ["records-001", "1.0.0"] in shown
    for arguments in (("run", "facts-001", "--model", "teller"), ("benchmark", "general")):
        found = evals(*dict.fromkeys((*arguments, "--model", "teller")))
        assert "suite version 1.0.0; judged by embedding from 0.8" in found.out

"""``evals calibrate``, ``calibrations``, the harness commands and ``resolve``, as they end."""

import json

import pytest

from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from tests.defs.bills import DUE, NUMBERS
from tests.judge.fakes import WordEncoder
from tests.pipeline.tellers import Tellers
from tests.resolve.stand_in import Reply, stand_in

SAID = {
    # Of twelve claims each run; the gold has one, so one is right and eleven are not.
    "facts-001": [0.9, 0.6],
    "facts-cal-001": [0.9] * 6 + [0.6] * 6,
}
POLARITY = """suite_id: records-001
name: Records
version: 1.0.0
domain: records
source_type: RECORD
cases:
  - case_id: record-1
    document: We keep paper tickets.
    labels:
      - {content: "Paper tickets are kept.", polarity: ASSERTED}
"""


@pytest.fixture
def stated(bills):
    """The project whose ``steady`` states confidences."""
    lines = [
        json.dumps(
            {
                "fixture": f"bill-{number}",
                "run_index": run_index,
                "fields": {
                    "number": {"value": number, "confidence": 0.9},
                    "due": {"value": "2026-06-01" if number == "A-2" else DUE, "confidence": 0.6},
                },
            }
        )
        for run_index in range(2)
        for number in NUMBERS
    ]
    bills.write("golden/bills/steady.jsonl", "\n".join(lines))
    return bills


@pytest.fixture
def tellers(bills, tmp_path, monkeypatch):
    """A project of suites, its texts embedded beforehand, so that no model is loaded here."""
    made = Tellers(tmp_path / "tellers").make()
    monkeypatch.chdir(made.root)
    for place, suite in (("teller", "facts-001"), ("teller-cal", "facts-cal-001")):
        lines = [
            json.dumps(
                {
                    "fixture": f"{suite}-1",
                    "run_index": run,
                    "claims": [
                        {"content": _content(number), "confidence": confidence}
                        for number, confidence in enumerate(SAID[suite])
                    ],
                }
            )
            for run in (0, 1)
        ]
        made.write(f"{place}.jsonl", "\n".join(lines))
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = ["Paper tickets are kept.", *(_content(number) for number in range(12))]
    VectorCache(made.root / "storage" / "vectors", encoder).vectors(texts)
    return made


def _content(number: int) -> str:
    return "A ship sank." if not number else f"Gull number{number} flew over{number} away{number}"


# --- golden sets --------------------------------------------------------------------------------


def test_calibrating_a_golden_set_runs_what_is_missing_and_shows_thresholds(stated, evals):
    found = evals(
        "calibrate", "bills", "--model", "steady", "--precision", "0.9", "--format", "json"
    )
    assert found.status == 0, found.err
    [fit] = json.loads(found.out)["fits"]
    assert (fit["set"], fit["model_version"], fit["accepted"]) == ("bills", "steady", False)
    assert fit["refusal"]["code"]
    fields = {row["field"]: row["review"] for row in fit["fields"]}
    assert fields["number"]["threshold"] == 0.9
    assert fields["due"]["threshold"] is None
    assert fields[None]["review_share"] == 0.5
    shown = evals("calibrate", "bills", "--model", "steady")
    assert "REFUSED" in shown.out
    assert "unreviewed from" in shown.out
    assert "stated       n   mean  right" in shown.out
    # The refused fit is stored, listed and can be forgotten.
    listed = json.loads(evals("calibrations", "list", "--format", "json").out)["fits"]
    assert [(one["set"], one["accepted"], one["outdated"]) for one in listed] == [
        ("bills", False, False)
    ]
    assert "REFUSED" in evals("calibrations", "list").out
    gone = evals("calibrations", "forget", "bills", "--model", "steady")
    assert (gone.status, gone.out.strip()) == (0, "forgot 1 fit of bills, steady")
    again = evals("calibrations", "forget", "bills")
    assert (again.status, "no fit is stored" in again.err) == (2, True)
    assert "no fit is stored" in evals("calibrations", "list").err


# --- extractors ---------------------------------------------------------------------------------


def test_calibrating_an_extractor_extracts_and_judges_its_population(tellers, evals):
    with_subjects(tellers)
    found = evals("calibrate", "general", "--model", "teller", "--format", "json")
    assert found.status == 0, found.err
    assert "estimate: no call to make" in found.err
    [fit] = json.loads(found.out)["fits"]
    assert fit["pairs"]["sources"] == ["facts-cal-001"]
    assert (fit["pairs"]["n"], fit["pairs"]["correct"]) == (24, 2)
    assert sum(one["n"] for one in fit["stated"]["fitted"]["bins"]) == 24
    assert fit["stated"]["fitted"]["ece"] == fit["calibration_error"]["before"]
    assert fit["refusal"]["code"] in ("no_heldout", "on_bound")
    assert fit["heldout"]["n"] == 0
    ran = evals("run", "facts-001", "--model", "teller")
    assert ran.status == 0, ran.err
    again = json.loads(evals("calibrate", "general", "--model", "teller", "--format", "json").out)[
        "fits"
    ][0]
    assert (again["heldout"]["n"], again["heldout"]["sources"]) == (4, ["facts-001"])
    # A benchmark shows how the suite's gold subjects resolve, and keeps it in its record.
    measured = json.loads(
        evals("benchmark", "general", "--model", "teller", "--format", "json").out
    )
    assert measured["resolution"]["metrics"]["resolution_accuracy"] == 0.5
    [record] = (tellers.root / "storage" / "benchmarks" / "facts-001").glob("*.json")
    kept = json.loads(record.read_text(encoding="utf-8"))["resolution"]
    assert [one["name"] for one in kept["subjects"]] == ["Turin", "Ship"]


def test_an_estimate_stops_before_anything_is_done(tellers, evals):
    found = evals("calibrate", "general", "--model", "teller", "--estimate")
    assert (found.status, found.out) == (0, "")
    assert "estimate:" in found.err
    assert not (tellers.root / "storage" / "tables").exists()


def test_a_model_s_claims_are_not_paid_for_without_a_judge(tellers, evals):
    tellers.without_a_wish()
    predicted = evals("calibrate", "general", "--model", "teller")
    assert (predicted.status, "the claims of teller are a model's" in predicted.err) == (2, True)
    found = evals("calibrate", "general", "--model", "asked@1")
    assert found.status == 2
    assert "judge.model" in found.err
    assert "--judge embedding" in found.err
    assert 'calibration_judge = "embedding"' in found.err
    # What --judge says stays in the environment of this process, so it comes last.
    wished = evals("calibrate", "general", "--model", "teller", "--judge", "embedding")
    assert wished.status == 0, wished.err
    assert "judged by embedding from 0.8" in " ".join(wished.out.split())
    estimate = evals(
        "calibrate", "general", "--model", "asked@1", "--judge", "embedding", "--estimate"
    )
    assert (estimate.status, "2 calls" in estimate.err) == (0, True)


def test_a_name_that_means_nothing_is_refused_with_the_nearest(tellers, evals):
    found = evals("calibrate", "generel")
    assert found.status == 2
    assert 'Did you mean "general"?' in found.err
    assert evals("calibrate", "general", "--model", "nobody").status == 2


# --- harnesses and resolution -------------------------------------------------------------------


def with_subjects(tellers):
    path = tellers.root / "suites" / "facts-001.yaml"
    subjects = (
        "gold_subjects:\n"
        '  - {case_id: facts-001-1, name: Turin, ref: "wikidata:Q495", mention: "To Turin."}\n'
        "  - {case_id: facts-001-1, name: Ship, ref: null}\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + subjects, encoding="utf-8")


def with_records(tellers, claims):
    tellers.write("suites/polarity/records-001.yaml", POLARITY)
    line = {"fixture": "record-1", "run_index": 0, "claims": claims}
    tellers.write("records.jsonl", json.dumps(line))
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    files = 'files = {records-001 = "records.jsonl", '
    tellers.write("pyproject.toml", text.replace("files = {", files, 1))


def test_a_harness_reports_and_stores_nothing(tellers, evals):
    claim = {"content": "Paper tickets are kept.", "confidence": 0.9, "polarity": "DECLINED"}
    with_records(tellers, [claim])
    found = evals("benchmark-polarity", "general", "--model", "teller", "--format", "json")
    assert found.status == 0, found.err
    value = json.loads(found.out)
    assert value["rates"]["wrong_declined_rate"]["mean"] == 1.0
    assert value["cases"][0]["labels"][0]["claim"] == "Paper tickets are kept."
    assert not (tellers.root / "storage" / "tables").exists()
    shown = evals("benchmark-polarity", "teller")
    assert "wrong_declined_rate" in shown.out
    assert "ASSERTED emitted as DECLINED" in shown.out


def test_a_harness_says_what_it_skipped_and_what_it_lacks(tellers, evals):
    with_records(tellers, [])
    tellers.write("suites/polarity/broken.yaml", "cases: []\n")
    found = evals("benchmark-polarity", "general", "--model", "teller")
    assert "skipped broken (broken.yaml)" in found.err
    none = evals("benchmark-validity", "general")
    assert (none.status, "there is no validity suite" in none.err) == (2, True)
    estimate = evals("benchmark-polarity", "general", "--model", "asked@1", "--estimate")
    assert (estimate.status, "2 calls" in estimate.err) == (0, True)


def test_a_run_makes_and_keeps_the_figures_of_harnesses_and_of_subjects(tellers, evals):
    with_records(tellers, [])
    with_subjects(tellers)
    named = evals("run", "records-001", "--model", "teller")
    assert named.status == 0, named.err
    assert "0 of 1 labels aligned" in named.out
    again = evals("run", "records-001", "--model", "teller", "--format", "json")
    assert "everything is up to date" in again.err
    value = json.loads(again.out)
    assert (value["figures"], value["resolutions"]) == ([], [])
    [harness] = value["harnesses"]
    assert (harness["set"], harness["labels"]) == ("records-001", {"aligned": 0, "n": 1})
    asked = evals("run", "records-001", "--model", "asked@1", "--estimate")
    assert (asked.status, "2 calls" in asked.err) == (0, True)
    # A suite by its name has its subjects resolved; a model version has no part in that.
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    tellers.write("pyproject.toml", text.split('[tool.evals.models."asked@1"]')[0])
    both = evals("run", "facts-001", "--format", "json")
    assert both.status == 0, both.err
    [resolved] = json.loads(both.out)["resolutions"]
    assert resolved["metrics"]["resolution_accuracy"] == 0.5
    brief = evals("run")
    assert brief.status == 0, brief.err
    assert "wrong_declined_rate n/a" in brief.out


def test_the_resolution_column_can_be_asked_for_alone(tellers, evals):
    with_subjects(tellers)
    found = evals("resolve", "--format", "json")
    assert found.status == 0, found.err
    value = json.loads(found.out)
    assert value["metrics"] == {
        "resolution_accuracy": 0.5,
        "resolution_wrong_ref": 0.0,
        "resolution_bare_local": 0.5,
    }
    assert "bare_local: Turin" in evals("resolve", "facts-001").out
    live = evals("resolve", "facts-001", "--wikidata", "live")
    assert (live.status, "resolve.contact" in live.err) == (2, True)


def with_live_wikidata(tellers, url):
    text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    live = (
        f'\n[tool.evals.resolve]\nwikidata = "live"\nwikidata_url = "{url}"\n'
        'contact = "mara@example.org"\nrequests_per_minute = 60000\n'
    )
    tellers.write("pyproject.toml", text.split('[tool.evals.models."asked@1"]')[0] + live)


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_resolution_that_reached_nobody_measured_nothing_and_is_refused(tellers, evals, form):
    with_subjects(tellers)
    with stand_in(lambda asked, number: Reply(status=404)) as server:
        with_live_wikidata(tellers, server.url)
        found = evals("resolve", "facts-001", "--format", form)
        assert found.status == 2
        assert "no subject resolved, nothing measured: facts-001: an authority could" in found.err
        assert 'set resolve.wikidata = "off"' in found.err
        assert ('"resolved": 0' if form == "json" else "n/a") in found.out
        ran = evals("run", "facts-001", "--format", form)
        assert "no subject resolved, nothing measured: facts-001" in ran.err


def test_a_resolution_that_was_reached_in_part_is_fine(tellers, evals):
    with_subjects(tellers)
    entry = 'subjects:\n  - {ref: "wikidata:Q495", name: Turin}\n'
    tellers.write("suites/subjects/authority.yaml", entry)
    found = evals("resolve", "facts-001", "--wikidata", "recorded")
    assert "1 of them undecided" in found.out
    assert (found.status, "nothing measured" in found.err) == (0, False)


def test_the_new_commands_are_in_the_help(bills, evals):
    shown = evals("--help").out
    for name in (
        "calibrate",
        "calibrations",
        "benchmark-modality",
        "benchmark-validity",
        "resolve",
    ):
        assert name in shown
        assert evals(name, "--help").status == 0

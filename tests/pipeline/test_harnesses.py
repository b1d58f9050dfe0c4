"""Harnesses end to end without a model: routing, alignment, figures, faults of the files."""

import json

import pytest

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.core.harness_records import (
    HarnessCase,
    HarnessKind,
    HarnessLabel,
)
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.records import Fixture
from evals_pipeline.core.run_records import Claim
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.harness_extraction import (
    estimate_harness,
    extract_harness,
    harness_runs,
)
from evals_pipeline.pipeline.harness_suites import harness_cells
from evals_pipeline.pipeline.harnesses import align, alignment_judge, run_harness
from evals_pipeline.pipeline.judges import vectors_for
from evals_pipeline.pipeline.validation import validate_project
from tests.judge.fakes import CosineEncoder, WordEncoder, extraction, in_memory
from tests.llm.loopback import completion, loopback
from tests.pipeline.tellers import STAMP, Tellers

POLARITY = """suite_id: records-001
name: Records
version: 1.0.0
domain: records
source_type: {source_type}
cases:
  - case_id: record-1
    document: We keep paper tickets. Ticket machines were turned down.
    labels:
      - {{content: "Paper tickets are kept.", polarity: ASSERTED}}
      - {{content: "Ticket machines are used.", polarity: DECLINED}}
"""
CLAIMS = [
    {"content": "Paper tickets are kept.", "confidence": 0.9, "polarity": "DECLINED"},
    {"content": "Ticket machines are used.", "confidence": 0.5, "polarity": "DECLINED"},
]


@pytest.fixture
def tellers(tmp_path):
    made = Tellers(tmp_path).make()
    made.write("suites/polarity/records-001.yaml", POLARITY.format(source_type="RECORD"))
    lines = [
        json.dumps({"fixture": "record-1", "run_index": run, "claims": CLAIMS}) for run in (0, 1)
    ]
    made.write("records.jsonl", "\n".join(lines))
    text = (made.root / "pyproject.toml").read_text(encoding="utf-8")
    files = 'files = {records-001 = "records.jsonl", '
    made.write("pyproject.toml", text.replace("files = {", files, 1))
    return made


def cells(tellers, name="general", **options):
    found = harness_cells(tellers.open(), HarnessKind.POLARITY, name, **options)
    return [(cell.suite.suite_id, cell.model_version) for cell in found]


# --- whose suites they are ----------------------------------------------------------------------


def test_a_suite_goes_to_the_extractor_that_routing_chooses(tellers):
    assert cells(tellers, models=["teller"]) == [("records-001", "teller")]
    assert cells(tellers) == [("records-001", "teller"), ("records-001", "asked@1")]
    with pytest.raises(RefusedError, match="it is the routing choice for no polarity suite"):
        cells(tellers, "coin-catalogue")


def test_a_model_version_may_be_named_in_place_of_an_extractor(tellers):
    assert cells(tellers, "teller") == [("records-001", "teller")]


def test_naming_a_suite_bypasses_routing(tellers):
    found = cells(tellers, "coin-catalogue", suite_ids=["records-001"])
    assert ("records-001", "coin-catalogue@1") in found


def test_names_that_mean_nothing_are_refused(tellers):
    with pytest.raises(UnknownNameError, match="Did you mean"):
        cells(tellers, "generall")
    with pytest.raises(UnknownNameError, match="polarity suite"):
        cells(tellers, suite_ids=["record-001"])
    with pytest.raises(RefusedError, match="there is no modality suite"):
        harness_cells(tellers.open(), HarnessKind.MODALITY, "general")
    with pytest.raises(RefusedError, match="coin-catalogue@1 cannot serve records-001"):
        cells(tellers, models=["coin-catalogue@1"])


def test_a_suite_that_does_not_load_is_told_when_it_is_named(tellers):
    tellers.write("suites/polarity/broken-001.yaml", "cases: []\n")
    assert cells(tellers, models=["teller"]) == [("records-001", "teller")]
    with pytest.raises(Exception, match=r"broken-001\.yaml"):
        cells(tellers, suite_ids=["broken-001"])


# --- alignment ----------------------------------------------------------------------------------


def harness_case(*labels):
    fixture = Fixture(
        fixture_id="case-1",
        name="case-1",
        sha256="0" * 64,
        source_type="X",
        media_type="text/plain",
    )
    return HarnessCase(
        case_id="case-1",
        fixture=fixture,
        labels=tuple(HarnessLabel(content=content, expected=name) for content, name in labels),
        narrative_expected=True,
    )


def claim(content, **properties):
    return Claim(content=content, confidence=0.9, properties=properties)


def aligned(kind, labels, claims, cosines):
    encoder = CosineEncoder([content for content, _ in labels], cosines)
    [found] = align(
        kind,
        [(harness_case(*labels), extraction(claims))],
        judge=JudgeSettings(threshold=0.65),
        vectors=in_memory(encoder),
        arbiter=None,
    )
    return found


def test_a_claim_at_the_threshold_aligns_and_one_below_does_not():
    labels = [("first", "ASSERTED"), ("second", "DECLINED")]
    found = aligned(
        HarnessKind.POLARITY,
        labels,
        [claim("at", polarity="DECLINED"), claim("below", polarity="DECLINED")],
        {"at": [0.65, 0], "below": [0, 0.64]},
    )
    first, second = found.labels
    assert (first.emitted, first.claim, first.is_stated) == ("DECLINED", "at", True)
    assert first.similarity == pytest.approx(0.65)
    assert (second.emitted, second.claim) == (None, None)
    assert (found.n_emitted, found.n_stating) == (2, 2)


def test_a_narrative_takes_no_label_from_another_claim():
    labels = [("first", "FALSIFIABLE"), ("second", "EXPERIENTIAL")]
    found = aligned(
        HarnessKind.MODALITY,
        labels,
        [claim("whole", modality="NARRATIVE"), claim("fact", modality="FALSIFIABLE")],
        # The narrative is closer to the first label than the claim that states it.
        {"whole": [0.72, 0.66], "fact": [0.7, 0]},
    )
    assert [(one.claim, one.emitted) for one in found.labels] == [
        ("fact", "FALSIFIABLE"),
        ("whole", "NARRATIVE"),
    ]
    assert found.narrative_emitted


def test_a_fact_that_is_stated_only_as_a_narrative_is_seen_as_that():
    found = aligned(
        HarnessKind.MODALITY,
        [("first", "FALSIFIABLE")],
        [claim("whole", modality="NARRATIVE")],
        {"whole": [0.9]},
    )
    assert found.labels[0].emitted == "NARRATIVE"


def test_an_extraction_that_failed_aligns_nothing():
    from evals_pipeline.core.outcomes import ExtractionStatus

    [found] = align(
        HarnessKind.POLARITY,
        [(harness_case(("x", "ASSERTED")), extraction(status=ExtractionStatus.ERROR))],
        judge=JudgeSettings(),
        vectors=in_memory(WordEncoder()),
        arbiter=None,
    )
    assert [one.emitted for one in found.labels] == [None]
    assert (found.n_emitted, found.status) == (0, ExtractionStatus.ERROR)
    assert not found.narrative_emitted


def test_labels_align_from_the_lower_threshold_unless_one_is_stated(tellers):
    project = tellers.open()
    assert alignment_judge(project).threshold == 0.65
    assert alignment_judge(project, threshold=0.9).threshold == 0.9


# --- a run --------------------------------------------------------------------------------------


def test_a_run_over_predictions_gives_the_figures(tellers):
    project = tellers.open()
    [cell] = harness_cells(project, HarnessKind.POLARITY, "general", models=["teller"])
    judge = alignment_judge(project)
    # Vectors under the packaged model's name, so that nothing has to be embedded here.
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = [one["content"] for one in CLAIMS]
    VectorCache(project.root / "storage" / "vectors", encoder).vectors(texts)
    assert vectors_for(project, judge).n_embedded == 0
    runs = harness_runs(project, cell)
    figures = run_harness(project, cell, runs=runs, judge=judge, stamp=STAMP)
    assert (runs, figures.run_indices) == ((0, 1), (0, 1))
    assert (figures.n_labels, figures.n_aligned) == (4, 4)
    assert {rate.name: rate.figure.mean for rate in figures.rates} == {
        "wrong_declined_rate": 1.0,
        "wrong_hidden_rate": 1.0,
    }
    assert figures.statuses.ok == 2
    assert vectors_for(project, judge).n_embedded == 0
    assert not (project.root / "storage" / "tables").exists()


def test_runs_that_a_file_does_not_have_are_refused(tellers):
    project = tellers.open()
    [cell] = harness_cells(project, HarnessKind.POLARITY, "general", models=["teller"])
    assert harness_runs(project, cell, 1) == (0,)
    assert harness_runs(project, cell, 5) == (0, 1)
    tellers.write(
        "records.jsonl", json.dumps({"fixture": "record-1", "run_index": 7, "claims": []})
    )
    with pytest.raises(RefusedError, match="has no run below 2; it has 7"):
        harness_runs(project, cell)


def test_a_parser_runs_once_and_says_that_it_declines(tellers):
    project = tellers.open()
    cells_found = harness_cells(
        project, HarnessKind.POLARITY, "coin-catalogue", suite_ids=["records-001"]
    )
    [cell] = [one for one in cells_found if one.model_version == "coin-catalogue@1"]
    runs = harness_runs(project, cell)
    found = extract_harness(project, cell, runs, stamp=STAMP)
    assert (runs, found["record-1", 0].status.value) == ((0,), "declined")


def test_an_estimate_calls_nobody(tellers):
    project = tellers.open()
    [cell] = harness_cells(project, HarnessKind.POLARITY, "asked@1")
    estimate = estimate_harness(project, cell, (0, 1))
    assert (estimate.calls, estimate.recorded) == (2, 0)


# --- a model ------------------------------------------------------------------------------------

VALIDITY = """suite_id: notices-001
name: Notices
version: 1.0.0
domain: notices
source_type: NOTICE
cases:
  - case_id: notice-1
    reference_date: 2026-03-10
    document: The exam is tomorrow.
    labels:
      - content: "The exam is on 11 March 2026."
        expected_valid_until: 2026-03-11
        is_durable: false
"""
PROMPT = """---
output: claims
properties: [valid_until]
---
State what holds until when, counted from {{ reference_date }}.
{{ document }}
"""


def test_a_model_is_told_the_reference_date_and_asked_for_the_property_once(tellers):
    tellers.write("suites/validity/notices-001.yaml", VALIDITY)
    tellers.write("validity.md", PROMPT)
    claim = {"content": "The exam is on 11 March 2026.", "confidence": 1, "subjects": []}
    answer = json.dumps({"claims": [claim | {"valid_until": "2026-03-11"}]})
    with loopback(lambda call: completion(answer, model="asked-2026-01-01")) as server:
        text = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
        prompts = f'"{server.url}"\nprompts = {{notices-001 = "validity.md"}}'
        tellers.write("pyproject.toml", text.replace('"http://127.0.0.1:9/v1"', prompts))
        project = tellers.open()
        assert validate_project(project).faults == ()
        [cell] = harness_cells(project, HarnessKind.VALIDITY, "asked@1")
        assert estimate_harness(project, cell, (0,)).calls == 1
        found = extract_harness(project, cell, (0,), stamp=STAMP)
        again = extract_harness(project, cell, (0,), stamp=STAMP)
        [call] = server.calls
        assert estimate_harness(project, cell, (0,), ignore_recorded=True).calls == 1
        extract_harness(project, cell, (0,), stamp=STAMP, fresh=True)
        assert len(server.calls) == 2
    assert call.asked.startswith("State what holds until when, counted from 2026-03-10.")
    schema = call.body["response_format"]["json_schema"]["schema"]
    assert "valid_until" in schema["properties"]["claims"]["items"]["required"]
    [stated] = found["notice-1", 0].claims
    assert stated.properties == {"valid_until": "2026-03-11"}
    assert again["notice-1", 0].claims == (stated,)
    assert estimate_harness(project, cell, (0,)).recorded == 1


def test_a_prompt_that_asks_for_fields_cannot_serve_a_harness(tellers):
    tellers.write("general.md", "---\noutput: fields\n---\n{{ document }}\n")
    problems = " ".join(str(fault) for fault in validate_project(tellers.open()).faults)
    assert "says output: fields, but records-001 measures claims" in problems


# --- validation ---------------------------------------------------------------------------------


def test_validation_looks_at_harness_suites_too(tellers):
    found = validate_project(tellers.open())
    assert found.faults == ()
    assert "records-001" in found.checked
    tellers.write("suites/polarity/records-002.yaml", POLARITY.format(source_type="RECORD"))
    tellers.write("suites/validity/v.yaml", "cases: []\n")
    tellers.write("records.jsonl", json.dumps({"fixture": "nowhere", "claims": []}))
    problems = " ".join(str(fault) for fault in validate_project(tellers.open()).faults)
    assert "suite_id 'records-001' is that of" in problems
    assert "suites/validity/v.yaml" in problems
    assert "'nowhere' is no document of the set" in problems


def test_validation_takes_one_harness_suite_or_their_folder(tellers):
    path = tellers.root / "suites" / "polarity" / "records-001.yaml"
    assert validate_project(tellers.open(), [path]).faults == ()
    path.write_text(POLARITY.format(source_type="RECORD") + "    extra: 1\n", encoding="utf-8")
    [fault] = validate_project(tellers.open(), [path]).faults
    assert "unknown key" in fault.problem
    assert validate_project(tellers.open(), [path.parent]).faults == (fault,)


def test_a_harness_suite_with_the_id_of_a_set_is_a_fault(tellers):
    text = POLARITY.format(source_type="RECORD").replace("records-001", "facts-001")
    tellers.write("suites/polarity/b.yaml", text)
    problems = " ".join(str(fault) for fault in validate_project(tellers.open()).faults)
    assert "suite_id 'facts-001' is that of the set facts-001" in problems

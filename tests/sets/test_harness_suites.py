"""Suites of modality, polarity and validity: loaded whole, or refused with every fault."""

from datetime import date

import pytest

from evals_pipeline.core.harness_records import HarnessKind
from evals_pipeline.sets.harnesses import discover_harness_suites, load_harness_suite
from tests.sets.builders import faults_of, sha

HEAD = """suite_id: {suite_id}
name: A suite
version: 1.10
domain: diaries
source_type: DIARY
published_at: 2026-06-15T00:00:00+00:00
"""
MODALITY = """cases:
  - case_id: entry-1
    entry: |
      It rained for two hours. I was glad.
    labels:
      - content: "It rained for two hours."
        modality: FALSIFIABLE
      - {content: "The author was glad.", modality: EXPERIENTIAL}
  - case_id: entry-2
    narrative_expected: false
    entry: Short.
    labels:
      - {content: "It was short.", modality: constitutive}
"""
POLARITY = """cases:
  - case_id: record-1
    document: We keep paper. A machine was turned down.
    labels:
      - {content: "Paper is kept.", polarity: ASSERTED}
      - {content: "A machine is used.", polarity: DECLINED}
"""
VALIDITY = """date_tolerance_days: 2
metrics: [wrong_expiry_rate, {name: date_accuracy, definition: within the tolerance}]
cases:
  - case_id: notice-1
    reference_date: 2026-03-10
    document: Closed until Friday. Built in 1962.
    labels:
      - {content: "It is closed.", expected_valid_until: 2026-03-13, is_durable: false}
      - {content: "It was built in 1962.", expected_valid_until: null, is_durable: true}
      - {content: "It has a roof.", is_durable: true}
"""
BODIES = {
    HarnessKind.MODALITY: MODALITY,
    HarnessKind.POLARITY: POLARITY,
    HarnessKind.VALIDITY: VALIDITY,
}


def written(tmp_path, text, *, name="a.yaml", suite_id="diary-001"):
    path = tmp_path / name
    path.write_text(HEAD.format(suite_id=suite_id) + text, encoding="utf-8")
    return path


def load(tmp_path, text, kind):
    return load_harness_suite(written(tmp_path, text), kind=kind)


def refusal(tmp_path, text, kind):
    path = written(tmp_path, text)
    faults = faults_of(lambda: load_harness_suite(path, kind=kind))
    return [f"{fault.line}: {fault.problem}. {fault.remedy or ''}" for fault in faults]


def test_a_modality_suite_is_read_whole(tmp_path):
    found = load(tmp_path, MODALITY, HarnessKind.MODALITY)
    assert (found.suite_id, found.version, found.source_type) == ("diary-001", "1.10", "DIARY")
    first, second = found.cases
    text = "It rained for two hours. I was glad.\n"
    assert first.fixture.inline == text.encode()
    assert (first.fixture.sha256, first.fixture.source_type) == (sha(text), "DIARY")
    assert [label.expected for label in first.labels] == ["FALSIFIABLE", "EXPERIENTIAL"]
    assert (first.narrative_expected, second.narrative_expected) == (True, False)
    assert second.labels[0].expected == "CONSTITUTIVE"  # of other runners, in any case


def test_a_polarity_suite_is_read_whole(tmp_path):
    [case] = load(tmp_path, POLARITY, HarnessKind.POLARITY).cases
    assert [label.expected for label in case.labels] == ["ASSERTED", "DECLINED"]
    assert not case.narrative_expected


def test_a_validity_suite_is_read_whole(tmp_path):
    found = load(tmp_path, VALIDITY, HarnessKind.VALIDITY)
    [case] = found.cases
    assert (found.date_tolerance_days, case.reference_date) == (2, date(2026, 3, 10))
    assert found.metrics == ("wrong_expiry_rate", "date_accuracy")
    assert [(label.expected, label.valid_until) for label in case.labels] == [
        ("BOUNDED", date(2026, 3, 13)),
        ("DURABLE", None),
        ("DURABLE", None),
    ]


def test_unknown_keys_warn_at_the_root_and_are_faults_inside(tmp_path):
    found = load(tmp_path, POLARITY + "newer: 1\n", HarnessKind.POLARITY)
    assert len(found.warnings) == 1
    assert "newer" in found.warnings[0]
    inside = POLARITY.replace("polarity: ASSERTED", "polarity: ASSERTED, required: true")
    [fault] = refusal(tmp_path, inside, HarnessKind.POLARITY)
    assert "unknown key" in fault
    in_case = POLARITY.replace("    document:", "    fixture: x\n    document:")
    [fault] = refusal(tmp_path, in_case, HarnessKind.POLARITY)
    assert fault.startswith("9: cases[0].fixture: unknown key")


def test_a_class_that_does_not_exist_comes_with_the_nearest(tmp_path):
    [fault] = refusal(tmp_path, POLARITY.replace("DECLINED", "DECLIND"), HarnessKind.POLARITY)
    assert "must be ASSERTED, DECLINED or HYPOTHETICAL" in fault
    assert 'Did you mean "DECLINED"?' in fault


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("2026-03-13, is_durable: false", "null, is_durable: false", "states no day"),
        ("null, is_durable: true", "2026-01-01, is_durable: true", "states a day"),
        ("2026-03-13", "next Friday", "must be an ISO 8601 date"),
        ("reference_date: 2026-03-10\n", "reference_date:\n", "is empty"),
        ("date_tolerance_days: 2", "date_tolerance_days: -1", "must be 0 or more"),
        ("date_tolerance_days: 2", "date_tolerance_days: 2.5", "must be a whole number"),
        (
            ', is_durable: true}\n      - {content: "It has',
            '}\n      - {content: "It has',
            "missing",
        ),
        ('"It was built in 1962."', '"It is closed."', "labelled twice"),
        ('"It is closed."', '""', "is empty"),
    ],
)
def test_labels_that_contradict_themselves_are_faults(tmp_path, before, after, problem):
    assert before in VALIDITY
    faults = refusal(tmp_path, VALIDITY.replace(before, after, 1), HarnessKind.VALIDITY)
    assert any(problem in fault for fault in faults), faults
    assert all(fault[0].isdigit() for fault in faults)


def test_several_faults_are_told_at_once(tmp_path):
    text = MODALITY.replace("entry-2", "entry-1").replace(
        '"The author was glad."', '"It rained for two hours."'
    )
    assert len(refusal(tmp_path, text, HarnessKind.MODALITY)) == 2


def test_a_suite_of_another_kind_does_not_load(tmp_path):
    assert refusal(tmp_path, POLARITY, HarnessKind.MODALITY)
    assert refusal(tmp_path, MODALITY, HarnessKind.VALIDITY)


def test_a_case_without_labels_measures_nothing_and_is_refused(tmp_path):
    text = "cases:\n  - {case_id: a, document: b, labels: []}\n"
    [fault] = refusal(tmp_path, text, HarnessKind.POLARITY)
    assert "at least one" in fault


def test_discovery_keeps_what_loads_and_says_what_does_not(tmp_path):
    written(tmp_path, POLARITY, name="b.yaml", suite_id="b-001")
    written(tmp_path, POLARITY, name="a.yaml", suite_id="a-001")
    written(tmp_path, "cases: []\n", name="c.yaml", suite_id="c-001")
    written(tmp_path, POLARITY, name="d.yaml", suite_id="a-001")
    written(tmp_path, POLARITY, name="e.yml", suite_id="e-001")
    (tmp_path / ".hidden.yaml").write_text("x", encoding="utf-8")
    found = discover_harness_suites(tmp_path, kind=HarnessKind.POLARITY)
    assert [suite.suite_id for suite in found.suites] == ["a-001", "b-001"]
    assert [path.name for path, _ in found.failures] == ["c.yaml", "d.yaml"]
    assert "e.yml" in found.warnings[0]
    nowhere = discover_harness_suites(tmp_path / "x", kind=HarnessKind.POLARITY)
    assert nowhere.suites == ()


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    folder = tmp_path / "polarity"
    folder.mkdir()
    outside = written(tmp_path, POLARITY)
    (folder / "a.yaml").symlink_to(outside)
    found = discover_harness_suites(folder, kind=HarnessKind.POLARITY)
    assert found.suites == ()
    assert len(found.failures) == 1


def test_content_keeps_what_the_author_typed(tmp_path):
    text = POLARITY.replace('"Paper is kept."', "NO").replace('"A machine is used."', "1:10")
    [case] = load(tmp_path, text, HarnessKind.POLARITY).cases
    assert [label.content for label in case.labels] == ["NO", "1:10"]


def test_the_digest_is_of_the_bytes(tmp_path):
    one = load(tmp_path, POLARITY, HarnessKind.POLARITY)
    assert load(tmp_path, POLARITY, HarnessKind.POLARITY).digest == one.digest
    assert load(tmp_path, POLARITY + "# note\n", HarnessKind.POLARITY).digest != one.digest

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evals_pipeline.core.outcomes import UncertaintyNature
from evals_pipeline.core.records import Suite
from evals_pipeline.sets.suites import corpus_digest, discover_suites, load_suite
from tests.sets.builders import Project, faults_of, sha

HEAD = """suite_id: ship-log-001
name: Ship logs
version: 1.10
domain: shipping
source_types: [LOG_PAGE, LETTER]
"""
INLINE = "The brig Alma left Riga.\n"
CASES = f"""cases:
  - case_id: log-1
    fixture: log-1
    expected:
      - content: "A ship sank."
        confidence_min: 0.9
        uncertainty_nature: EPISTEMIC
  - case_id: log-2
    source_snapshot:
      content_hash: {sha(INLINE)}
    inline_content: |
      The brig Alma left Riga.
    expected:
      - content: The brig Alma left Riga.
        confidence_min: 0
        uncertainty_nature: ALEATORIC
        required: false
"""


def load(project: Project, text: str) -> Suite:
    project.fixture("log-1")
    return load_suite(project.suite(text), fixtures_dirs=[project.fixtures])


def refusal(project: Project, text: str) -> str:
    project.fixture("log-1")
    path = project.suite(text)
    faults = faults_of(lambda: load_suite(path, fixtures_dirs=[project.fixtures]))
    return "\n".join(f"{fault.line}: {fault.problem}. {fault.remedy or ''}" for fault in faults)


def test_a_suite_is_read_whole(project: Project):
    found = load(project, HEAD + CASES)
    assert (found.suite_id, found.version) == ("ship-log-001", "1.10")
    assert found.source_types == ("LOG_PAGE", "LETTER")
    stored, inline = found.cases
    assert stored.declares_source_type
    assert (stored.fixture.sha256, stored.fixture.source_type) == (
        sha("A ship sank.\n"),
        "LOG_PAGE",
    )
    assert stored.expected[0].required
    assert not inline.declares_source_type
    assert inline.fixture.inline == INLINE.encode()
    assert inline.fixture.source_type == "LOG_PAGE"
    assert inline.expected[0].uncertainty_nature is UncertaintyNature.ALEATORIC
    assert inline.expected[0].confidence_min == 0.0
    assert found.warnings == ()


@pytest.mark.parametrize("typed", ["NO", "off", "00420", "3:20", "2029-12-31", "1.50", "1_0"])
def test_content_stays_what_was_typed(project: Project, typed: str):
    text = HEAD + CASES.replace('"A ship sank."', typed)
    assert load(project, text).cases[0].expected[0].content == typed


def test_root_keys_of_a_newer_runner_only_warn(project: Project):
    text = HEAD + CASES + "audience: all\nmetrics:\n  - {name: n, definition: d, unit: m}\n"
    found = load(project, text)
    assert found.metrics == (("n", "d"),)
    assert [warning.rsplit(": ", 2)[1] for warning in found.warnings] == [
        "audience",
        "metrics[0].unit",
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("confidence_min: 0.9", "confidence_min: 90", "11: cases[0].expected[0].confidence_min"),
        ("confidence_min: 0.9", "confidence_min: nan", "must be a number"),
        ("confidence_min: 0.9", 'confidence_min: "0.9"', "without quotes"),
        ("confidence_min: 0.9", "confidence: 0.9", 'Did you mean "confidence_min"'),
        ("confidence_min: 0.9", "confidence_min: 0.9\n        polarity: x", "unknown key"),
        ('content: "A ship sank."', "content:", "content: is empty"),
        ('content: "A ship sank."', 'content: " "', "content: is empty"),
        ('content: "A ship sank."', "content: [a]", "must be text"),
        ("EPISTEMIC", "epistemic", 'Did you mean "EPISTEMIC"'),
        ("uncertainty_nature: EPISTEMIC", "uncertainty_nature:", "is empty; expected EPISTEMIC"),
        ("EPISTEMIC", "EPISTEMC", 'Did you mean "EPISTEMIC"'),
        ("required: false", 'required: "false"', "write false without quotes"),
        ("required: false", "required: no", "must be true or false"),
        ("fixture: log-1", "fixture: ../log-1", "plain name"),
        ("fixture: log-1", "fixture: /etc", "plain name"),
        ("fixture: log-1", "fixture: log-3", 'Did you mean "log-1"'),
        ("fixture: log-1", "fixtures: log-1", "exactly one of fixture and source_snapshot"),
        ("fixture: log-1", "inline_content: x", "got neither"),
        ("    fixture: log-1", "    fixture: log-1\n    inline_content: x", "belongs to"),
        ("    source_snapshot:", "    fixture: log-1\n    source_snapshot:", "got both"),
        (sha(INLINE), sha("other"), f"It is {sha(INLINE)}"),
        (sha(INLINE), "abc", "64 hex digits"),
        ("content_hash", "content_sum", "content_hash: missing"),
        ("    inline_content: |\n      The brig Alma left Riga.\n", "", "inline content"),
        ("case_id: log-2", "case_id: log-1", "13: cases[1].case_id: 'log-1' is the id"),
        ("case_id: log-2", "case_id: log-2\n    case_id: log-3", "duplicate key"),
        ("case_id: log-2", "name: log-2", "case_id: missing"),
        ("suite_id: ship-log-001", "suite_id: Ship_Log", "suite_id"),
        ("[LOG_PAGE, LETTER]", "[]", "source_types: is empty"),
        ("[LOG_PAGE, LETTER]", "LOG_PAGE", "source_types: must be a list"),
        ("domain: shipping\n", "", "domain: missing"),
        ("domain: shipping", "published_at: 31.12.2030\ndomain: x", "ISO 8601"),
    ],
)
def test_what_would_lose_gold_is_refused(project: Project, old: str, new: str, problem: str):
    text = HEAD + CASES
    assert old in text
    assert problem in refusal(project, text.replace(old, new, 1))


def test_a_suite_without_cases_is_refused(project: Project):
    assert "cases: is empty" in refusal(project, HEAD + "cases: []\n")
    assert "cases: must be a list" in refusal(project, HEAD + "cases:\n")


def test_faults_of_all_sorts_come_at_once_in_order(project: Project):
    text = (HEAD + CASES).replace("0.9", "9").replace("fixture: log-1", "fixture: log-9")
    lines = refusal(project, text.replace("domain", "domian").replace(sha(INLINE), sha("x")))
    assert [line.partition(":")[0] for line in lines.splitlines()] == ["1", "8", "11", "15"]


def test_an_expected_list_may_be_empty_but_not_absent(project: Project):
    text = HEAD + "cases:\n  - {case_id: log-1, fixture: log-1, expected: []}\n"
    assert load(project, text).cases[0].expected == ()
    assert "expected: must be a list" in refusal(project, text.replace("[]}", "}"))


def subjects(lines: str) -> str:
    return HEAD + CASES + "gold_subjects:\n" + lines


def test_a_mention_defaults_to_the_first_claim_that_names_the_subject(project: Project):
    found = load(
        project,
        subjects(
            '  - {case_id: log-2, name: Alma, ref: "wikidata:Q1"}\n'
            "  - {case_id: log-1, name: Riga, ref: null, mention: Sailing to Riga.}\n"
        ),
    )
    assert [(s.name, s.ref, s.mention) for s in found.gold_subjects] == [
        ("Alma", "wikidata:Q1", "The brig Alma left Riga."),
        ("Riga", None, "Sailing to Riga."),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{case_id: log-1, name: Riga, ref: null}", "State mention"),
        ("{case_id: log-2, name: Rig, ref: null}", "as a whole word"),
        ("{case_id: log-7, name: Riga, ref: null}", "no case has the id"),
        ("{case_id: log-2, name: Riga}", "ref: missing"),
        ("{case_id: log-2, name: Riga, ref: Q5}", "must be of the form"),
        ("{case_id: log-2, name: Riga, ref: null, url: x}", "unknown key"),
        ("{case_id: log-2, name: '', ref: null}", "name: is empty"),
        (
            "{case_id: log-2, name: RIGA, ref: null}\n  - {case_id: log-2, name: Riga, ref: null}",
            "stands twice",
        ),
    ],
)
def test_gold_subjects_are_strict(project: Project, line: str, problem: str):
    assert problem in refusal(project, subjects(f"  - {line}\n"))


def test_suites_come_in_the_order_of_file_names_and_faulty_ones_are_told(project: Project):
    project.fixture("log-1")
    project.suite(HEAD.replace("001", "003") + CASES, name="c.yaml")
    project.suite(HEAD + CASES, name="b.yaml")
    project.suite("suite_id: [", name="a.yaml")
    project.suite(HEAD.replace("001", "009") + CASES, name="d.yml")
    project.suite("not: read", name="calibration/z.yaml")
    found = discover_suites(project.suites, fixtures_dirs=[project.fixtures])
    assert [suite.path.name for suite in found.suites] == ["b.yaml", "c.yaml"]
    assert [path.name for path, _ in found.failures] == ["a.yaml"]
    assert len(found.warnings) == 1
    assert "d.yml" in found.warnings[0]
    assert discover_suites(project.root / "none", fixtures_dirs=[]).suites == ()


def test_a_suite_that_leads_out_of_its_folder_is_not_read(project: Project):
    project.fixture("log-1")
    path = project.suite(HEAD + CASES)
    outside = project.root / "outside.yaml"
    path.rename(outside)
    path.symlink_to(outside)
    found = discover_suites(project.suites, fixtures_dirs=[project.fixtures])
    assert found.suites == ()
    assert "leads out of its folder" in str(found.failures[0][1])


def test_an_id_that_is_taken_is_refused_with_both_files(project: Project):
    project.fixture("log-1")
    project.suite(HEAD + CASES, name="a.yaml")
    project.suite("# again\n" + HEAD + CASES, name="b.yaml")
    found = discover_suites(project.suites, fixtures_dirs=[project.fixtures])
    [(path, error)] = found.failures
    assert path.name == "b.yaml"
    assert error.faults[0].line == 2
    assert "a.yaml" in error.faults[0].problem
    elsewhere = {"ship-log-001": Path("other.yaml")}
    found = discover_suites(project.suites, fixtures_dirs=[project.fixtures], taken=elsewhere)
    assert len(found.failures) == 2


def test_calibration_suites_are_marked_and_warned_of_floors(project: Project):
    project.fixture("log-1")
    path = project.suite(HEAD + CASES)
    found = load_suite(path, fixtures_dirs=[project.fixtures], is_calibration=True)
    assert found.is_calibration
    assert len(found.warnings) == 1
    assert "confidence" in found.warnings[0]


def test_a_changed_fixture_is_refused_or_told(project: Project):
    project.fixture("log-1")
    (project.fixtures / "log-1" / "content.bin").write_bytes(b"A ship swam.\n")
    path = project.suite(HEAD + CASES)
    [fault] = faults_of(lambda: load_suite(path, fixtures_dirs=[project.fixtures]))
    assert "the bytes have changed" in fault.problem
    found = load_suite(path, fixtures_dirs=[project.fixtures], verify_content=False)
    assert found.cases[0].fixture.sha256 == sha("A ship swam.\n")
    assert "the bytes have changed" in found.warnings[0]


def test_digests_follow_the_file_and_the_documents(project: Project):
    first = load(project, HEAD + CASES)
    again = load(project, HEAD + CASES)
    assert first == again
    other_gold = load(project, HEAD + CASES.replace("0.9", "0.8"))
    assert other_gold.digest != first.digest
    assert corpus_digest(other_gold.cases) == corpus_digest(first.cases)
    project.fixture("log-1", b"Another page.\n")
    other_page = load_suite(first.path, fixtures_dirs=[project.fixtures])
    assert corpus_digest(other_page.cases) != corpus_digest(first.cases)


def test_suites_load_the_same_under_a_locale_without_utf8(project: Project):
    project.fixture("log-1")
    path = project.suite(HEAD + CASES.replace("A ship sank.", "A “ship” sank – Ærø."))
    code = (
        "import sys; from pathlib import Path; from evals_pipeline.sets.suites import load_suite\n"
        "suite = load_suite(Path(sys.argv[1]), fixtures_dirs=[Path(sys.argv[2])])\n"
        "print(ascii(suite.cases[0].expected[0].content))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path), str(project.fixtures)],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert result.stdout.strip() == ascii("A “ship” sank – Ærø.")

from pathlib import Path

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.tree import TreeCheck, validate_path, validate_tree
from tests.sets.builders import Project, sha

SUITE = """suite_id: {suite_id}
name: n
version: v
domain: d
source_types: [LOG_PAGE]
cases:
  - case_id: c
    fixture: log-1
    expected: []
"""
SET = "set: {name}\nsource_type: X\nfields: {{a: {{kind: text}}}}\ngate: {{tolerance: 1 docs}}\n"


def check(project: Project) -> TreeCheck:
    return validate_tree(
        suites_dir=project.suites, golden_dir=project.golden, fixtures_dirs=[project.fixtures]
    )


@pytest.fixture
def filled(project: Project) -> Project:
    project.fixture("log-1")
    project.suite(SUITE.format(suite_id="one"))
    folder = project.golden_set(SET.format(name="slips"))
    project.label(folder, {"a": "x"})
    return project


def test_a_sound_project_has_no_faults(filled: Project):
    found = check(filled)
    assert (found.faults, found.warnings) == ([], [])
    assert (len(found.suites), len(found.golden_sets), found.n_fixtures) == (1, 1, 1)


def test_an_empty_project_has_no_faults(project: Project):
    assert check(project) == TreeCheck()


def test_a_fault_hides_no_other(filled: Project):
    filled.suite("suite_id: [", name="b.yaml")
    filled.suite(SUITE.format(suite_id="one"), name="calibration/c.yaml")
    filled.fixture("unused")
    (filled.fixtures / "unused" / "content.bin").write_bytes(b"changed")
    filled.golden_set(SET.format(name="other"), name="misnamed")
    one = filled.golden_set(SET.format(name="one") + "prompt: prompt.md\n", name="one")
    filled.label(one, {"a": "x"})
    slips = filled.golden / "slips" / "documents" / f"{sha('slip')}.txt"
    slips.write_bytes(b"changed")
    text = "\n".join(str(fault) for fault in check(filled).faults)
    for problem in (
        "not YAML",
        "is that of",
        "unused/content.bin",
        "expected 'misnamed'",
        "has the name of the suite",
        "prompt.md: the prompt is missing",
        f"SHA-256 is {sha('changed')}",
    ):
        assert problem in text
    assert len(text.splitlines()) == 7


def test_hashing_can_be_left_out(filled: Project):
    (filled.golden / "slips" / "documents" / f"{sha('slip')}.txt").write_bytes(b"changed")
    found = validate_tree(
        suites_dir=filled.suites,
        golden_dir=filled.golden,
        fixtures_dirs=[filled.fixtures],
        verify_documents=False,
    )
    assert found.faults == []


@pytest.mark.parametrize(
    ("place", "suites", "golden_sets", "fixtures"),
    [
        ("suites/a.yaml", 1, 0, 0),
        ("suites", 1, 0, 0),
        ("suites/fixtures", 0, 0, 1),
        ("suites/fixtures/log-1", 0, 0, 1),
        ("golden", 0, 1, 0),
        ("golden/slips", 0, 1, 0),
        ("golden/slips/set.yaml", 0, 1, 0),
    ],
)
def test_one_place_can_be_checked(
    filled: Project, place: str, suites: int, golden_sets: int, fixtures: int
):
    found = validate_path(filled.root / place, fixtures_dirs=[filled.fixtures])
    assert found.faults == []
    assert (len(found.suites), len(found.golden_sets), found.n_fixtures) == (
        suites,
        golden_sets,
        fixtures,
    )


def test_a_place_with_nothing_to_check_is_refused(filled: Project, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no suite"):
        validate_path(tmp_path / "empty", fixtures_dirs=[])
    with pytest.raises(InputError, match="does not exist"):
        validate_path(tmp_path / "none", fixtures_dirs=[])


def test_faults_of_one_place_are_collected(filled: Project):
    (filled.fixtures / "log-1" / "content.bin").write_bytes(b"changed")
    suite = validate_path(filled.suites / "a.yaml", fixtures_dirs=[filled.fixtures])
    assert len(suite.faults) == 1
    fixture = validate_path(filled.fixtures / "log-1", fixtures_dirs=[])
    assert len(fixture.faults) == 1

from pathlib import Path

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.fixtures import find_fixture, load_fixture
from tests.sets.builders import Project, faults_of, sha


def test_a_fixture_is_read_without_keeping_its_bytes(project: Project):
    folder = project.fixture("page-1", b'{"title": "A"}', source_type="CATALOGUE")
    found = load_fixture(folder)
    assert (found.fixture_id, found.source_type) == ("page-1", "CATALOGUE")
    assert found.content_hash == sha('{"title": "A"}')
    assert found.media_type == "application/json"
    assert found.snapshot["snapshot_id"] == "1"
    assert found.expected_acceptors == ("logs",)
    assert found.path == folder / "content.bin"


def test_every_fault_of_a_fixture_is_named(project: Project):
    folder = project.fixture("page-1")
    (folder / "manifest.yaml").write_text("fixture_id: page-2\nsource_type:\n", encoding="utf-8")
    (folder / "content.bin").write_bytes(b"other")
    problems = [fault.problem for fault in faults_of(lambda: load_fixture(folder))]
    assert "source_type: is empty; expected text" in problems
    assert any("the bytes have changed" in problem for problem in problems)


def test_the_id_is_that_of_the_folder(project: Project):
    folder = project.fixture("page-1")
    (folder / "manifest.yaml").write_text("fixture_id: b\nsource_type: X\nmore: 1\n", "utf-8")
    [fault] = faults_of(lambda: load_fixture(folder))
    assert "expected the folder's name" in fault.problem


def test_keys_of_a_newer_manifest_only_warn(project: Project):
    folder = project.fixture("page-1")
    with (folder / "manifest.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("reviewed: true\n")
    assert "'reviewed'" in load_fixture(folder).warnings[0]


@pytest.mark.parametrize("snapshot", ["{}", '{"content_hash": "1"}', "[]", '{"content_hash": 5}'])
def test_a_snapshot_states_the_hash(project: Project, snapshot: str):
    folder = project.fixture("page-1")
    (folder / "snapshot.json").write_text(snapshot, encoding="utf-8")
    assert faults_of(lambda: load_fixture(folder))


def test_missing_files_are_named(project: Project):
    folder = project.fixture("page-1")
    (folder / "content.bin").unlink()
    (folder / "snapshot.json").unlink()
    wheres = [fault.where for fault in faults_of(lambda: load_fixture(folder))]
    assert [Path(where).name for where in wheres] == ["snapshot.json", "content.bin"]


@pytest.mark.parametrize("name", ["../page-1", "/page-1", "a/b", "..", ".page", "", "a b", "ä"])
def test_only_plain_names_are_looked_up(project: Project, name: str):
    project.fixture("page-1")
    with pytest.raises(InputError, match="not a plain name"):
        find_fixture(name, [project.fixtures])


def test_links_out_of_the_folder_are_refused(project: Project, tmp_path: Path):
    elsewhere = Project(tmp_path / "elsewhere")
    outside = elsewhere.fixture("page-1")
    project.fixtures.mkdir(parents=True)
    (project.fixtures / "page-1").symlink_to(outside)
    with pytest.raises(InputError, match="leads out of its folder"):
        find_fixture("page-1", [project.fixtures])
    inside = project.fixture("page-2")
    (inside / "content.bin").unlink()
    (inside / "content.bin").symlink_to(outside / "content.bin")
    with pytest.raises(InputError, match="leads out of its folder"):
        find_fixture("page-2", [project.fixtures])


def test_the_first_directory_with_the_id_counts(project: Project, tmp_path: Path):
    other = Project(tmp_path / "other")
    other.fixture("page-1", b"other")
    project.fixture("page-1")
    found = find_fixture("page-1", [other.fixtures, project.fixtures])
    assert found.content_hash == sha("other")

import json
from pathlib import Path

from evals_pipeline.sets.corpus import load_corpus
from evals_pipeline.sets.fixtures import fixture_ids
from tests.sets.builders import Project


def digest_of(project: Project) -> str:
    return load_corpus([project.fixtures]).digest


def spoil(project: Project, name: str) -> None:
    """States another hash than that of the bytes."""
    snapshot = project.fixtures / name / "snapshot.json"
    snapshot.write_text(json.dumps({"content_hash": "0" * 64}), encoding="utf-8")


def test_the_digest_follows_ids_types_contents_and_faults(project: Project):
    assert digest_of(project) == load_corpus([project.root / "none"]).digest
    project.fixture("b")
    project.fixture("a")
    seen = [digest_of(project)]
    assert fixture_ids(project.fixtures) == ["a", "b"]
    project.fixture("a", source_type="LETTER")
    seen.append(digest_of(project))
    project.fixture("a", b"x", source_type="LETTER")
    seen.append(digest_of(project))
    spoil(project, "a")
    seen.append(digest_of(project))
    (project.fixtures / "a" / "content.bin").write_bytes(b"y")
    seen.append(digest_of(project))
    (project.fixtures / "a" / "content.bin").unlink()
    seen.append(digest_of(project))
    assert len(set(seen)) == 6


def test_a_faulty_fixture_keeps_no_other_from_loading(project: Project):
    project.fixture("whole")
    project.fixture("changed")
    spoil(project, "changed")
    project.fixture("unreadable")
    (project.fixtures / "unreadable" / "manifest.yaml").write_text("[", encoding="utf-8")
    corpus = load_corpus([project.fixtures])
    assert [one.fixture_id for one in corpus.fixtures] == ["whole"]
    changed, unreadable = corpus.faulty
    assert changed.fixture_id == "changed"
    assert changed.expected_acceptors == ("logs",)
    assert "the bytes have changed" in str(changed.error)
    assert (unreadable.fixture_id, unreadable.expected_acceptors) == ("unreadable", None)


def test_the_first_folder_with_the_id_counts(project: Project, tmp_path: Path):
    other = Project(tmp_path / "other")
    other.fixture("page-1", b"other")
    other.fixture("page-2")
    project.fixture("page-1")
    corpus = load_corpus([project.fixtures, other.fixtures])
    assert [one.path.parent.parent for one in corpus.fixtures] == [
        project.fixtures,
        other.fixtures,
    ]


def test_a_manifest_above_the_fixtures_is_no_fixture(project: Project):
    project.fixture("page-1")
    (project.fixtures / "MANIFEST.yaml").write_text("fixtures: []\n", encoding="utf-8")
    corpus = load_corpus([project.fixtures])
    assert [one.fixture_id for one in corpus.fixtures] == ["page-1"]
    assert corpus.faulty == ()

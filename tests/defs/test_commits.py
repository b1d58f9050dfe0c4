import subprocess

import pytest

from evals_pipeline.defs.commits import dirty_paths, head_of, last_change
from tests.defs.bills import Bills


@pytest.fixture
def repo(tmp_path):
    made = Bills(tmp_path / "repository")
    made.write("project/a.md", "1")
    made.write("other.md", "1")
    made.commit("Start")
    return made


def edit(repo, text, subject):
    repo.write("project/a.md", text)
    return repo.commit(subject)


def test_outside_git_nothing_is_known(tmp_path):
    assert head_of(tmp_path) is None
    assert last_change(tmp_path, [tmp_path / "a.md"], since=None) is None
    assert dirty_paths(tmp_path, [tmp_path / "a.md"]) == frozenset()


def test_a_project_below_the_repositorys_root(repo):
    first = repo.git("rev-parse", "HEAD")
    second = edit(repo, "2", "Second: with a colon")
    edit_elsewhere = repo.write("other.md", "2")
    repo.commit("Elsewhere")
    project = repo.root / "project"
    change = last_change(project, [project / "a.md"], since=first)
    assert edit_elsewhere.exists()
    assert (change.commit, change.author, change.subject, change.n_covered, change.is_dirty) == (
        second,
        "Kim Doe",
        "Second: with a colon",
        1,
        False,
    )


def test_a_merge_names_the_commit_that_changed_the_file(repo):
    repo.git("checkout", "-q", "-b", "side")
    there = edit(repo, "2", "On a branch")
    repo.git("checkout", "-q", "-")
    repo.write("other.md", "2")
    repo.commit("Meanwhile")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    project = repo.root / "project"
    assert last_change(project, [project / "a.md"], since=None).commit == there


def test_history_that_was_amended_away_is_not_counted(repo):
    gone = edit(repo, "2", "Wrong words")
    repo.git("commit", "-q", "--amend", "-m", "Right words")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    project = repo.root / "project"
    change = last_change(project, [project / "a.md"], since=gone)
    assert (change.subject, change.n_covered) == ("Right words", None)


def test_a_shallow_clone_knows_its_head(repo, tmp_path):
    edit(repo, "2", "Second")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone)], check=True
    )
    change = last_change(clone, [clone / "project" / "a.md"], since=None)
    assert (change.subject, change.is_dirty) == ("Second", False)


def test_renamed_deleted_and_new_files_are_dirty(repo):
    path = repo.root / "project" / "a.md"
    path.rename(path.with_name("b.md"))
    new = path.with_name("b.md")
    assert dirty_paths(repo.root, [path, new]) == {path, new}
    repo.commit("Rename")
    assert dirty_paths(repo.root, [path, new]) == frozenset()
    assert last_change(repo.root, [new], since=None).subject == "Rename"


def test_a_repository_without_a_commit(tmp_path):
    made = Bills(tmp_path)
    made.git("init", "-q")
    assert head_of(tmp_path) is None


def test_a_long_subject_is_cut_and_absent_words_are_no_tags(repo):
    edit(repo, "2", "x" * 300)
    project = repo.root / "project"
    tags = last_change(project, [project / "a.md"], since=None).tags()
    assert len(tags["evals/subject"]) == 200
    assert "evals/commits" not in tags

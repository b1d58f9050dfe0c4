"""Folders of this machine, and what git sees of them."""

import subprocess

import pytest

from evals_pipeline.places import make_unversioned


def _seen_by_git(folder):
    subprocess.run(["git", "init", "-q", folder], check=True)
    command = ["git", "-C", folder, "ls-files", "--others", "--exclude-standard"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_git_passes_over_a_folder_that_was_made(tmp_path):
    made = tmp_path / "deep" / "storage"
    for _ in range(2):
        make_unversioned(made)
    (made / "tables").mkdir()
    (made / "tables" / "rows").write_text("1", encoding="ascii")
    (tmp_path / "deep" / "own").write_text("2", encoding="ascii")
    assert _seen_by_git(tmp_path) == ["deep/own"]


def test_a_folder_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "rows").write_text("1", encoding="ascii")
    make_unversioned(tmp_path / "storage")
    assert _seen_by_git(tmp_path) == ["storage/rows"]


def test_a_file_in_its_place_is_no_folder(tmp_path):
    (tmp_path / "storage").write_text("1", encoding="ascii")
    with pytest.raises(FileExistsError):
        make_unversioned(tmp_path / "storage")

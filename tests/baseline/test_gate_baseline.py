"""Which baseline the gate takes, in real repositories."""

from pathlib import Path

import pytest

from evals_pipeline.baseline.gate import gate
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from tests.baseline.repos import MODEL, Project, clone, git, start, verdict_of
from tests.scored import golden_set, measurement

EDITED = "Read the invoice. The due date is the later one.\n"
PASS, FAIL, REFUSED = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.REFUSED


def test_an_uncommitted_prompt_is_compared_with_head(project: Project, good, bad) -> None:
    project.write("prompt.md", EDITED)
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert report.baseline_source is not None
    assert "HEAD, the change is not committed" in report.baseline_source


def test_recording_the_edit_does_not_turn_the_gate_green(project: Project, bad) -> None:
    project.write("prompt.md", EDITED)
    project.record(bad)
    assert project.gate(bad).verdict is FAIL
    project.commit("Say which date")
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source is not None
    assert "which last changed prompt.md" in report.baseline_source


def test_a_branch_is_compared_with_where_it_left_its_upstream(
    project: Project, good, bad, tmp_path: Path
) -> None:
    work = clone(project, tmp_path / "clone")
    git(work.root, "checkout", "--quiet", "-b", "hint", "--track", "origin/main")
    work.change(EDITED, bad, "Say which date")
    work.change(EDITED + "Be brief.\n", bad, "Be brief")  # its parent's baseline is bad already
    report = work.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source is not None
    assert "the merge base with origin/main" in report.baseline_source


def test_without_a_remote_a_branch_is_compared_with_where_it_left_the_main_one(
    project: Project, bad
) -> None:
    git(project.root, "branch", "--quiet", "-M", "main")
    git(project.root, "checkout", "--quiet", "-b", "hint")
    project.change(EDITED, bad, "Say which date")
    project.change(EDITED + "Be brief.\n", bad, "Be brief")  # its parent's baseline is bad already
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source is not None
    assert "the merge base with main" in report.baseline_source


def test_a_pushed_branch_is_not_compared_with_its_own_copy(
    project: Project, bad, tmp_path: Path
) -> None:
    work = clone(project, tmp_path / "clone")
    git(work.root, "checkout", "--quiet", "-b", "hint")
    work.change(EDITED, bad, "Say which date")
    git(work.root, "push", "--quiet", "--set-upstream", "origin", "hint")
    work.write("notes.txt", "unrelated\n")
    work.commit("Add notes")
    report = work.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source is not None
    assert "the merge base with origin/main" in report.baseline_source


def test_main_level_with_its_upstream_is_compared_with_before_the_last_prompt(
    project: Project, bad, tmp_path: Path
) -> None:
    changed = project.change(EDITED, bad, "Say which date")
    work = clone(project, tmp_path / "clone")
    report = work.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source is not None
    assert f"before {changed[:7]}, which last changed prompt.md" in report.baseline_source


def test_since_names_the_revision(project: Project, good, bad) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    project.change(EDITED, bad, "Say which date")
    project.change(EDITED + "Be brief.\n", bad, "Be brief")
    assert project.gate(bad).verdict is PASS  # one commit back, it was as bad
    report = project.gate(bad, since=first)
    assert report.verdict is FAIL
    assert report.baseline_source == f"{first[:7]} (--since {first})"


@pytest.mark.parametrize("revision", ["nowhere", "--output=/tmp/x", "HEAD:golden"])
def test_a_revision_that_is_none_is_refused(project: Project, good, revision: str) -> None:
    report = project.gate(good, since=revision)
    assert report.verdict is REFUSED
    assert report.reasons[0].startswith(f"--since {revision}: no commit here has that name.")


def test_a_detached_head_needs_no_branch(project: Project, bad, tmp_path: Path) -> None:
    changed = project.change(EDITED, bad, "Say which date")
    work = clone(project, tmp_path / "clone")
    git(work.root, "checkout", "--quiet", "--detach", changed)
    git(work.root, "remote", "remove", "origin")
    assert verdict_of(work.gate(bad)) is FieldVerdict.REGRESSION


def test_a_shallow_clone_says_that_history_is_cut_off(
    project: Project, bad, tmp_path: Path
) -> None:
    project.change(EDITED, bad, "Say which date")
    work = clone(project, tmp_path / "clone", "--depth=1")
    report = work.gate(bad)
    assert report.verdict is REFUSED
    assert "shallow" in report.reasons[0]
    assert "git fetch --unshallow" in report.reasons[0]
    git(work.root, "fetch", "--quiet", "--unshallow")
    assert work.gate(bad).verdict is FAIL


def test_the_repository_may_lie_above_the_project(tmp_path: Path, good, bad) -> None:
    project = start(tmp_path / "mono", inside="services/billing")
    project.record(good)
    project.commit("Start the set")
    project.write("prompt.md", EDITED)
    assert verdict_of(project.gate(bad)) is FieldVerdict.REGRESSION


def test_a_folder_that_was_renamed_keeps_its_past(project: Project, bad) -> None:
    git(project.root, "mv", "golden/invoices", "golden/bills")
    moved = project.root / "golden" / "bills"
    prompt = moved / "prompt.md"
    prompt.write_text("Read the invoice. Read on to the last page.\n", encoding="utf-8")
    golden = golden_set(bad, path=moved)
    measured = measurement(bad, golden, model_version=MODEL)
    report = gate(
        GateInputs(golden=golden, model_version=MODEL, measurement=measured, prompt_path=prompt)
    )
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert any("while the set was called invoices" in hint for hint in report.hints)


def test_outside_git_the_file_in_the_tree_counts(tmp_path: Path, good, bad) -> None:
    project = Project(tmp_path / "plain")
    project.write("prompt.md", "Read the invoice.\n")
    project.record(good)
    project.write("prompt.md", EDITED)
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source == "the file in the tree, outside git"
    assert project.gate(good, since="HEAD").verdict is REFUSED


def test_before_the_first_commit_the_file_in_the_tree_counts(tmp_path: Path, good, bad) -> None:
    project = start(tmp_path / "fresh")
    project.record(good)
    project.write("prompt.md", EDITED)
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source == "the file in the tree, before the first commit"


def test_a_prompt_that_never_changed_is_compared_with_the_tree(project: Project, good) -> None:
    report = project.gate(good)
    assert report.verdict is PASS
    assert report.baseline_source is not None
    assert "prompt.md never changed since" in report.baseline_source


def test_a_set_that_git_ignores_is_compared_with_the_tree(tmp_path: Path, good, bad) -> None:
    project = start(tmp_path / "project")
    (project.root / ".gitignore").write_text("golden/\n", encoding="utf-8")
    project.commit("Keep labels out")
    project.record(good)
    report = project.gate(bad)
    assert report.verdict is FAIL
    assert report.baseline_source == "the file in the tree, prompt.md was never committed"


def test_a_stray_file_in_the_folder_does_not_count_as_a_change(project: Project, bad) -> None:
    project.change(EDITED, bad, "Say which date")
    project.write(".prompt.md.swp", "an editor's\n")
    assert verdict_of(project.gate(bad)) is FieldVerdict.REGRESSION


@pytest.mark.parametrize("place", ["labels/b.json", "documents/b.pdf", "set.yaml"])
def test_a_new_or_changed_file_of_the_set_counts_as_a_change(
    project: Project, good, place: str
) -> None:
    project.write(place, "other\n")
    source = project.gate(good).baseline_source
    assert source is not None
    assert "HEAD, the change is not committed" in source


def test_hooks_environment_does_not_lead_elsewhere(
    project: Project, bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("prompt.md", EDITED)
    elsewhere = start(tmp_path / "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(elsewhere.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(elsewhere.root / ".git" / "index"))
    assert verdict_of(project.gate(bad)) is FieldVerdict.REGRESSION


def test_a_repository_that_git_refuses_is_not_taken_for_none(project: Project, good) -> None:
    (project.root / ".git" / "config").write_text("[core\n", encoding="utf-8")
    report = project.gate(good)
    assert report.verdict is REFUSED
    assert "git cannot read the repository" in report.reasons[0]

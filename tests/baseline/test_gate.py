"""The gate in real repositories: which baseline it takes, what commits say, what it refuses."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals_pipeline.baseline.gate import gate
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.baseline.record import baseline_path
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from tests.baseline.repos import MODEL, Project, git, start, verdict_of
from tests.scored import Picture, golden_set

EDITED = "Read the invoice. The due date is the later one.\n"
PASS, FAIL, REFUSED = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.REFUSED


# --- the first baseline -------------------------------------------------------------------------


def test_no_baseline_is_refused_with_the_command_and_none_is_made(tmp_path: Path, good) -> None:
    project = start(tmp_path / "project")
    project.commit("Start the set")
    report = project.gate(good)
    assert report.verdict is REFUSED
    assert f"evals baseline record invoices --model {MODEL}" in report.reasons[0]
    assert not baseline_path(project.folder, MODEL).parent.exists()


def test_a_set_that_is_not_committed_yet_is_not_sent_back_before_its_edit(tmp_path, good) -> None:
    project = start(tmp_path / "project")
    git(project.root, "commit", "--quiet", "--allow-empty", "--message", "Start")
    report = project.gate(good)
    assert report.verdict is REFUSED
    assert "invoices is new" in report.reasons[0]
    assert f'Run "evals baseline record invoices --model {MODEL}"' in report.reasons[0]
    assert "git stash" not in report.reasons[0]


def test_a_first_baseline_recorded_before_the_edit_will_do(tmp_path: Path, good, bad) -> None:
    project = start(tmp_path / "project")
    project.commit("Start the set")
    project.record(good)
    project.write("prompt.md", EDITED)
    report = project.gate(bad)
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert report.baseline_source is not None
    assert "the file in the tree" in report.baseline_source


def test_a_first_baseline_recorded_after_the_edit_is_none(tmp_path: Path, bad) -> None:
    project = start(tmp_path / "project")
    project.commit("Start the set")
    project.write("prompt.md", EDITED)
    project.record(bad)
    report = project.gate(bad)
    assert report.verdict is REFUSED
    assert "does not stand for the prompt as it was" in report.reasons[0]


def test_a_set_that_is_new_on_the_branch_has_no_earlier_baseline(tmp_path: Path, good) -> None:
    project = start(tmp_path / "project")
    git(project.root, "commit", "--quiet", "--allow-empty", "--message", "Start")
    git(project.root, "checkout", "--quiet", "-b", "set", "--track", "main")
    project.change("Read it.\n", good, "Add a set with its baseline")
    report = project.gate(good)
    assert report.verdict is PASS
    assert report.baseline_source is not None
    assert "the file in the tree" in report.baseline_source


def test_a_baseline_that_is_no_baseline_is_refused_with_its_faults(project: Project, good) -> None:
    path = baseline_path(project.folder, MODEL)
    path.write_text(path.read_text(encoding="utf-8").replace('"correct": 1', '"correct": 7'))
    project.commit("Break it")
    project.write("prompt.md", EDITED)
    report = project.gate(good)
    assert report.verdict is REFUSED
    assert len(report.reasons) == 8
    assert report.reasons[0].startswith(f"invoices/baselines/{MODEL}.json at ")


# --- acknowledgements ---------------------------------------------------------------------------


@pytest.fixture
def wide(good: Picture) -> Picture:
    """Sixty documents, so that one of them is within the tolerance of 0.02."""
    return {field: {f"d{n:02}": "1" for n in range(60)} for field in good}


@pytest.fixture
def one_less(wide: Picture) -> Picture:
    return wide | {"due": wide["due"] | {"d07": "0"}}


@pytest.fixture
def branch(tmp_path: Path, wide: Picture) -> Project:
    made = start(tmp_path / "wide")
    made.record(wide)
    made.commit("Start the set\n\nAccept-Drop: invoices/due from before the baseline")
    return made


def test_a_trailer_since_the_baseline_accepts_a_small_drop(branch: Project, one_less) -> None:
    branch.change(EDITED, one_less, "Say which date")
    assert verdict_of(branch.gate(one_less)) is FieldVerdict.UNACKNOWLEDGED
    accepted = branch.commit("Explain\n\nAccept-Drop: invoices/due Fax 7 is torn\n")
    report = branch.gate(one_less)
    assert report.verdict is PASS
    row = next(row for row in report.fields if row.field == "due")
    assert row.acknowledged == f"Fax 7 is torn (commit {accepted[:7]})"


def test_an_explicit_accept_works_before_anything_is_committed(branch: Project, one_less) -> None:
    branch.write("prompt.md", EDITED)
    assert branch.gate(one_less).verdict is FAIL
    report = branch.gate(one_less, accept=["invoices/due=Fax 7 is torn"])
    assert report.verdict is PASS


def test_a_trailer_that_misses_its_field_is_pointed_out(branch: Project, one_less) -> None:
    branch.change(EDITED, one_less, "Say which date\n\nAccept-Drop: invoices/dew Fax 7 is torn")
    branch.commit("Explain\n\nAccept-Drop: invoices/due")
    report = branch.gate(one_less)
    assert report.verdict is FAIL
    assert any('Did you mean "due"?' in hint for hint in report.hints)
    assert any("which accepts nothing" in hint for hint in report.hints)


# --- drifted apart ------------------------------------------------------------------------------


def test_a_prompt_committed_without_its_baseline_has_drifted_apart(project: Project, good) -> None:
    project.write("prompt.md", EDITED)
    assert project.gate(good).verdict is PASS  # not committed yet
    project.commit("Say which date")
    report = project.gate(good)
    assert report.verdict is FAIL
    assert report.reasons[0].startswith("drifted apart: the prompt changed")
    assert f"evals baseline record invoices --model {MODEL}" in report.reasons[0]
    project.record(good)
    project.commit("Record")
    assert project.gate(good).verdict is PASS


def test_labels_committed_without_their_baseline_have_drifted_apart(project, good) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    project.write("labels/a.json", '{"fields": {}}\n')
    project.commit("Correct a label")
    now = project.measure(good, labels_digest="2" * 64)
    report = project.gate(good, since=first, now=now)
    assert report.verdict is FAIL
    assert "drifted apart: the labels changed" in report.reasons[0]


def test_a_baseline_of_other_answers_has_drifted_apart(project: Project, good, bad) -> None:
    project.change(EDITED, bad, "Say which date")
    better = project.gate(good)
    assert better.verdict is FAIL
    assert "due 3/4 in the baseline, 4/4 today" in better.reasons[0]


def test_an_unchanged_prompt_may_score_otherwise_without_drift(project, good, bad) -> None:
    first = git(project.root, "rev-parse", "HEAD")
    project.write("../../README.md", "unrelated\n")
    project.commit("Say hello")
    report = project.gate(bad, since=first)
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert not any("drifted apart" in reason for reason in report.reasons)


def test_a_committed_change_whose_baseline_is_gone_has_drifted_apart(project, good) -> None:
    project.write("prompt.md", EDITED)
    baseline_path(project.folder, MODEL).unlink()
    project.commit("Say which date")
    report = project.gate(good)
    assert report.verdict is FAIL
    assert "committed without a baseline" in report.reasons[0]


# --- another model version ----------------------------------------------------------------------


def test_another_prompt_of_the_same_model_is_gated_on_purpose(project, good, bad) -> None:
    project.record(good, "acme-long-prompt", provider_model=MODEL)
    report = project.gate(bad, against="acme-long-prompt")
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert report.baseline_source == "acme-long-prompt, the file in the tree"
    assert not any("models as well as prompts" in hint for hint in report.hints)


def test_another_models_figures_serve_where_it_has_no_baseline(project, good, bad) -> None:
    other = project.measure(good, "other-2026")
    report = project.gate(bad, against="other-2026", other=other)
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert report.baseline_source == "other-2026, its figures of today"
    assert any("compares models as well as prompts" in hint for hint in report.hints)


def test_another_model_without_anything_is_refused(project, good) -> None:
    report = project.gate(good, against="other-2026")
    assert report.verdict is REFUSED
    assert "evals run invoices --model other-2026" in report.reasons[0]


def test_another_models_baseline_can_be_read_at_a_revision(project, good, bad) -> None:
    project.record(good, "other-2026")
    then = project.commit("Record the other")
    project.record(bad, "other-2026")
    assert project.gate(bad, against="other-2026").verdict is PASS
    assert project.gate(bad, against="other-2026", since=then).verdict is FAIL


# --- hints --------------------------------------------------------------------------------------


def test_a_prompt_changed_in_two_places_cannot_be_attributed(project, good) -> None:
    lines = [f"Rule {number}." for number in range(9)]
    project.change("\n".join(lines) + "\n", good, "Lay down rules")
    lines[1], lines[6] = "Rule one.", "Rule six."
    project.write("prompt.md", "\n".join(lines) + "\n")
    hints = project.gate(good).hints
    assert any("the prompt changed in 2 places" in hint for hint in hints)
    lines[6] = "Rule 6."
    project.write("prompt.md", "\n".join(lines) + "\n")
    assert not any("places" in hint for hint in project.gate(good).hints)


def test_a_small_set_says_what_one_document_weighs(project: Project, good) -> None:
    assert any("4 documents; under 40 one document moves a field by 0.250" in hint
               for hint in project.gate(good).hints)  # fmt: skip


def test_nothing_scored_is_refused_with_the_command(project: Project, good) -> None:
    golden = golden_set(good, path=project.folder)
    report = gate(GateInputs(golden=golden, model_version=MODEL, measurement=None))
    assert report.verdict is REFUSED
    assert f'Run "evals run invoices --model {MODEL}"' in report.reasons[0]
    empty = replace(golden, documents=())
    report = gate(GateInputs(golden=empty, model_version=MODEL, measurement=None))
    assert "evals golden add FILE --set invoices" in report.reasons[0]


def test_a_source_that_lost_its_last_document_is_named(project: Project, good) -> None:
    golden = replace(golden_set(good, path=project.folder), sources=("acme", "zenith"))
    inputs = GateInputs(
        golden=golden,
        model_version=MODEL,
        measurement=project.measure(good),
        prompt_path=project.prompt,
    )
    hints = gate(inputs).hints
    assert any("slices without a document: source=acme, source=zenith" in hint for hint in hints)


def test_without_git_installed_a_repository_is_not_taken_for_none(
    project: Project, good, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing here"))
    report = project.gate(good)
    assert report.verdict is REFUSED
    assert "git is not installed" in report.reasons[0]


def test_a_predictions_file_stands_where_a_prompt_would(project: Project, good, bad) -> None:
    project.write("predictions.jsonl", "{}\n")
    project.record(good)
    project.commit("Take a vendor's answers in")
    project.write("predictions.jsonl", "{}\n{}\n")
    inputs = GateInputs(
        golden=golden_set(bad, path=project.folder),
        model_version=MODEL,
        measurement=project.measure(bad),
        predictions_path=project.folder / "predictions.jsonl",
    )
    report = gate(inputs)
    assert verdict_of(report) is FieldVerdict.REGRESSION
    assert report.baseline_source is not None
    assert "HEAD, the change is not committed" in report.baseline_source
    project.commit("Take newer answers in")
    assert any("drifted apart" in reason for reason in gate(inputs).reasons)

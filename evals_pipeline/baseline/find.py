"""Reads the baseline that a gate compares with: from git, from the tree, or another version's."""

from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.baseline.choose import RevisionChoice
from evals_pipeline.baseline.git import Repository
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.baseline.measurement import (
    record_before_the_edit,
    record_command,
    run_command,
)
from evals_pipeline.baseline.parse import parse_baseline
from evals_pipeline.baseline.record import baseline_path, make_baseline
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import Baseline
from evals_pipeline.core.fingerprints import sha256_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBaseline:
    """A baseline and where it was read, for people."""

    baseline: Baseline
    source: str


def find_baseline(
    inputs: GateInputs, repository: Repository | None, choice: RevisionChoice
) -> FoundBaseline:
    """The baseline from before the change.

    Raises:
        RefusedError: There is none; says how to record one.
        InputError: The file is not a baseline.
    """
    if inputs.against is not None:
        return _other_baseline(inputs, inputs.against, repository, choice)
    path = baseline_path(inputs.golden.path, inputs.model_version)
    at_revision = None
    if repository is not None and choice.revision is not None:
        at_revision = _read_at(repository, choice.revision, path)
    if at_revision is not None:
        return FoundBaseline(baseline=at_revision, source=choice.name)
    in_tree = read_baseline(path)
    if in_tree is None:
        if repository is not None and _is_new(inputs, repository, choice):
            raise RefusedError(_first_baseline(inputs))
        raise RefusedError(f"{_none_in(inputs, choice)}. {_record(inputs)}")
    if repository is None or choice.revision is None:
        return FoundBaseline(baseline=in_tree, source=choice.why)
    if choice.is_asked_for or not _has_prompt_of(in_tree, inputs, repository, choice.revision):
        raise RefusedError(
            f"{_none_in(inputs, choice)}, and the one in the tree does not stand for the prompt as "
            f"it was then. {_record(inputs)}"
        )
    return FoundBaseline(
        baseline=in_tree,
        source=f"the file in the tree, as {choice.revision[:7]} has none of this model version",
    )


def read_baseline(path: Path) -> Baseline | None:
    """The baseline in the tree; None when there is no file."""
    if not path.is_file():
        return None
    return parse_baseline(path.read_bytes(), where=_place(path))


def _other_baseline(
    inputs: GateInputs, other: str, repository: Repository | None, choice: RevisionChoice
) -> FoundBaseline:
    """Another model version's baseline, at --since or in the tree, else its figures of today."""
    path = baseline_path(inputs.golden.path, other)
    if choice.is_asked_for and repository is not None and choice.revision is not None:
        found, source = _read_at(repository, choice.revision, path), f"{other} at {choice.name}"
    else:
        found, source = read_baseline(path), f"{other}, the file in the tree"
    if found is None and inputs.against_measurement is not None:
        found = make_baseline(inputs.against_measurement, policy=inputs.golden.gate)
        source = f"{other}, its figures of today"
    if found is not None:
        return FoundBaseline(baseline=found, source=source)
    name = inputs.golden.name
    raise RefusedError(
        f"there is no baseline of {other} to compare with, and no figures of it. "
        f'Run "{run_command(name, other)}", or "{record_command(name, other)}".'
    )


def _has_prompt_of(
    in_tree: Baseline, inputs: GateInputs, repository: Repository, revision: str
) -> bool:
    """Whether the baseline in the tree was recorded with the prompt of a revision.

    So it is with the first baseline of a set or of a model version: it was recorded before the
    edit and not committed before it. A prompt that did not exist then has no earlier figures.
    """
    if inputs.prompt_path is None:
        return True
    before = repository.bytes_at(revision, inputs.prompt_path)
    if before is None or in_tree.pins.prompt_sha256 == sha256_bytes(before):
        return True
    is_unchanged = not repository.has_changed(revision, [inputs.prompt_path])
    return is_unchanged and in_tree.pins.prompt_sha256 == inputs.prompt_sha256


def _is_new(inputs: GateInputs, repository: Repository, choice: RevisionChoice) -> bool:
    """Whether the set was not there before the change, so that no earlier state can be recorded."""
    if choice.revision is None or choice.is_asked_for:
        return False
    return repository.bytes_at(choice.revision, inputs.golden.path / "set.yaml") is None


def _first_baseline(inputs: GateInputs) -> str:
    record = record_command(inputs.golden.name, inputs.model_version)
    return (
        f"{inputs.golden.name} is new and has no baseline of {inputs.model_version} yet. "
        f'Run "{record}" while the prompt is as you want it, and commit the file with the set.'
    )


def _read_at(repository: Repository, revision: str, path: Path) -> Baseline | None:
    content = repository.bytes_at(revision, path)
    if content is None:
        return None
    return parse_baseline(content, where=f"{_place(path)} at {revision[:7]}")


def _place(path: Path) -> str:
    """``invoices/baselines/gpt.json``, as much as a message needs."""
    return "/".join(path.parts[-3:])


def _none_in(inputs: GateInputs, choice: RevisionChoice) -> str:
    where = "the tree" if choice.revision is None else choice.name
    return f"there is no baseline of {inputs.model_version} in {where}"


def _record(inputs: GateInputs) -> str:
    return record_before_the_edit(inputs.golden.name, inputs.model_version)

"""The committed baseline of a golden set: written only when told to, from figures that exist."""

from pathlib import Path

from evals_pipeline.baseline.parse import parse_baseline
from evals_pipeline.baseline.record import baseline_path, dump_baseline, make_baseline
from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.figures import Baseline
from evals_pipeline.core.run_records import RunStamp
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.files import write_text_atomically
from evals_pipeline.pipeline.measuring import measure, require_golden
from evals_pipeline.pipeline.project import Project


def record_baseline(
    project: Project, set_name: str, model_version: str, *, stamp: RunStamp
) -> Path:
    """Writes today's figures as the baseline file beside the prompt; the file to commit.

    Raises:
        RefusedError: there are no figures of today's files, or they are unfit to be pinned.
    """
    require_golden(project, set_name)
    measurement = measure(project, set_name, model_version)
    if measurement is None:
        message = (
            f"{set_name}: nothing is scored for {model_version}. "
            f'Run "evals run {set_name} --model {model_version}" first.'
        )
        raise RefusedError(message)
    golden = project.golden_set(set_name)
    baseline = make_baseline(measurement, policy=golden.gate)
    path = baseline_path(golden.path, model_version)
    write_text_atomically(path, dump_baseline(baseline))
    digests = input_digests(project, set_name, model_version)
    project.store.write_baseline(baseline, digests, stamp)
    return path


def read_baseline(project: Project, set_name: str, model_version: str) -> Baseline | None:
    """The baseline file in the tree; None when there is none.

    Raises:
        InputError: the file is no baseline.
    """
    require_golden(project, set_name)
    path = baseline_path(project.golden_set(set_name).path, model_version)
    if not path.is_file():
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.one(str(path), f"cannot be read: {error}") from error
    return parse_baseline(text, where=str(path.relative_to(project.root)))

"""Options that stand in for settings: they go through the environment, as any override does.

So the digests of what is stored say which judge and how many runs it was made with.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from evals_pipeline.core.errors import SetupError
from evals_pipeline.pipeline.project import Project

FIXTURES_VARIABLE = "EVALS_FIXTURES_DIR"


def open_project(
    *,
    judge_kind: str | None = None,
    threshold: float | None = None,
    runs: int | None = None,
    fixtures: Sequence[Path] = (),
) -> Project:
    """The project with what the command line states over its settings.

    Raises:
        SetupError: no project, or the LLM judge is asked for and no model is set for it, or a
            folder's name cannot stand in a variable.
    """
    stated = {
        "EVALS_JUDGE_KIND": judge_kind,
        "EVALS_JUDGE_THRESHOLD": None if threshold is None else repr(threshold),
        "EVALS_RUNS": None if runs is None else str(runs),
        FIXTURES_VARIABLE: _with_fixtures(fixtures) if fixtures else None,
    }
    if judge_kind == "llm" and Project.open().settings.judge.model is None:
        message = (
            "--judge llm needs judge.model in [tool.evals]: a key of [tool.evals.models] with "
            'provider "openai".'
        )
        raise SetupError(message)
    os.environ.update({name: value for name, value in stated.items() if value is not None})
    return Project.open()


def _with_fixtures(fixtures: Sequence[Path]) -> str:
    """The folders of the command line, then those of the settings, as the variable lists them."""
    stated = [str(folder.resolve()) for folder in fixtures]
    folders = [*stated, *map(str, Project.open().settings.fixtures_dir)]
    if any(os.pathsep in folder for folder in folders):
        message = (
            f"--fixtures: a folder has {os.pathsep!r} in its name, which parts folders in "
            f"{FIXTURES_VARIABLE}. Name it in fixtures_dir of [tool.evals] instead."
        )
        raise SetupError(message)
    return os.pathsep.join(folders)

"""Options that stand in for settings: they go through the environment, as any override does.

So the digests of what is stored say which judge and how many runs it was made with.
"""

import os

from evals_pipeline.core.errors import SetupError
from evals_pipeline.pipeline.project import Project


def open_project(
    *, judge_kind: str | None = None, threshold: float | None = None, runs: int | None = None
) -> Project:
    """The project with what the command line states over its settings.

    Raises:
        SetupError: no project, or the LLM judge is asked for and no model is set for it.
    """
    stated = {
        "EVALS_JUDGE_KIND": judge_kind,
        "EVALS_JUDGE_THRESHOLD": None if threshold is None else repr(threshold),
        "EVALS_RUNS": None if runs is None else str(runs),
    }
    if judge_kind == "llm" and Project.open().settings.judge.model is None:
        message = (
            "--judge llm needs judge.model in [tool.evals]: a key of [tool.evals.models] with "
            'provider "openai".'
        )
        raise SetupError(message)
    os.environ.update({name: value for name, value in stated.items() if value is not None})
    return Project.open()

"""Who made a row: run, commit, moment, version of this package."""

import os
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from evals_pipeline.core.run_records import RunStamp

LOCAL_RUN = "local"
_GIT_TIMEOUT_S = 10


def make_stamp(root: Path, *, run_id: str = LOCAL_RUN) -> RunStamp:
    """The stamp of work that starts now in a project at ``root``."""
    return RunStamp(
        run_id=run_id,
        commit=commit_of(root),
        at=datetime.now(UTC),
        package_version=package_version(),
    )


def package_version() -> str:
    """This package's version as installed."""
    try:
        return version("evals-pipeline")
    except PackageNotFoundError:
        return "0+uninstalled"


def commit_of(root: Path) -> str | None:
    """The commit that is checked out, with ``-dirty`` behind it when files differ; None without."""
    quiet = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        found = subprocess.run(
            [
                "git",
                "-C",
                str(root),
                "describe",
                "--always",
                "--abbrev=40",
                "--dirty",
                "--exclude=*",
            ],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_GIT_TIMEOUT_S,
            env=quiet,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None

"""Who is at work, and which files belong to the repository, as git knows it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from evals_pipeline.core.errors import SetupError

_TIMEOUT_S = 10


def who_labels(root: Path, *, stated: str | None = None) -> str:
    """The name under which labels are made: the stated one, else git's ``user.name`` or e-mail.

    Raises:
        SetupError: Nobody said who they are.
    """
    if stated and stated.strip():
        return stated.strip()
    for key in ("user.name", "user.email"):
        found = _git(root, "config", "--get", key)
        if found is not None and found.strip():
            return found.strip()
    message = (
        "nobody says who is labelling, and a label without a name cannot be asked about. "
        'Run git config user.name "Your Name", or give --by.'
    )
    raise SetupError(message)


def would_be_committed(path: Path, root: Path) -> bool:
    """Whether a file lies inside the project and git does not ignore it."""
    resolved = path.resolve()
    if not resolved.is_relative_to(root.resolve()):
        return False
    return _git(root, "check-ignore", "--quiet", str(resolved)) is None


def _git(root: Path, *arguments: str) -> str | None:
    """What git answers; None where it fails, or is not there."""
    environ: Mapping[str, str] = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        found = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_TIMEOUT_S,
            env=environ,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout if found.returncode == 0 else None

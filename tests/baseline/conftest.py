from pathlib import Path

import pytest

from tests.baseline.repos import Project, start
from tests.scored import Picture

GOOD: Picture = {"total": {name: "1" for name in "abcd"}, "due": {name: "1" for name in "abcd"}}


@pytest.fixture(autouse=True)
def own_git_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path_factory) -> None:
    """Git as on a fresh machine: nobody's aliases, hooks, signing keys or default branches."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path_factory.mktemp("git") / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Rosa Kern")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "rk@example.com")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A set with a good prompt and its baseline, committed on main."""
    made = start(tmp_path / "project")
    made.record(GOOD)
    made.commit("Start the set")
    return made


@pytest.fixture
def good() -> Picture:
    return GOOD


@pytest.fixture
def bad() -> Picture:
    """One due date of four is lost."""
    return {"total": dict(GOOD["total"]), "due": dict(GOOD["due"]) | {"a": "0"}}

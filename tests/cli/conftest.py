import os
import shutil

import pytest

from evals_pipeline.cli.main import main
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.baselines import record_baseline
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import Bills


class Called:
    """What one command line printed, and how it ended."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err


@pytest.fixture
def bills(tmp_path, monkeypatch):
    made = Bills(tmp_path / "project").make()
    monkeypatch.chdir(made.root)
    # Wide enough that no sentence is wrapped, whatever terminal the tests run in.
    monkeypatch.setenv("COLUMNS", "240")
    for name in list(os.environ):
        if name.startswith(("EVALS_", "DAGSTER_HOME")):
            monkeypatch.delenv(name)
    # What --runs and --threshold put into the environment goes with the test.
    for name in ("EVALS_RUNS", "EVALS_JUDGE_KIND", "EVALS_JUDGE_THRESHOLD", "EVALS_FIXTURES_DIR"):
        monkeypatch.setenv(name, "unset")
        monkeypatch.delenv(name)
    return made


@pytest.fixture
def evals(capsys):
    def call(*arguments):
        capsys.readouterr()
        try:
            main(list(arguments))
            status = 0
        except SystemExit as end:
            status = end.code or 0
        captured = capsys.readouterr()
        return Called(status, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def scored_once(tmp_path_factory):
    """The project with ``steady`` and ``hasty`` scored and a baseline of ``steady`` committed."""
    made = Bills(tmp_path_factory.mktemp("scored") / "project").make()
    project = Project.open(made.root, environ={})
    stamp = make_stamp(made.root)
    for model in ("steady", "hasty"):
        for run_index in project.run_indices():
            key = PartitionKey(set_name="bills", model_version=model, run_index=run_index)
            extract_partition(project, key, stamp=stamp)
            judge_partition(project, key, stamp=stamp)
        score_model(project, "bills", model, stamp=stamp)
    record_baseline(project, "bills", "steady", stamp=stamp)
    made.commit("Start")
    for model in ("steady", "hasty"):
        gate_model(project, "bills", model, stamp=stamp)
    return made


@pytest.fixture
def scored(scored_once, bills):
    """A copy of it for the test alone."""
    shutil.rmtree(bills.root)
    shutil.copytree(scored_once.root, bills.root)
    os.chdir(bills.root)
    return bills

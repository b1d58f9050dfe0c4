"""Scores a model version of a test's project without starting Dagster, which takes seconds."""

import os

from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import Bills


def score(bills: Bills, model: str) -> None:
    """Every run of ``bills`` with one model version, as ``evals run`` would leave it."""
    project = Project.open(bills.root, environ=dict(os.environ))
    stamp = make_stamp(bills.root)
    for run_index in project.run_indices():
        key = PartitionKey(set_name="bills", model_version=model, run_index=run_index)
        extract_partition(project, key, stamp=stamp)
        judge_partition(project, key, stamp=stamp)
    score_model(project, "bills", model, stamp=stamp)

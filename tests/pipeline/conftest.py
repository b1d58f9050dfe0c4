import json

import pytest

from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from tests.defs.bills import Bills
from tests.llm.loopback import completion, loopback


@pytest.fixture
def bills(tmp_path):
    return Bills(tmp_path / "project").make()


@pytest.fixture
def opened(bills):
    """Opens the project anew, as every command does."""

    def open_again(**environ):
        return Project.open(bills.root, environ=environ)

    return open_again


@pytest.fixture
def run():
    """Extracts, judges and scores one model version of a set; what each cell did, by run."""

    def bring_up_to_date(project, model, *, set_name="bills"):
        stamp = make_stamp(project.root)
        done = []
        for run_index in project.run_indices():
            key = PartitionKey(set_name=set_name, model_version=model, run_index=run_index)
            extracted = extract_partition(project, key, stamp=stamp)
            done.append((extracted, judge_partition(project, key, stamp=stamp)))
        score_model(project, set_name, model, stamp=stamp)
        if project.kind_of(set_name) is SetKind.FIELDS:
            gate_model(project, set_name, model, stamp=stamp)
        return done

    return bring_up_to_date


@pytest.fixture
def model_server(bills):
    """A server that answers for ``asked@1``: it reads the bill that it is sent."""

    def answer(call):
        number = call.asked.split("Bill ")[1].split("\n")[0]
        fields = {"number": number, "due": "2026-05-01"}
        return completion(json.dumps(fields), model="asked-2026-01-01")

    with loopback(answer) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write("pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url))
        yield server

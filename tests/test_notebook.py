"""Frames for notebooks: their columns, their counts, and what is missing in them."""

import json

import pandas as pd
import pytest

from evals_pipeline.core.errors import RefusedError, SetupError, UnknownNameError
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.notebook import Evaluations
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.pipeline.stored_harnesses import harness_cell, measure_harness
from tests.defs.bills import Bills
from tests.judge.fakes import WordEncoder
from tests.pipeline.harness_project import with_records
from tests.pipeline.tellers import STAMP, Tellers


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    bills = Bills(tmp_path_factory.mktemp("notebook") / "project").make()
    bills.predict("hasty", {"A-2": "2026-06-01", "A-3": None})
    evaluations = Evaluations.open(bills.root)
    project = evaluations.project
    stamp = make_stamp(bills.root)
    for set_name, model in (("bills", "steady"), ("bills", "hasty"), ("facts-001", "teller")):
        for run_index in project.run_indices():
            key = PartitionKey(set_name=set_name, model_version=model, run_index=run_index)
            extract_partition(project, key, stamp=stamp)
            judge_partition(project, key, stamp=stamp)
        score_model(project, set_name, model, stamp=stamp)
    return evaluations


def test_sets_and_who_is_scored(made):
    frame = made.sets()
    scored = frame[frame.is_scored]
    assert list(zip(scored["set"], scored.model_version, strict=True)) == [
        ("bills", "steady"),
        ("bills", "hasty"),
        ("facts-001", "teller"),
    ]
    assert set(frame.kind) == {"fields", "claims"}


def test_figures_of_fields_stand_beside_their_counts(made):
    frame = made.figures("bills").set_index(["model_version", "field"])
    due = frame.loc["hasty", "due"]
    # Of three documents in two runs one is right.
    assert (due.n, due.correct, due.n_misses) == (6, 2, 4)
    assert due.accuracy == pytest.approx(1 / 3)
    assert due.ci_low < due.accuracy < due.ci_high
    assert (due.n_values, due.n_absences) == (6, 0)
    assert pd.isna(due.invention_rate)
    assert not due.is_outdated
    assert "overall" not in frame.index.get_level_values("field")


def test_figures_of_a_suite_say_why_one_is_unmeasured(made):
    frame = made.figures("facts-001").set_index("metric")
    assert pd.isna(frame.loc["precision", "mean"])
    assert "emitted" in frame.loc["precision", "reason"]
    assert frame.loc["recall", "mean"] == 0
    runs = made.by_run("bills", model="steady")
    assert list(runs[runs.figure == "due"].run_index) == [0, 1]


def test_misses_keep_absence_and_the_trace(made):
    frame = made.misses("bills", model="hasty", field="due")
    assert len(frame) == 4
    missed = frame[frame.outcome == "missed"]
    assert list(missed.document) == ["bill-A-3"] * 2
    assert missed.got.isna().all()
    wrong = frame[frame.outcome == "wrong"].iloc[0]
    assert (wrong.want, wrong.got) == ("2026-05-01", "2026-06-01")
    assert wrong.trace[-1].startswith("wrong")
    assert made.misses("bills", model="steady").empty
    assert list(made.misses("bills", model="steady").columns) == list(frame.columns)


def test_documents_slices_and_bins(made):
    documents = made.documents("bills", model="hasty")
    assert documents[documents.field == "due"].correct.tolist() == [2, 0, 0]
    slices = made.slices("bills", model="hasty").set_index(["slice", "field"])
    assert slices.loc[("locale=en_GB", "due"), "n"] == 6
    bins = made.calibration("bills", model="hasty")
    assert len(bins) == 20
    assert bins.n.sum() == 0
    assert bins.accuracy.isna().all()


def test_claims_of_both_sides(made):
    frame = made.claims("facts-001")
    assert list(frame.side) == ["gold"]
    assert frame.iloc[0].outcome == "missed"
    assert pd.isna(frame.iloc[0].matched)


def test_the_gates_table(made):
    frame = made.gate("bills", model="hasty").set_index("field")
    assert frame.loc["due", "verdict"] == "regression"
    assert frame.loc["due", "delta"] == pytest.approx(-2 / 3)
    refused = made.gate("bills", model="asked@1")
    assert list(refused.verdict) == ["refused"]
    assert "evals run bills --model asked@1" in refused.iloc[0].reason


def test_costs_and_sql(made):
    assert made.costs().empty
    assert {"usd", "input_tokens", "commit"} <= set(made.costs("bills").columns)
    found = made.sql("SELECT count(*) AS n FROM field_matches WHERE outcome = 'missed'")
    assert found.n.tolist() == [2]


def test_what_is_not_there_is_said(made, tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean"):
        made.figures("bils")
    with pytest.raises(UnknownNameError):
        made.misses("bills", model="nobody")
    with pytest.raises(RefusedError, match="evals run bills"):
        made.figures("bills", model="asked@1")
    with pytest.raises(RefusedError, match="claims"):
        made.misses("facts-001")
    with pytest.raises(RefusedError, match="misses"):
        made.claims("bills")
    with pytest.raises(SetupError):
        Evaluations.open(tmp_path)


def test_claim_text_that_the_settings_keep_out_is_missing(tmp_path):
    bills = Bills(tmp_path / "project").make()
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write(
        "pyproject.toml", settings.replace("runs = 2", "runs = 1\nrecord_claim_text = false")
    )
    claims = [{"content": "A ship sank.", "confidence": 0.9}]
    bills.write(
        "suites/teller.jsonl", json.dumps({"fixture": "note-1", "run_index": 0, "claims": claims})
    )
    store_vector(bills)
    evaluations = Evaluations.open(bills.root)
    key = PartitionKey(set_name="facts-001", model_version="teller", run_index=0)
    stamp = make_stamp(bills.root)
    extract_partition(evaluations.project, key, stamp=stamp)
    judge_partition(evaluations.project, key, stamp=stamp)
    score_model(evaluations.project, "facts-001", "teller", stamp=stamp)
    frame = evaluations.claims("facts-001").set_index("side")
    assert pd.isna(frame.loc["claim", "content"])
    assert frame.loc["claim", "matched"] == "A ship sank."
    assert pd.isna(frame.loc["gold", "matched"])
    assert frame.loc["gold", "content"] == "A ship sank."


def store_vector(bills: Bills) -> None:
    """Stores the one text's vector as if it had been embedded."""
    import numpy as np

    from evals_pipeline.judge.encoder import make_encoder
    from evals_pipeline.judge.vectors import VectorCache

    class Known:
        name = make_encoder(None).name

        def encode(self, texts):
            return np.ones((len(texts), 1), dtype=np.float32)

    VectorCache(bills.root / "storage" / "vectors", Known()).vectors(["A ship sank."])


def test_the_rates_and_the_confusion_table_of_a_harness(tmp_path):
    tellers = Tellers(tmp_path).make()
    with_records(tellers)
    evaluations = Evaluations.open(tellers.root)
    with pytest.raises(RefusedError, match="evals run records-001"):
        evaluations.harness("records-001")
    project = evaluations.project
    texts = ["Paper tickets are kept.", "Ticket machines are used."]
    encoder = WordEncoder(name=make_encoder(None).name)
    VectorCache(tellers.root / "storage" / "vectors", encoder).vectors(texts)
    measure_harness(project, harness_cell(project, "records-001", "teller"), stamp=STAMP)
    frame = evaluations.harness("records-001", model="teller").set_index("rate")
    rate = frame.loc["wrong_declined_rate"]
    assert (rate["mean"], rate["count"], rate["n"], rate["is_outdated"]) == (0.5, 1, 2, False)
    assert frame.loc["confusion.ASSERTED.DECLINED", "count"] == 1
    assert pd.isna(frame.loc["confusion.ASSERTED.DECLINED", "mean"])

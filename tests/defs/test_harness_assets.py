"""The assets of harness suites and of gold subjects."""

import dagster as dg
import pytest

from evals_pipeline.defs.location import build_location
from evals_pipeline.defs.materialise import Choice, materialise_sets
from evals_pipeline.defs.partitions import grids, harness_grids
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.stored_harnesses import harness_cell, needs_measuring
from evals_pipeline.pipeline.stored_resolution import needs_resolving
from tests.defs.test_location import graph_of
from tests.judge.fakes import WordEncoder
from tests.llm.loopback import completion, loopback
from tests.pipeline.harness_project import POLARITY, with_records, with_subjects
from tests.pipeline.tellers import Tellers

GRAPH = """\
facts-001/resolution <- facts-001/gold
records-001/fixtures
records-001/gold
records-001/metrics <- records-001/fixtures, records-001/gold, records-001/prompt
records-001/prompt
"""


@pytest.fixture
def tellers(tmp_path):
    made = Tellers(tmp_path / "tellers").make()
    with_records(made)
    with_subjects(made)
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = ["Paper tickets are kept.", "Ticket machines are used."]
    VectorCache(made.root / "storage" / "vectors", encoder).vectors(texts)
    return made


@pytest.fixture
def project(tellers):
    return tellers.open()


def known_of(project):
    sets = grids(project)
    return (*sets, *harness_grids(project, sets))


def test_keys_dependencies_and_jobs(project):
    location = build_location(project)
    lines = [
        line
        for line in graph_of(location).splitlines(keepends=True)
        if line.startswith("records-001/") or "/resolution" in line
    ]
    assert "".join(lines) == GRAPH
    jobs = {job.name for job in location.resolve_all_job_defs()}
    assert "records_001" in jobs
    assert "records_001_figures" not in jobs
    graph = location.resolve_asset_graph()
    metrics = graph.get(dg.AssetKey(["records-001", "metrics"]))
    assert metrics.partitions_def.get_partition_keys() == ["teller", "asked@1"]
    assert metrics.pools == {"model_calls"}
    assert graph.get(dg.AssetKey(["facts-001", "resolution"])).partitions_def is None
    for spec in location.resolve_all_asset_specs():
        assert "aterialis" in (spec.description or ""), spec.key
        assert (spec.owners, bool(spec.kinds)) == (["team:evals"], True)
    assert metrics.tags["evals/kind"] == "polarity-suite"
    assert graph.get(dg.AssetKey(["facts-001", "gold"])).tags["evals/kind"] == "claim-suite"


def test_a_model_version_is_measured_with_its_confusion_table(project, tellers, instance):
    known, location = known_of(project), build_location(project)
    choice = Choice(sets=("records-001",), models=("teller",))
    [outcome] = list(materialise_sets(known, location, instance, choice))
    assert outcome.succeeded, outcome.sentences
    assert str(outcome) == "records-001 teller: done"
    made = instance.get_latest_materialization_event(dg.AssetKey(["records-001", "metrics"]))
    shown = made.asset_materialization.metadata
    assert shown["wrong_declined_rate"].value == 0.5
    assert (shown["labels"].value, shown["labels_aligned"].value) == (4, 4)
    assert [one.data for one in shown["confusion"].records[:2]] == [
        {
            "label": "ASSERTED",
            "as ASSERTED": 1,
            "as DECLINED": 1,
            "as HYPOTHETICAL": 0,
            "not aligned": 0,
            "precision": "1/1",
            "recall": "1/2",
        },
        {
            "label": "DECLINED",
            "as ASSERTED": 0,
            "as DECLINED": 2,
            "as HYPOTHETICAL": 0,
            "not aligned": 0,
            "precision": "2/3",
            "recall": "2/2",
        },
    ]
    again = tellers.open()
    assert not needs_measuring(again, harness_cell(again, "records-001", "teller"))


def test_a_model_is_asked_again_only_for_a_fresh_sampling(tellers, instance):
    with loopback(lambda call: completion('{"claims": []}', model="asked-2026-01-01")) as server:
        settings = tellers.root / "pyproject.toml"
        text = settings.read_text(encoding="utf-8").replace("http://127.0.0.1:9/v1", server.url)
        settings.write_text(text, encoding="utf-8")
        project = tellers.open()
        known, location = known_of(project), build_location(project)

        def n_calls(**options):
            choice = Choice(sets=("records-001",), models=("asked@1",), **options)
            [outcome] = list(materialise_sets(known, location, instance, choice))
            assert outcome.succeeded, outcome.sentences
            return len(server.calls)

        once = n_calls()
        assert once > 0
        assert n_calls() == once
        assert n_calls(fresh=True) == 2 * once


def test_subjects_are_resolved_by_an_asset_of_their_own(project, tellers, instance):
    graph = build_location(project).resolve_implicit_global_asset_job_def()
    result = graph.execute_in_process(
        asset_selection=[dg.AssetKey(["facts-001", "resolution"])], instance=instance
    )
    assert result.success
    made = instance.get_latest_materialization_event(dg.AssetKey(["facts-001", "resolution"]))
    shown = made.asset_materialization.metadata
    assert shown["resolution_accuracy"].value == 0.5
    assert shown["resolution_bare_local"].value == 0.5
    assert [one.data["name"] for one in shown["not_right"].records] == ["Turin"]
    assert not needs_resolving(tellers.open(), "facts-001")


def test_a_predictions_file_that_is_gone_fails_with_what_is_missing(project, tellers, instance):
    known, location = known_of(project), build_location(project)
    (tellers.root / "records.jsonl").unlink()
    choice = Choice(sets=("records-001",), models=("teller",))
    [outcome] = list(materialise_sets(known, location, instance, choice))
    assert (outcome.succeeded, outcome.is_broken) == (False, True)
    assert "records.jsonl" in outcome.sentences[0]


def test_a_harness_suite_with_the_name_of_a_set_leaves_the_location_whole(tellers):
    for suite_id, name in (("facts-001", "a.yaml"), ("facts_001", "b.yaml")):
        tellers.write(f"suites/polarity/{name}", POLARITY.replace("records-001", suite_id))
    project = tellers.open()
    assert [one.set_name for one in harness_grids(project, grids(project))] == ["records-001"]
    assert build_location(project).resolve_asset_graph()


def test_a_suite_that_does_not_load_any_more_is_told_by_its_files(project, tellers, instance):
    location = build_location(project)
    tellers.write("suites/polarity/records-001.yaml", "cases: []\n")
    job = location.resolve_implicit_global_asset_job_def()
    for stage in ("fixtures", "gold", "prompt"):
        key = dg.AssetKey(["records-001", stage])
        assert job.execute_in_process(asset_selection=[key], instance=instance).success
        made = instance.get_latest_materialization_event(key).asset_materialization
        assert "records-001" in made.metadata["faults"].value

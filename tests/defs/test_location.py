import subprocess
import sys

import dagster as dg
import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.defs.location import build_location
from evals_pipeline.pipeline.project import Project

GRAPH = """\
bills/baseline <- bills/metrics
bills/calibration <- bills/matches
bills/extractions <- bills/fixtures, bills/prompt
bills/fixtures
bills/gold
bills/matches <- bills/extractions, bills/gold
bills/metrics <- bills/matches
bills/prompt
facts-001/calibration <- facts-001/matches
facts-001/extractions <- facts-001/fixtures, facts-001/prompt
facts-001/fixtures
facts-001/gold
facts-001/matches <- facts-001/extractions, facts-001/gold
facts-001/metrics <- facts-001/matches
facts-001/prompt
"""


def graph_of(location: dg.Definitions) -> str:
    graph = location.resolve_asset_graph()
    lines = []
    for key in sorted(graph.get_all_asset_keys()):
        parents = sorted(parent.to_user_string() for parent in graph.get(key).parent_keys)
        lines.append(key.to_user_string() + (f" <- {', '.join(parents)}" if parents else ""))
    return "\n".join(lines) + "\n"


def test_keys_and_dependencies(location):
    assert graph_of(location) == GRAPH


def test_checks_by_asset_and_which_of_them_block(location):
    graph = location.resolve_asset_graph()
    found = {
        key.to_user_string(): graph.get_check_spec(key).blocking for key in graph.asset_check_keys
    }
    assert found == {
        "bills/fixtures:corpus_intact": True,
        "bills/metrics:calibration_steady": False,
        "bills/metrics:cost_within_budget": False,
        "bills/gold:labels_complete": True,
        "bills/metrics:disagreement_within_limit": False,
        "bills/metrics:errors_within_limit": False,
        "bills/metrics:gate": True,
        "bills/metrics:inputs_current": False,
        "bills/metrics:runs_complete": False,
        "facts-001/fixtures:corpus_intact": True,
        "facts-001/metrics:calibration_steady": False,
        "facts-001/metrics:cost_within_budget": False,
        "facts-001/metrics:errors_within_limit": False,
        "facts-001/metrics:inputs_current": False,
        "facts-001/metrics:nothing_unjudged": False,
        "facts-001/metrics:runs_complete": False,
    }


def test_every_asset_says_what_it_holds_whose_it_is_and_what_it_is_made_with(location):
    for spec in location.resolve_all_asset_specs():
        assert "aterialis" in (spec.description or ""), spec.key
        assert spec.owners == ["team:evals"]
        assert spec.kinds


def test_stored_tables_describe_their_columns(location):
    graph = location.resolve_asset_graph()
    for stage in ("fixtures", "extractions", "matches", "metrics", "baseline", "calibration"):
        metadata = graph.get(dg.AssetKey(["bills", stage])).metadata
        columns = metadata["dagster/column_schema"].value.columns
        assert all(column.description for column in columns)


def test_a_grid_lists_the_model_versions_that_can_serve_the_set_and_no_others(location):
    keys = location.resolve_asset_graph()
    cells = keys.get(dg.AssetKey(["bills", "extractions"])).partitions_def.get_partition_keys()
    assert cells == [f"{model}|{run}" for model in ("steady", "hasty", "asked@1") for run in (0, 1)]
    models = keys.get(dg.AssetKey(["facts-001", "metrics"])).partitions_def.get_partition_keys()
    assert models == ["teller"]


def test_what_runs_by_itself_and_what_does_not(location):
    repository = location.get_repository_def()
    assert {sensor.name: sensor.default_status.value for sensor in repository.sensor_defs} == {
        "prompts": "RUNNING",
        "sets": "RUNNING",
        "carry_on": "RUNNING",
    }
    assert [one.default_status.value for one in repository.schedule_defs] == ["STOPPED"]
    assert {job.name for job in location.resolve_all_job_defs()} >= {
        "bills",
        "bills_figures",
        "facts_001",
        "facts_001_figures",
        "everything",
    }


def test_only_steps_that_may_call_a_model_or_embed_share_a_pool(location):
    graph = location.resolve_asset_graph()
    pools = {
        key.to_user_string(): sorted(graph.get(key).pools)
        for key in graph.get_all_asset_keys()
        if graph.get(key).pools
    }
    assert pools == {
        "bills/extractions": ["model_calls"],
        "facts-001/matches": ["embedding"],
    }


def test_a_set_that_does_not_load_keeps_its_assets(bills):
    bills.write("golden/bills/set.yaml", "set: bills\nfields: 7\n")
    location = build_location(Project.open(bills.root, environ={}))
    assert graph_of(location) == GRAPH


def test_the_location_looks_at_no_label_and_no_document(bills, project):
    keys = graph_of(build_location(project))
    for part in ("labels", "documents"):
        for path in (bills.folder / part).iterdir():
            path.write_text("{", encoding="utf-8")
    again = build_location(Project.open(bills.root, environ={}))
    assert graph_of(again) == keys
    matches = again.resolve_asset_graph().get(dg.AssetKey(["bills", "matches"]))
    assert "steady|0" in matches.partitions_def.get_partition_keys()
    assert matches.code_version != "faulty"


def test_two_sets_that_dagster_cannot_tell_apart_are_refused(bills):
    bills.write("golden/b-1/set.yaml", "set: b-1\n")
    bills.write("golden/b_1/set.yaml", "set: b_1\n")
    with pytest.raises(SetupError, match=r"'b-1' and 'b_1' have the same name"):
        build_location(Project.open(bills.root, environ={}))


LOAD = """
import sys
import evals_pipeline.definitions
heavy = {"torch", "transformers", "sentence_transformers", "openai", "pandas"}
print(sorted(heavy & set(sys.modules)))
"""


def test_the_location_loads_without_what_is_slow_to_load(bills):
    found = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=bills.root, capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"
    assert "Warning" not in found.stderr


def test_every_asset_says_what_kind_of_set_it_belongs_to(location):
    graph = location.resolve_asset_graph()
    kinds = {node.key.path[0]: node.tags["evals/kind"] for node in graph.asset_nodes}
    assert kinds == {"bills": "golden-set", "facts-001": "claim-suite"}

"""The checks as a run evaluates them, after the cells that they look at."""

import json

import dagster as dg
import pytest

from evals_pipeline.defs.location import build_location
from evals_pipeline.defs.materialise import Choice, materialise_sets
from evals_pipeline.defs.partitions import cell_key, grids
from evals_pipeline.pipeline.baselines import record_baseline
from evals_pipeline.pipeline.extraction import extract_partition
from evals_pipeline.pipeline.judging import judge_partition
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import score_model
from evals_pipeline.pipeline.stamps import make_stamp


class Runs:
    """Runs of the set ``bills`` in this process; every look is at today's files."""

    def __init__(self, root, instance):
        self.root = root
        self.instance = instance

    @property
    def project(self):
        return Project.open(self.root, environ={})

    def cells(self, model, runs=(0, 1)):
        """What the grid would hold, without Dagster."""
        project = self.project
        grid = next(grid for grid in grids(project) if grid.set_name == "bills")
        for run in runs:
            key = grid.cell(str(cell_key(model, run)))
            extract_partition(project, key, stamp=make_stamp(self.root))
            judge_partition(project, key, stamp=make_stamp(self.root))

    def run(self, stages, partition_key=None):
        location = build_location(self.project)
        keys = [dg.AssetKey(["bills", stage]) for stage in stages]
        result = location.resolve_implicit_global_asset_job_def().execute_in_process(
            asset_selection=keys,
            partition_key=partition_key,
            instance=self.instance,
            raise_on_error=False,
        )
        checks = {check.check_name: check for check in result.get_asset_check_evaluations()}
        materialised = {
            event.asset_key.path[-1]
            for event in result.get_asset_materialization_events()
            if event.asset_key is not None
        }
        return result.success, checks, materialised


@pytest.fixture
def runs(bills, instance):
    return Runs(bills.root, instance)


def passed(checks):
    return {name: check.passed for name, check in checks.items()}


def test_all_is_well(runs, bills):
    runs.cells("steady")
    project = runs.project
    score_model(project, "bills", "steady", stamp=make_stamp(bills.root))
    record_baseline(project, "bills", "steady", stamp=make_stamp(bills.root))
    success, checks, materialised = runs.run(("metrics", "baseline"), "steady")
    assert success
    assert passed(checks) == {
        "gate": True,
        "inputs_current": True,
        "calibration_steady": True,
        "cost_within_budget": True,
        "errors_within_limit": True,
        "disagreement_within_limit": True,
        "runs_complete": True,
    }
    assert checks["gate"].description == "steady: no field got worse than its tolerance."
    assert checks["gate"].partition == "steady"
    assert materialised == {"metrics", "baseline"}


def test_a_red_gate_says_the_field_and_its_documents_and_blocks_what_follows(runs):
    for model in ("steady", "hasty"):
        runs.cells(model)
    runs.run(("metrics",), "steady")
    success, checks, materialised = runs.run(("metrics", "baseline"), "hasty")
    assert not success
    assert materialised == {"metrics"}
    gate = checks["gate"]
    assert (gate.passed, gate.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert "due: regression -0.333 (bill-A-2)" in gate.description
    assert gate.description.endswith("Also red: steady.")
    assert "due" in gate.metadata["report"].value
    assert "`evals report bills --output report.html`" in gate.metadata["report_page"].value
    assert gate.metadata["red_model_versions"].value == "steady"
    others = {name for name, check in checks.items() if check.passed}
    assert others >= {"inputs_current", "errors_within_limit", "runs_complete"}


def test_outdated_figures_and_missing_runs_warn(runs, bills):
    runs.cells("steady", runs=(1,))
    score_model(runs.project, "bills", "steady", stamp=make_stamp(bills.root))
    bills.label("A-3", due=None)
    from evals_pipeline.pipeline.model_checks import inputs_current, runs_complete

    current = inputs_current(runs.project, "bills", "steady")
    assert not current.passed
    assert "labels or gold claims changed since" in current.description
    complete = runs_complete(runs.project, "bills", "steady")
    assert complete.description.startswith("The figures lack run 0 of 2.")


def test_documents_and_labels_block_the_grid(runs, bills):
    label = json.loads(next((bills.folder / "labels").iterdir()).read_text(encoding="utf-8"))
    del label["fields"]["due"]
    bills.write(f"golden/bills/labels/{label['doc'][:-4]}.json", json.dumps(label))
    bills.document("A-3").write_text("another bill", encoding="utf-8")
    stages = ("fixtures", "gold", "prompt", "extractions", "matches")
    success, checks, materialised = runs.run(stages, cell_key("steady", 0))
    assert not success
    assert materialised == {"fixtures", "gold", "prompt"}
    assert passed(checks) == {"corpus_intact": False, "labels_complete": False}
    assert "due" in checks["labels_complete"].description
    assert "due" not in checks["corpus_intact"].description
    assert checks["corpus_intact"].metadata["faults"].value == 1


def test_failed_extractions_are_counted_with_their_documents(runs, bills):
    lines = (bills.folder / "steady.jsonl").read_text(encoding="utf-8").splitlines()
    bills.write("golden/bills/steady.jsonl", "\n".join(lines[1:]))
    runs.cells("steady")
    _, checks, _ = runs.run(("metrics",), "steady")
    failed = checks["errors_within_limit"]
    assert not failed.passed
    assert failed.description.startswith(
        "1 of 6 extractions failed; the limit is 0: bill-A-1 (run 0): no prediction"
    )


def test_everything_runs_in_order_and_says_what_is_red(bills, instance):
    project = Project.open(bills.root, environ={})
    known = grids(project)
    outcomes = list(
        materialise_sets(
            known,
            build_location(project),
            instance,
            Choice(sets=("bills",), models=("steady", "hasty")),
        )
    )
    assert [(one.partition_key, one.succeeded) for one in outcomes] == [
        ("steady|0", True),
        ("steady|1", True),
        ("hasty|0", True),
        ("hasty|1", True),
        ("steady", False),
        ("hasty", False),
    ]
    assert "no baseline of steady" in str(outcomes[4])
    assert "due: regression" in str(outcomes[5])


def test_the_job_of_everything_fails_with_what_is_red(bills, instance):
    location = build_location(Project.open(bills.root, environ={}))
    result = location.resolve_job_def("everything").execute_in_process(
        run_config={
            "ops": {"materialise_everything": {"config": {"sets": ["bills"], "models": ["steady"]}}}
        },
        instance=instance,
        raise_on_error=False,
    )
    assert not result.success
    failure = result.failure_data_for_node("materialise_everything")
    assert "no baseline of steady" in failure.user_failure_data.description


def test_a_set_that_does_not_exist_is_named(bills, instance):
    project = Project.open(bills.root, environ={})
    with pytest.raises(Exception, match="Did you mean") as refused:
        list(
            materialise_sets(
                grids(project), build_location(project), instance, Choice(sets=("bill",))
            )
        )
    assert type(refused.value).__name__ == "UnknownNameError"

"""Assets called directly, as Dagster would call them."""

import json

import dagster as dg
import pytest

from evals_pipeline.defs.assets import set_assets
from evals_pipeline.defs.cell_assets import ExtractionConfig
from evals_pipeline.defs.model_assets import BaselineConfig
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.stamps import make_stamp


class Caller:
    """Calls the assets of the set ``bills`` by their stage."""

    def __init__(self, project, grid, instance):
        self.instance = instance
        self.root = project.root
        self.assets = {one.key.path[-1]: one for one in set_assets(project, grid)}

    def __call__(self, stage, partition_key=None, config=None):
        arguments = []
        if stage not in ("gold", "prompt"):
            context = dg.build_asset_context(partition_key=partition_key, instance=self.instance)
            arguments.append(context)
        if config is not None:
            arguments.append(config)
        return self.assets[stage](*arguments)

    def cells(self, model, runs=(0, 1)):
        for run in runs:
            self("extractions", f"{model}|{run}", ExtractionConfig())
            self("matches", f"{model}|{run}")


@pytest.fixture
def call(project, grid, instance):
    return Caller(project, grid, instance)


def texts(result):
    return {name: getattr(value, "value", value) for name, value in result.metadata.items()}


def test_from_files_to_figures(call, project):
    assert texts(call("fixtures"))["documents"] == 3
    assert "gold_digest" in texts(call("gold"))
    extracted = texts(call("extractions", "hasty|1", ExtractionConfig()))
    assert (extracted["documents/planned"], extracted["documents/ok"]) == (3, 3)
    judged = texts(call("matches", "hasty|1"))
    assert (judged["outcome/correct"], judged["outcome/wrong"]) == (5, 1)
    figures = texts(call("metrics", "hasty"))
    assert figures["accuracy/due"] == pytest.approx(2 / 3)
    assert figures["accuracy/number"] == 1.0
    assert figures["runs"] == 1
    assert figures["report_page"] == "not written yet: `evals report bills --output report.html`"
    stored = project.store.read_figures("bills", "hasty")
    assert stored.record.run_indices == (1,)


def test_what_is_current_is_not_done_anew(call):
    first = call("extractions", "steady|0", ExtractionConfig())
    again = call("extractions", "steady|0", ExtractionConfig())
    assert again.data_version == first.data_version
    assert "nothing was done anew" in texts(again)["note"]
    redone = call("extractions", "steady|0", ExtractionConfig(redo=True))
    assert redone.data_version != first.data_version


def test_a_run_that_the_predictions_do_not_have_is_materialised_as_absent(call, bills):
    bills.predict("steady", {}, runs=1)
    result = call("extractions", "steady|1", ExtractionConfig())
    assert texts(result)["note"] == "steady.jsonl has no run 1"
    assert result.data_version == dg.DataVersion("absent")
    assert "no such run" in texts(call("matches", "steady|1"))["note"]


def test_a_changed_label_stales_the_gold_and_leaves_documents_and_prompt_alone(call, bills):
    stages = ("fixtures", "gold", "prompt")
    before = {stage: call(stage).data_version for stage in stages}
    bills.label("A-1", due=None)
    changed = [stage for stage in stages if call(stage).data_version != before[stage]]
    assert changed == ["gold"]


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        ("golden/bills/prompt.md", "---\noutput: fields\n---\nRead it.\n", ["prompt"]),
        ("golden/bills/steady.jsonl", "", ["prompt"]),
        ("golden/bills/README.md", "Bills.\n", []),
    ],
)
def test_a_changed_file_stales_what_it_stands_for(call, bills, place, text, expected):
    stages = ("fixtures", "gold", "prompt")
    before = {stage: call(stage).data_version for stage in stages}
    bills.write(place, text)
    assert [one for one in stages if call(one).data_version != before[one]] == expected


def test_a_changed_schema_stales_the_gold(call, bills):
    before = call("gold").data_version
    path = bills.folder / "set.yaml"
    bills.write("golden/bills/set.yaml", path.read_text(encoding="utf-8").replace("date", "text"))
    assert call("gold").data_version != before


def test_judge_settings_and_what_a_model_is_asked_with_are_code_versions(bills, grid):
    def versions():
        made = set_assets(Project.open(bills.root, environ={}), grid)
        return {
            one.key.path[-1]: one.code_versions_by_key[one.key]
            for one in made
            if one.key.path[-1] in ("extractions", "matches")
        }

    before = versions()
    text = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write(
        "pyproject.toml", text.replace('model = "asked', 'temperature = 0.5\nmodel = "asked')
    )
    after = versions()
    assert after["extractions"] != before["extractions"]
    assert after["matches"] == before["matches"]


def test_a_faulty_set_is_materialised_as_faulty_for_its_checks_to_say_so(call, bills):
    label = json.loads(next((bills.folder / "labels").iterdir()).read_text(encoding="utf-8"))
    del label["fields"]["due"]
    bills.write(f"golden/bills/labels/{label['doc'][:-4]}.json", json.dumps(label))
    for stage in ("fixtures", "gold"):
        assert "due" in texts(call(stage))["faults"]
    # What a set is answered from does not depend on its labels.
    assert texts(call("prompt"))["source/steady"] == "golden/bills/steady.jsonl"
    with pytest.raises(dg.Failure) as failure:
        call("extractions", "steady|0", ExtractionConfig())
    assert "due" in failure.value.description
    assert not failure.value.allow_retries


def test_figures_without_a_judged_run_fail_with_the_command_that_makes_one(call):
    with pytest.raises(dg.Failure) as failure:
        call("metrics", "steady")
    assert "evals run bills --model steady" in failure.value.description


def test_the_baseline_is_read_and_only_written_when_told_to(call, bills, project):
    call.cells("steady")
    call("metrics", "steady")
    result = call("baseline", "steady", BaselineConfig())
    assert texts(result) == {"note": "No baseline is recorded."}
    with pytest.raises(dg.Failure) as failure:
        call("baseline", "steady", BaselineConfig(promote=True))
    assert "the gate has not looked" in failure.value.description
    gate_model(project, "bills", "steady", stamp=make_stamp(bills.root))
    promoted = texts(call("baseline", "steady", BaselineConfig(promote=True)))
    assert (promoted["runs"], promoted["fields"]) == (2, 2)
    assert (bills.folder / "baselines" / "steady.json").is_file()
    assert texts(call("baseline", "steady", BaselineConfig()))["fields"] == 2
    assert project.store.read_baseline("bills", "steady") is not None


def test_nothing_is_promoted_past_a_red_gate(call, bills, project):
    for model in ("steady", "hasty"):
        call.cells(model)
        call("metrics", model)
    gate_model(project, "bills", "hasty", stamp=make_stamp(bills.root))
    with pytest.raises(dg.Failure) as failure:
        call("baseline", "hasty", BaselineConfig(promote=True))
    assert "gate of hasty is red" in failure.value.description
    assert ".. " not in failure.value.description
    assert not (bills.folder / "baselines" / "hasty.json").exists()


def test_a_refused_fit_is_materialised_as_refused(call, project):
    call.cells("steady")
    call("metrics", "steady")
    fitted = texts(call("calibration", "steady"))
    assert fitted["accepted"] is False
    assert fitted["pairs"] == 0
    assert "confidence" in fitted["refusal"]
    stored = project.store.read_calibration_fits("bills", "steady")
    assert stored.record[0].refusal is not None

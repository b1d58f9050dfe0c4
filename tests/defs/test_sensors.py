import os

import dagster as dg
import pytest

from evals_pipeline.defs.location import build_location
from evals_pipeline.pipeline.project import Project
from tests.defs.bills import DUE, NUMBERS, SET


class Sensor:
    """One sensor of the project, ticked again and again with its own cursor."""

    def __init__(self, bills, name, instance):
        location = build_location(Project.open(bills.root, environ={}))
        self.repository = location.get_repository_def()
        self.definition = self.repository.get_sensor_def(name)
        self.instance = instance
        self.cursor = None

    def tick(self):
        context = dg.build_sensor_context(
            instance=self.instance, cursor=self.cursor, repository_def=self.repository
        )
        found = self.definition.evaluate_tick(context)
        self.cursor = found.cursor or self.cursor
        return found

    def partitions(self):
        return [request.partition_key for request in self.tick().run_requests]


@pytest.fixture
def prompts(bills, instance):
    return Sensor(bills, "prompts", instance)


@pytest.fixture
def sets(bills, instance):
    return Sensor(bills, "sets", instance)


CELLS = ["asked@1|0", "asked@1|1"]


def test_the_first_look_runs_nothing(prompts):
    found = prompts.tick()
    assert found.run_requests == []
    assert found.skip_message == "seen for the first time, to run when it changes: bills asked@1"


def test_an_edit_runs_the_cells_of_the_model_versions_that_are_sent_the_prompt(prompts, bills):
    prompts.tick()
    bills.prompt.write_text("---\noutput: fields\n---\nAnother. {{ document }}\n", encoding="utf-8")
    found = prompts.tick()
    assert [request.partition_key for request in found.run_requests] == CELLS
    request = found.run_requests[0]
    assert (request.job_name, request.asset_selection) == ("bills", None)
    assert request.tags["evals/trigger"] == "prompts"
    assert request.tags["evals/set"] == "bills"
    assert "evals/commit" not in request.tags
    assert prompts.partitions() == []


def test_there_and_back_again_has_run_keys_of_its_own(prompts, bills):
    first = bills.prompt.read_text(encoding="utf-8")
    prompts.tick()
    keys = []
    for text in (
        "---\noutput: fields\n---\nB {{ document }}\n",
        first,
        "---\noutput: fields\n---\nB {{ document }}\n",
    ):
        bills.prompt.write_text(text, encoding="utf-8")
        keys += [request.run_key for request in prompts.tick().run_requests]
    assert len(set(keys)) == 6


def test_a_prompt_put_back_with_an_older_time_stamp_is_a_change(prompts, bills):
    prompts.tick()
    bills.prompt.write_text("---\noutput: fields\n---\nOlder. {{ document }}\n", encoding="utf-8")
    os.utime(bills.prompt, (1, 1))
    assert prompts.partitions() == CELLS


def test_a_touch_is_no_change(prompts, bills):
    prompts.tick()
    os.utime(bills.prompt)
    assert prompts.partitions() == []


def test_a_deleted_prompt_is_a_reason_to_skip(prompts, bills):
    text = bills.prompt.read_text(encoding="utf-8")
    prompts.tick()
    bills.prompt.unlink()
    found = prompts.tick()
    assert found.run_requests == []
    assert "prompt.md" in found.skip_message
    bills.prompt.write_text(text, encoding="utf-8")
    assert prompts.tick().skip_message == "Nothing has changed."


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"Read the bill.",
        b"---\noutput: fields\nunknown: 1\n---\nRead it.\n",
        b"---\noutput: fields\n---\n{{ document\n",
    ],
)
def test_a_prompt_that_no_run_would_take_is_a_reason_to_skip(prompts, bills, content):
    text = bills.prompt.read_bytes()
    prompts.tick()
    bills.prompt.write_bytes(content)
    found = prompts.tick()
    assert found.run_requests == []
    assert "prompt.md" in found.skip_message
    bills.prompt.write_bytes(text)
    assert prompts.tick().skip_message == "Nothing has changed."
    bills.prompt.write_bytes(content)
    assert prompts.partitions() == []
    bills.prompt.write_text("---\noutput: fields\n---\nMended. {{ document }}\n", encoding="utf-8")
    assert prompts.partitions() == CELLS


def test_settings_that_do_not_read_skip_and_keep_the_cursor(prompts, bills):
    prompts.tick()
    kept = prompts.cursor
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write("pyproject.toml", settings + "\n[tool.evals.models.x]\nprovider = 7\n")
    found = prompts.tick()
    assert "provider" in found.skip_message
    assert prompts.cursor == kept
    bills.write("pyproject.toml", settings)
    bills.prompt.write_text("---\noutput: fields\n---\nB {{ document }}\n", encoding="utf-8")
    assert prompts.partitions() == CELLS


def test_a_run_is_tagged_with_the_commit(prompts, bills):
    bills.commit("Start")
    prompts.tick()
    bills.prompt.write_text("---\noutput: fields\n---\nB {{ document }}\n", encoding="utf-8")
    bills.commit("Try B")
    bills.prompt.write_text("---\noutput: fields\n---\nC {{ document }}\n", encoding="utf-8")
    last = bills.commit("Settle on C")
    bills.write("README.md", "Unrelated.")
    bills.commit("Write a page")
    tags = prompts.tick().run_requests[0].tags
    assert {name: tags[name] for name in tags if name.startswith("evals/")} == {
        "evals/author": "Kim Doe",
        "evals/commit": last,
        "evals/commits": "2",
        "evals/dirty": "false",
        "evals/set": "bills",
        "evals/subject": "Settle on C",
        "evals/trigger": "prompts",
    }


def test_an_edit_that_is_not_committed_is_tagged_as_dirty(prompts, bills):
    bills.commit("Start")
    prompts.tick()
    bills.prompt.write_text("---\noutput: fields\n---\nB {{ document }}\n", encoding="utf-8")
    assert prompts.tick().run_requests[0].tags["evals/dirty"] == "true"


def test_with_the_setting_an_edit_waits_for_its_commit(bills, instance):
    text = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    waiting = text.replace("runs = 2", "runs = 2\nprompts_wait_for_commit = true")
    bills.write("pyproject.toml", waiting)
    bills.commit("Start")
    prompts = Sensor(bills, "prompts", instance)
    prompts.tick()
    bills.prompt.write_text("---\noutput: fields\n---\nB {{ document }}\n", encoding="utf-8")
    assert prompts.tick().skip_message == "bills: asked@1 has changed and waits for its commit"
    bills.commit("Take B")
    assert prompts.partitions() == CELLS


def test_a_changed_label_has_the_stored_answers_judged_again(sets, bills):
    sets.tick()
    bills.label("A-1", due=None)
    found = sets.tick()
    assert {request.partition_key for request in found.run_requests} == {
        f"{model}|{run}" for model in ("steady", "hasty", "asked@1") for run in (0, 1)
    }
    assert {key.path[-1] for key in found.run_requests[0].asset_selection} == {"gold", "matches"}
    assert sets.partitions() == []


def test_a_new_document_is_extracted_for_every_model_version(sets, bills):
    sets.tick()
    bills.label("A-9", due=None)
    found = sets.tick()
    assert len(found.run_requests) == 6
    assert found.run_requests[0].asset_selection is None


def test_a_new_field_is_asked_for(sets, bills):
    sets.tick()
    bills.write("golden/bills/set.yaml", SET.replace("gate:", "  vat: {kind: money}\ngate:"))
    for number in NUMBERS:
        bills.label(number, due=DUE, vat=None)
    found = sets.tick()
    assert len(found.run_requests) == 6
    assert all(request.asset_selection is None for request in found.run_requests)


def test_new_predictions_concern_their_model_version(sets, bills):
    sets.tick()
    bills.predict("hasty", {})
    assert sets.partitions() == ["hasty|0", "hasty|1"]


def test_a_suite_changes_alone(sets, bills):
    sets.tick()
    path = bills.root / "suites" / "facts-001.yaml"
    text = path.read_text(encoding="utf-8").replace("confidence_min: 0.5", "confidence_min: 0.6")
    path.write_text(text, encoding="utf-8")
    found = sets.tick()
    assert {request.job_name for request in found.run_requests} == {"facts_001"}


def test_a_faulty_label_is_a_reason_to_skip_and_its_mending_a_change(sets, bills):
    sets.tick()
    path = next((bills.folder / "labels").iterdir())
    text = path.read_text(encoding="utf-8")
    path.write_text("{", encoding="utf-8")
    found = sets.tick()
    assert found.run_requests == []
    assert path.name in found.skip_message
    path.write_text(text, encoding="utf-8")
    assert sets.tick().skip_message == "Nothing has changed."

"""A set is read again when a file of it has changed in any way, and left alone otherwise."""

import os
from pathlib import Path

import pytest

from evals_pipeline.defs.partitions import grids
from evals_pipeline.defs.snapshots import Lookout
from evals_pipeline.pipeline.project import Project


class Eye:
    """Looks at one set as the sensor does: with a project opened anew each time."""

    def __init__(self, root: Path, set_name: str):
        self.root, self.set_name, self.lookout = root, set_name, Lookout()

    def look(self):
        project = Project.open(self.root, environ={})
        grid = next(one for one in grids(project) if one.set_name == self.set_name)
        return self.lookout.set_files(project, grid)


@pytest.fixture
def eye(bills):
    return Eye(bills.root, "bills")


def test_what_has_not_changed_is_not_read_again(eye):
    assert eye.look() is eye.look()


def test_a_new_document_is_seen(eye, bills):
    before = eye.look()
    bills.label("A-9", due=None)
    after = eye.look()
    assert after["documents"] != before["documents"]
    assert after["gold"] != before["gold"]


def test_a_document_that_is_gone_is_seen(eye, bills):
    before = eye.look()
    bills.document("A-1").unlink()
    assert eye.look()["documents"] != before["documents"]


def test_a_label_of_the_same_length_and_time_is_seen(eye, bills):
    label = next((bills.folder / "labels").iterdir())
    before, stood = eye.look(), label.stat()
    label.write_text(
        label.read_text(encoding="utf-8").replace("2026-05-01", "2026-05-02"), encoding="utf-8"
    )
    os.utime(label, ns=(stood.st_atime_ns, stood.st_mtime_ns))
    after = eye.look()
    assert after["gold"] != before["gold"]
    assert after["documents"] == before["documents"]


def test_predictions_beside_the_set_are_seen(eye, bills):
    before = eye.look()
    bills.predict("hasty", {})
    after = eye.look()
    assert after["predictions hasty"] != before["predictions hasty"]
    assert after["predictions steady"] == before["predictions steady"]


def test_a_suite_is_seen(bills):
    eye = Eye(bills.root, "facts-001")
    before = eye.look()
    path = bills.root / "suites" / "facts-001.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("EPISTEMIC", "ALEATORIC"), encoding="utf-8"
    )
    assert eye.look()["gold"] != before["gold"]

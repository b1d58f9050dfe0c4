import json

import pytest

from evals_pipeline.baseline.hints import set_hints
from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.label_history import labeller_of
from evals_pipeline.core.records import LaterLabel, SourceConvention
from evals_pipeline.sets.golden import load_golden_set
from evals_pipeline.sets.label_files import RELABELLED, with_field
from evals_pipeline.sets.labelling import LabelDesk, unfinished
from tests.sets.builders import faults_of, sha

SCHEMA = """
set: slips
source_type: SLIP
locale: en_GB
currency: GBP
sources: {fax: {locale: de_DE}}
fields:
  number: {kind: identifier}
  total: {kind: money}
"""


@pytest.fixture
def folder(project):
    folder = project.golden_set(SCHEMA)
    project.label(folder, {"number": "A1", "total": None}, content="one", name="first")
    return folder


def add(folder, content, **stated):
    doc = f"{sha(content)}.txt"
    (folder / "documents" / doc).write_text(content, encoding="utf-8")
    if stated:
        (folder / "drafts").mkdir(exist_ok=True)
        path = folder / "drafts" / f"{sha(content)}.json"
        path.write_text(json.dumps({"doc": doc, **stated}), encoding="utf-8")
    return doc


def write(placed):
    path, text = placed
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_drafts_and_documents_without_anything_wait_beside_the_set(folder):
    add(folder, "two", name="second", fields={"number": "B2"}, locale="de_DE", tags=["fax"])
    add(folder, "three")
    desk = LabelDesk.open(folder)
    drafts = {draft.name: draft for draft in desk.to_label()}
    assert set(drafts) == {"second", sha("three")[:12]}
    assert drafts["second"].fields == {"number": "B2"}
    assert drafts["second"].convention == SourceConvention(locale="de_DE", currency="GBP")
    assert desk.missing(drafts["second"]) == ("total",)
    # The set loads as if they were not there.
    assert [document.fixture.name for document in load_golden_set(folder).documents] == ["first"]


def test_a_finished_draft_is_a_label_of_the_set(folder):
    add(
        folder,
        "two",
        name="second",
        fields={"number": "B2"},
        source="fax",
        tags=["fax"],
        added_by="xy",
        added_at="2031-05-01",
    )
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    assert unfinished(desk, draft).remedy == f"evals golden label {draft.sha256[:8]}"
    draft = with_field(draft, "total", "5.00", by="mt", at="2031-05-04")
    assert unfinished(desk, draft) is None
    write(desk.label_text(draft, by="mt", at="2031-05-04"))
    (_, second) = sorted(load_golden_set(folder).documents, key=lambda one: one.fixture.name)
    assert second.labels == {"number": ("B2",), "total": ("5.00",)}
    assert (second.labelled_by, second.labelled_at) == ("mt", "2031-05-04")
    assert (second.source, second.tags, second.convention.locale) == ("fax", ("fax",), "de_DE")
    stored = json.loads((folder / "labels" / f"{sha('two')}.json").read_text(encoding="utf-8"))
    assert "added_by" not in stored


def test_an_unfinished_draft_makes_no_label(folder):
    add(folder, "two", name="second", fields={"number": "B2"})
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    faults = faults_of(lambda: desk.label_text(draft, by="mt", at="2031-05-04"))
    assert "not labelled" in faults[0].problem


def test_a_draft_is_saved_and_read_back_whole(folder):
    add(folder, "two", name="second", fields={}, currency="EUR", added_by="xy")
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    draft = with_field(draft, "total", {"any": ["5.00", None]}, by="mt", at="2031-05-04")
    write(desk.draft_text(draft))
    assert desk.to_label() == (draft,)


def test_fields_that_a_set_gains_are_asked_for_in_its_labels(folder):
    schema = (folder / "set.yaml").read_text(encoding="utf-8")
    (folder / "set.yaml").write_text(schema + "  paid: {kind: boolean}\n", encoding="utf-8")
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    assert draft.is_label
    assert desk.missing(draft) == ("paid",)
    draft = with_field(draft, "paid", True, by="xy", at="2031-06-01")
    path = write(desk.draft_text(draft))
    assert path == folder / "labels" / f"{sha('one')}.json"
    (document,) = load_golden_set(folder).documents
    assert document.labels["paid"] == (True,)
    assert document.labelled_by == "mt"
    assert document.corrections == ()
    assert labeller_of(document, "paid") == LaterLabel(by="xy", at="2031-06-01")
    assert labeller_of(document, "total") == LaterLabel(by="mt", at="2031-05-04")
    assert not [hint for hint in set_hints([document], fewest=0) if "corrected" in hint]


def test_a_slip_in_a_gained_field_is_no_correction_and_a_changed_field_is_one(folder):
    schema = (folder / "set.yaml").read_text(encoding="utf-8")
    (folder / "set.yaml").write_text(schema + "  paid: {kind: boolean}\n", encoding="utf-8")
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    for value in (None, True):
        draft = with_field(draft, "paid", value, by="xy", at="2031-06-01")
    for _ in range(2):
        draft = with_field(draft, "total", "7.00", by="xy", at="2031-06-01")
    write(desk.draft_text(draft))
    (document,) = load_golden_set(folder).documents
    assert document.labels["paid"] == (True,)
    (correction,) = document.corrections
    assert (correction.field, correction.by, correction.reason) == ("total", "xy", RELABELLED)
    assert (correction.old, correction.new) == (None, "7.00")
    assert set(document.labelled_later) == {"paid"}


def test_what_is_not_labelled_yet_cannot_be_corrected(folder):
    schema = (folder / "set.yaml").read_text(encoding="utf-8")
    (folder / "set.yaml").write_text(schema + "  paid: {kind: boolean}\n", encoding="utf-8")
    desk = LabelDesk.open(folder)
    (label,) = desk.labels()
    (fault,) = faults_of(
        lambda: desk.corrected(label, "paid", True, by="xy", at="2031-06-01", reason="seen")
    )
    assert fault.problem == "is not labelled yet"
    assert fault.remedy is not None
    assert "evals golden label" in fault.remedy


def test_who_labelled_a_field_that_a_set_does_not_have_is_a_fault(folder):
    (path,) = (folder / "labels").glob("*.json")
    value = json.loads(path.read_text(encoding="utf-8"))
    value["labelled_later"] = {"totl": {"by": "xy", "at": "2031-06-01"}}
    path.write_text(json.dumps(value), encoding="utf-8")
    (fault,) = faults_of(lambda: load_golden_set(folder))
    assert fault.problem == "labelled_later.totl: no such field"
    assert fault.remedy == 'Did you mean "total"?'


def test_a_field_that_a_set_lost_stays_in_the_draft_and_out_of_the_label(folder):
    fields = {"number": "B2", "total": None, "gone": "x"}
    add(folder, "two", name="second", fields=fields)
    desk = LabelDesk.open(folder)
    (draft,) = desk.to_label()
    assert desk.surplus(draft) == ("gone",)
    assert '"gone": "x"' in desk.draft_text(draft)[1]
    assert "gone" not in desk.label_text(draft, by="mt", at="2031-05-04")[1]


def test_documents_are_named_by_name_or_the_start_of_their_hash(folder):
    add(folder, "two", name="second", fields={})
    desk = LabelDesk.open(folder)
    assert desk.draft("second").name == "second"
    assert desk.draft(sha("two")[:6]).name == "second"
    assert desk.draft(f"{sha('two')}.txt").name == "second"
    assert desk.label("first").doc == f"{sha('one')}.txt"
    with pytest.raises(RefusedError, match="evals golden correct"):
        desk.draft("first")
    start = sha("two")[:8]
    command = f"second is not labelled yet: evals golden label {start} --set {folder.name}"
    with pytest.raises(RefusedError, match=f"^{command}$"):
        desk.label("second")
    with pytest.raises(InputError, match="no such document"):
        desk.label("third")
    with pytest.raises(InputError, match='Did you mean "second"'):
        desk.draft("secnod")
    with pytest.raises(InputError, match="no such document"):
        desk.draft(sha("two")[:3])
    add(folder, "three", name="second", fields={})
    with pytest.raises(InputError, match="several documents"):
        desk.draft("second")


def test_a_correction_keeps_what_was_who_when_and_why(folder):
    desk = LabelDesk.open(folder)
    label = desk.label("first")
    for new, reason in (("5.00", "overlooked"), ("6.00", "misread")):
        text = desk.corrected(label, "total", new, by="xy", at="2031-06-01", reason=f" {reason} ")
        label.path.write_text(text, encoding="utf-8")
        label = desk.label("first")
    (document,) = load_golden_set(folder).documents
    assert document.labels["total"] == ("6.00",)
    assert [(c.old, c.new, c.reason, c.by, c.at) for c in document.corrections] == [
        (None, "5.00", "overlooked", "xy", "2031-06-01"),
        ("5.00", "6.00", "misread", "xy", "2031-06-01"),
    ]


@pytest.mark.parametrize(
    ("field", "value", "reason", "problem"),
    [
        ("totl", "1", "x", "no such field"),
        ("total", None, "x", "labelled so already"),
        ("total", "1", "  ", "no reason"),
        ("total", "", "x", "blank"),
        ("number", 7, "x", "must be text"),
    ],
)
def test_a_correction_that_changes_nothing_or_breaks_the_label_is_refused(
    field, value, reason, problem, folder
):
    desk = LabelDesk.open(folder)
    label = desk.label("first")
    faults = faults_of(
        lambda: desk.corrected(label, field, value, by="xy", at="2031-06-01", reason=reason)
    )
    assert problem in str(faults[0])


def test_a_faulty_label_keeps_no_other_from_being_labelled(folder):
    (folder / "labels" / f"{'0' * 64}.json").write_text("{", encoding="utf-8")
    add(folder, "two", name="second", fields={})
    assert [draft.name for draft in LabelDesk.open(folder).to_label()] == ["second"]


def test_a_faulty_draft_is_told_by_its_file(folder):
    add(folder, "two", name="second", fields={}, lokale="de_DE")
    with pytest.raises(InputError, match=r"drafts/.*lokale.*locale"):
        LabelDesk.open(folder).to_label()

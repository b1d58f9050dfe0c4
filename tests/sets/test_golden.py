import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from evals_pipeline.core.records import GoldenSet, SourceConvention, Tolerance
from evals_pipeline.sets.golden import discover_golden_sets, load_golden_set
from tests.sets.builders import Project, faults_of, sha

SCHEMA = """set: slips
source_type: SLIP
locale: en-GB
currency: GBP
prompt: prompt.md
sources:
  nord: {locale: nb_NO, currency: NOK, formats: ["%d.%m.%Y"]}
  plain: {}
fields:
  number: {kind: identifier, weight: 2.5}
  issued: {kind: date, formats: ["%d/%m/%y"], pivot: 1990, tolerance: 2 docs}
  amount: {kind: money, tolerance: 0.025}
  payer: {kind: text, threshold: 0.9, description: Who pays}
  paid: {kind: boolean, values: {"true": [paid, NO-ONE], "false": [open]}}
  terms: {kind: enum, values: [net, cash]}
  marks: {kind: list, ordered: true, item: {kind: identifier}}
  rows: {kind: table, key: [what], columns: {what: {kind: text}, price: {kind: money}}}
gate: {tolerance: 1 docs, max_errors: 2, disagreement: 0.2, calibration_tolerance: 0.01}
"""
FIELDS = {
    "number": "K-1",
    "issued": "2031-05-04",
    "amount": "12.50",
    "payer": None,
    "paid": True,
    "terms": {"any": ["net", None]},
    "marks": ["A", "B"],
    "rows": [{"what": "rope", "price": "12.50"}, {"what": "tar", "price": None}],
}


@pytest.fixture
def folder(project: Project) -> Path:
    folder = project.golden_set(SCHEMA)
    (folder / "prompt.md").write_text("Read.", encoding="utf-8")
    return folder


def problems(folder: Path) -> str:
    return "\n".join(str(fault) for fault in faults_of(lambda: load_golden_set(folder)))


def test_a_schema_is_read_whole(project: Project, folder: Path):
    found = load_golden_set(folder, name="slips")
    assert found.convention == SourceConvention(locale="en_GB", currency="GBP")
    by_name = {spec.name: spec for spec in found.fields}
    assert [*by_name] == [*FIELDS]
    assert by_name["number"].weight == Decimal("2.5")
    assert by_name["issued"].tolerance == Tolerance(documents=2)
    assert (by_name["issued"].formats, by_name["issued"].pivot) == (("%d/%m/%y",), 1990)
    assert by_name["amount"].tolerance == Tolerance(fraction=Fraction(1, 40))
    assert (by_name["payer"].threshold, by_name["payer"].description) == (0.9, "Who pays")
    assert by_name["paid"].values == {"true": ("paid", "NO-ONE"), "false": ("open",)}
    assert by_name["terms"].values == {"net": (), "cash": ()}
    assert by_name["marks"].item.kind == "identifier"
    assert [column.name for column in by_name["rows"].columns] == ["what", "price"]
    assert found.gate.tolerance == Tolerance(documents=1)
    assert (found.gate.max_errors, found.gate.disagreement) == (2, Fraction(1, 5))
    assert found.gate.calibration_tolerance == Fraction(1, 100)
    assert found.prompt_path == folder / "prompt.md"
    assert (found.documents, found.warnings) == ((), ())


def test_labels_become_readings(project: Project, folder: Path):
    project.label(folder, FIELDS, name="k-one", tags=["fax"], source="nord")
    [document] = load_golden_set(folder).documents
    assert (document.fixture.name, document.fixture.sha256) == ("k-one", sha("slip"))
    assert document.fixture.media_type == "text/plain"
    assert document.labels["payer"] == (None,)
    assert document.labels["terms"] == ("net", None)
    assert document.labels["rows"] == (FIELDS["rows"],)
    assert document.convention == SourceConvention(
        locale="nb_NO", currency="NOK", formats=("%d.%m.%Y",)
    )
    assert (document.labelled_by, document.labelled_at) == ("mt", "2031-05-04")


def test_a_document_states_more_than_its_source_and_its_source_more_than_the_set(
    project: Project, folder: Path
):
    project.label(folder, FIELDS, content="a", source="nord", locale="sv-SE")
    project.label(folder, FIELDS, content="b", source="plain", formats=["%Y/%m/%d"])
    found = {d.fixture.sha256: d.convention for d in load_golden_set(folder).documents}
    assert found[sha("a")].locale == "sv_SE"
    assert found[sha("a")].currency == "NOK"
    assert found[sha("b")] == SourceConvention(
        locale="en_GB", currency="GBP", formats=("%Y/%m/%d",)
    )


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("issued", "  ", "fields.issued: blank"),
        ("issued", 20310504, "fields.issued: must be text"),
        ("number", 7, "fields.number: must be text"),
        ("amount", True, "fields.amount: true or false"),
        ("amount", ["1"], "fields.amount: a single value"),
        ("amount", {"value": "1"}, "fields.amount: a single value"),
        ("paid", 1.5, "fields.paid: must be true or false"),
        ("terms", {"any": []}, "fields.terms: alternatives"),
        ("terms", {"any": ["net"], "note": "x"}, "fields.terms: alternatives"),
        ("terms", {"any": ["net", ""]}, "fields.terms.any[1]: blank"),
        ("marks", "A", "fields.marks: a list is expected"),
        ("marks", ["A", None], "fields.marks[1]: an item of a list cannot be null"),
        ("marks", ["A", 5], "fields.marks[1]: must be text"),
        ("rows", {"what": "rope"}, "fields.rows: a list of rows"),
        ("rows", [{"what": "rope"}], "fields.rows[0].price: not labelled"),
        ("rows", [{"what": "rope", "price": "1", "tax": "1"}], "fields.rows[0].tax: no such field"),
        ("rows", ["rope"], "fields.rows[0]: a row is expected"),
    ],
)
def test_values_that_would_mean_something_else_are_refused(
    project: Project, folder: Path, field: str, value: object, problem: str
):
    project.label(folder, FIELDS | {field: value})
    assert problem in problems(folder)


def test_a_field_left_out_is_not_labelled(project: Project, folder: Path):
    fields = {name: value for name, value in FIELDS.items() if name not in ("payer", "rows")}
    project.label(folder, fields | {"payr": None})
    lines = problems(folder).splitlines()
    assert len(lines) == 3
    remedy = f'Add it, or run "evals golden label {sha("slip")[:8]}".'
    assert f"fields.payer: not labelled; expected a value or null. {remedy}" in lines[0]
    assert 'fields.payr: no such field. Did you mean "payer"?' in lines[2]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"labelled_by": None}, "labelled_by: is empty"),
        ({"labelled_at": "soon"}, "labelled_at: must be an ISO 8601"),
        ({"locale": "en_QQ"}, "locale: no such locale"),
        ({"currency": "Gbp"}, 'Did you mean "GBP"?'),
        ({"source": "nrod"}, 'Did you mean "nord"?'),
        ({"tag": ["x"]}, 'tag: unknown key. Did you mean "tags"?'),
        ({"doc": "../slip.txt"}, "doc: must be of the form"),
        ({"doc": f"{'0' * 64}.txt"}, "does not exist"),
        ({"corrections": [{"field": "payer"}]}, "corrections[0].from: missing"),
    ],
)
def test_the_rest_of_a_label_is_strict_too(
    project: Project, folder: Path, more: dict[str, object], problem: str
):
    project.label(folder, FIELDS, **more)
    assert problem in problems(folder)


def correction(**changes: object) -> dict[str, object]:
    made = {"field": "amount", "from": "1.00", "to": "12.50", "by": "rk", "at": "2031-06-01"}
    return made | {"reason": "misread"} | changes


def test_corrections_keep_what_was(project: Project, folder: Path):
    first = correction(to="9.00")
    project.label(folder, FIELDS, corrections=[first, correction(**{"from": "9.00"})])
    [document] = load_golden_set(folder).documents
    assert [(c.old, c.new, c.by) for c in document.corrections] == [
        ("1.00", "9.00", "rk"),
        ("9.00", "12.50", "rk"),
    ]


def test_a_label_that_moved_on_without_a_correction_is_refused(project: Project, folder: Path):
    project.label(folder, FIELDS, corrections=[correction(to="9.00"), correction(field="amont")])
    assert "is not what its last correction made it" in problems(folder)
    assert 'no such field. Did you mean "amount"?' in problems(folder)


def test_documents_are_frozen_by_content(project: Project, folder: Path):
    project.label(folder, FIELDS)
    document = folder / "documents" / f"{sha('slip')}.txt"
    document.write_bytes(b"slap")
    assert f"the bytes have changed: SHA-256 is {sha('slap')}" in problems(folder)
    assert len(load_golden_set(folder, verify_documents=False).documents) == 1
    document.unlink()
    assert "does not exist" in problems(folder)


def test_a_document_that_leads_out_of_the_set_is_refused(project: Project, folder: Path):
    project.label(folder, FIELDS)
    document = folder / "documents" / f"{sha('slip')}.txt"
    outside = project.root / "outside.txt"
    document.rename(outside)
    document.symlink_to(outside)
    assert "leads out of its folder" in problems(folder)


def test_a_label_that_leads_out_of_the_set_is_refused(project: Project, folder: Path):
    label = project.label(folder, FIELDS)
    outside = project.root / "outside.json"
    label.rename(outside)
    label.symlink_to(outside)
    assert "leads out of the set's folder" in problems(folder)


def test_a_label_under_another_name_is_refused(project: Project, folder: Path):
    path = project.label(folder, FIELDS)
    path.rename(path.with_name("0a.json"))
    assert f"Name it {sha('slip')}.json." in problems(folder)


def test_labels_are_strict_json(project: Project, folder: Path):
    path = project.label(folder, FIELDS)
    path.write_text(path.read_text(encoding="utf-8").replace('"payer"', '"amount"'), "utf-8")
    assert "duplicate key 'amount'" in problems(folder)


def test_faults_of_all_labels_come_at_once(project: Project, folder: Path):
    project.label(folder, FIELDS | {"issued": ""}, content="a")
    project.label(folder, FIELDS, content="b")
    project.label(folder, {}, content="c")
    lines = problems(folder).splitlines()
    assert len(lines) == 1 + len(FIELDS)


def test_what_does_not_stop_a_set_is_told(project: Project):
    folder = project.golden_set("set: slips\nsource_type: X\nfields: {a: {kind: text}}\n")
    project.label(folder, {"a": "x"}, content="1", name="twin")
    project.label(folder, {"a": "x"}, content="2", name="twin")
    (folder / "documents" / f"{sha('3')}.txt").write_bytes(b"3")
    first, second, third = load_golden_set(folder).warnings
    assert "gate.tolerance is not stated; any drop fails" in first
    assert "has no label" in second
    assert "the name 'twin'" in third


def test_documents_without_labels_take_one_line_however_many_they_are(project: Project):
    folder = project.golden_set(
        "set: slips\nsource_type: X\nfields: {a: {kind: text}}\ngate: {tolerance: 1 docs}\n"
    )
    project.label(folder, {"a": "x"}, content="labelled")
    for content in "vwxyz":
        (folder / "documents" / f"{sha(content)}.txt").write_bytes(content.encode())
    (line,) = load_golden_set(folder).warnings
    first = min(sha(content) for content in "vwxyz")
    assert "5 documents have no label" in line
    assert first[:12] in line
    assert line.endswith("and 2 more")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("kind: money,", "kind: mony,", 'Did you mean "money"?'),
        ("threshold: 0.9", "threshold: 0", "must be above 0"),
        ("threshold: 0.9", "threshold: 1.5", "must be 1 or less"),
        ("threshold: 0.9", "treshold: 0.9", 'Did you mean "threshold"?'),
        ("tolerance: 0.025", "tolerance: -0.02", "cannot be read as a tolerance"),
        ("tolerance: 0.025", "tolerance: nan", "cannot be read as a tolerance"),
        ("tolerance: 0.025", "tolerance: 1", "cannot be read as a tolerance"),
        ("tolerance: 0.025", "tolerance: 2%", "cannot be read as a tolerance"),
        ("tolerance: 1 docs", "tolerance: some docs", "gate.tolerance: cannot be read"),
        ("weight: 2.5", "weight: -1", "must be 0 or more"),
        ("pivot: 1990, ", "", "state pivot"),
        ('"%d/%m/%y"', '"%d/%q/%Y"', "no date format"),
        ('"%d/%m/%y"', '"%d %d %Y"', "stands twice"),
        ('"%d/%m/%y"', "DD/MM/YYYY", "reads no year"),
        ("kind: money,", "kind: money, threshold: 0.5,", "threshold is not for kind money"),
        (
            "{kind: identifier}}",
            "{kind: table, columns: {x: {kind: text}}}}",
            "an item cannot be a table",
        ),
        ("values: [net, cash]", "ordered: true", "an enum states its members"),
        ("values: [net, cash]", "values: {net: [Cash], cash: []}", "'cash' stands for both"),
        ('"false": [open]', "unpaid: [open]", "the values of a boolean"),
        ("key: [what]", "key: [waht]", "key 'waht' is no column"),
        ("what: {kind: text}", "what: {kind: text, weight: 2}", "unknown key"),
        ("{kind: text}", "{kind: table, columns: {x: {kind: text}}}", "cannot be a table"),
        (", columns: {what: {kind: text}, price: {kind: money}}", "", "columns is missing"),
        ("  number:", "  no/good:", "fields.no/good"),
        ("locale: en-GB", "locale: english", "no such locale"),
        ("currency: GBP", "currency: POUND", "no such currency"),
        ("set: slips", "set: sl/ips", "set: must be of the form"),
        ("prompt: prompt.md", "prompt: ../prompt.md", "leads out of the set's folder"),
        ("max_errors: 2", "max_errors: -1", "must be 0 or more"),
        ("disagreement: 0.2", "disagreement: 0", "must be above 0"),
        ("gate:", "gates:", 'Did you mean "gate"?'),
    ],
)
def test_what_cannot_be_compared_is_refused_with_its_line(
    project: Project, old: str, new: str, problem: str
):
    assert old in SCHEMA
    folder = project.golden_set(SCHEMA.replace(old, new, 1))
    faults = faults_of(lambda: load_golden_set(folder))
    assert problem in "\n".join(str(fault) for fault in faults)
    assert all(fault.line is not None for fault in faults)


def test_a_set_without_fields_is_refused(project: Project):
    folder = project.golden_set("set: slips\nsource_type: X\nfields: {}\n")
    assert "fields: is empty" in problems(folder)
    assert "cannot be read" in problems(folder.parent / "none")


def test_the_name_is_that_of_the_folder_where_one_is_asked_for(project: Project, folder: Path):
    assert discover_golden_sets(project.golden) == {"slips": folder}
    assert discover_golden_sets(project.root / "none") == {}
    [fault] = faults_of(lambda: load_golden_set(folder, name="other"))
    assert "expected 'other'" in fault.problem


def load_with(project: Project, schema: str, **label: object) -> GoldenSet:
    folder = project.golden_set(schema)
    project.label(folder, FIELDS, **label)
    return load_golden_set(folder)


def test_digests_follow_what_they_cover(project: Project):
    first = load_with(project, SCHEMA)
    same = load_with(
        project, SCHEMA.replace("weight: 2.5", "weight: 9").replace("2 docs", "3 docs")
    )
    assert same.schema_digest == first.schema_digest
    other = load_with(project, SCHEMA.replace("threshold: 0.9", "threshold: 0.8"))
    assert other.schema_digest != first.schema_digest
    assert other.labels_digest == first.labels_digest
    relabelled = load_with(project, SCHEMA, locale="fr_FR")
    assert relabelled.labels_digest != first.labels_digest
    assert relabelled.corpus_digest == first.corpus_digest
    renamed = load_with(project, SCHEMA, name="other name", labelled_by="xx")
    assert renamed.labels_digest == first.labels_digest
    more = load_with(project, SCHEMA, content="more")
    assert more.corpus_digest != first.corpus_digest


def test_numbers_in_labels_keep_their_digits(project: Project, folder: Path):
    path = project.label(folder, FIELDS)
    text = path.read_text(encoding="utf-8").replace('"amount": "12.50"', '"amount": 12.50')
    path.write_text(text, encoding="utf-8")
    [document] = load_golden_set(folder).documents
    assert json.loads(text)["fields"]["amount"] == 12.5
    assert document.labels["amount"] == (Decimal("12.50"),)

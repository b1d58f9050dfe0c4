"""Validation at the command line: one round names everything, wherever the first fault stands."""

import json

import pytest

from tests.cli.golden_project import SET, SETTINGS, GoldenProject, start
from tests.sets.builders import sha

FIELDS = {
    "number": "R-1",
    "due": "2026-04-03",
    "supplier": "Kai",
    "total": "10.00",
    "lines": [{"what": "Paper", "amount": "4.00"}],
    "iban": None,
}


@pytest.fixture
def golden(tmp_path, monkeypatch) -> GoldenProject:
    return start(tmp_path, monkeypatch)


def label(golden: GoldenProject, content: str, fields: dict[str, object], **more: object) -> str:
    """A document with its label, one key a line; the label's place as messages show it."""
    name = sha(content)
    for folder in ("documents", "labels"):
        (golden.folder / folder).mkdir(exist_ok=True)
    (golden.folder / "documents" / f"{name}.txt").write_text(content, encoding="utf-8")
    stated = {
        "doc": f"{name}.txt",
        "labelled_by": "ada",
        "labelled_at": "2026-07-02",
        "fields": fields,
    } | more
    path = golden.folder / "labels" / f"{name}.json"
    path.write_text(json.dumps(stated, indent=1), encoding="utf-8")
    return f"golden/bills/labels/{name}.json"


def faults(evals, *place: str) -> list[tuple[str, int | None, str]]:
    said = evals("validate", "--format", "json", *place)
    assert said.status == 2, said.err
    return [(one["where"], one["line"], one["problem"]) for one in json.loads(said.out)["faults"]]


@pytest.mark.parametrize("place", [(), ("bills",), ("golden",)])
def test_a_label_that_nobody_can_read_is_a_fault(golden, evals, place):
    where = label(golden, "a", FIELDS | {"due": "03/04/26"})
    assert evals("golden", "verify", "bills").status == 2
    [(at, line, problem)] = [one for one in faults(evals, *place) if "labels/" in one[0]]
    # Line 1 is the bracket; doc, labelled_by, labelled_at, fields and number stand before it.
    assert (at, line) == (where, 7)
    assert problem.startswith("due: ")


def test_a_value_inside_a_label_is_found_on_its_line(golden, evals):
    rows = [{"what": "Paper", "amount": "4.00"}, {"what": "Ink", "amount": "four"}]
    where = label(golden, "a", FIELDS | {"lines": rows, "due": {"any": ["2026-04-03", "soon"]}})
    told = {problem.partition(":")[0]: line for at, line, problem in faults(evals) if at == where}
    text = (golden.root / where).read_text(encoding="utf-8").splitlines()
    assert {place: text[line - 1].split()[-1] for place, line in told.items()} == {
        "due": '"soon"',
        "lines, row 2, amount": '"four"',
    }


def test_one_round_names_the_faults_of_settings_set_and_labels(golden, evals):
    settings = SETTINGS.replace("runs = 1", "runs = 0\nconfirm_limt = 3")
    (golden.root / "pyproject.toml").write_text(settings, encoding="utf-8")
    schema = SET.replace("{kind: money}\n  lines", "{kind: mony}\n  lines") + "gate: {x: 1}\n"
    (golden.folder / "set.yaml").write_text(schema + "prompt: gone.md\n", encoding="utf-8")
    lacking = {name: value for name, value in FIELDS.items() if name != "iban"}
    where = [
        label(golden, "a", FIELDS | {"due": "soon"}),
        label(golden, "b", lacking | {"ibn": None}),
        label(golden, "c", FIELDS, labelled_at="yesterday"),
        label(golden, "d", FIELDS | {"total": 1}),
    ]
    (golden.folder / "documents" / f"{sha('d')}.txt").write_text("edited", encoding="utf-8")
    found = faults(evals)
    lines: dict[str, list[int | None]] = {}
    for at, line, _ in found:
        lines.setdefault(at, []).append(line)
    assert sorted(lines) == sorted(
        ["pyproject.toml", "golden/bills/set.yaml", "golden/bills/gone.md", *where]
    )
    assert [len(lines[at]) for at in ("pyproject.toml", "golden/bills/set.yaml")] == [2, 2]
    assert [len(lines[at]) for at in where] == [1, 2, 1, 1]
    assert all(line is not None for at in where for line in lines[at])
    # A field whose kind is faulty is no reason to call its labels wrong.
    assert "total" not in " ".join(problem for at, _, problem in found if at in where)
    assert faults(evals, "bills")[:2] == found[:2]


def test_a_set_file_that_is_no_yaml_hides_no_document(golden, evals):
    label(golden, "a", FIELDS)
    (golden.folder / "documents" / f"{sha('a')}.txt").write_text("edited", encoding="utf-8")
    (golden.folder / "set.yaml").write_text("set: [", encoding="utf-8")
    problems = [problem for _, _, problem in faults(evals)]
    assert len(problems) == 2
    assert "not YAML" in problems[0]
    assert "SHA-256" in problems[1]


def test_a_label_hides_no_fault_of_the_prompt(golden, evals):
    model = '\n[tool.evals.models.m]\nprovider = "openai"\nmodel = "m-1"\n'
    (golden.root / "pyproject.toml").write_text(SETTINGS + model, encoding="utf-8")
    (golden.folder / "set.yaml").write_text(SET + "prompt: prompt.md\n", encoding="utf-8")
    (golden.folder / "prompt.md").write_text("no head", encoding="utf-8")
    label(golden, "a", {})
    places = {at for at, _, _ in faults(evals)}
    assert any(at.endswith("prompt.md") for at in places)
    assert any("labels/" in at for at in places)


def test_settings_that_are_no_toml_hide_no_set(golden, evals):
    (golden.root / "pyproject.toml").write_text("[tool.evals]\nruns = \n", encoding="utf-8")
    where = label(golden, "a", {})
    places = [at for at, _, _ in faults(evals)]
    assert places[0] == "pyproject.toml"
    assert places.count(where) == len(FIELDS)


def test_a_variable_and_a_key_that_are_no_settings_hide_nothing(golden, evals, monkeypatch):
    monkeypatch.setenv("EVALS_RUNZ", "3")
    where = label(golden, "a", {})
    told = faults(evals)
    assert "EVALS_RUNZ" in told[0][2]
    model = '\n[tool.evals.models."a b"]\nprovider = "code"\n'
    settings = SETTINGS.replace("runs = 1", "runs = 0") + model
    (golden.root / "pyproject.toml").write_text(settings, encoding="utf-8")
    found = faults(evals)
    own = [problem for at, _, problem in found if at == "pyproject.toml"]
    assert ["a b" in own[0], "EVALS_RUNZ" in own[1], "runs" in own[2]] == [True] * 3
    assert [at for at, _, _ in found].count(where) == len(FIELDS)

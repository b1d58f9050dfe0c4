"""Adding, correcting, verifying and masking from the command line."""

import json
import os
import shlex

import pytest

from tests.cli.golden_project import ANSWERS, LETTER, GoldenProject, start
from tests.sets.builders import sha
from tests.sets.pdfs import make_pdf
from tests.sets.redacting import EMAIL, IBAN

SECRETS = (b"Ada Hope", b"7730 41", EMAIL.encode(), b"496 0117")


@pytest.fixture
def golden(tmp_path, monkeypatch) -> GoldenProject:
    return start(tmp_path, monkeypatch)


@pytest.fixture
def labelled(golden, evals, tmp_path) -> GoldenProject:
    """The project with the letter in it, labelled."""
    golden.put("kai-03.txt")
    assert evals("golden", "add", "../inbox/kai-03.txt", "--mask", "Ada Hope").status == 0
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(ANSWERS), encoding="utf-8")
    assert evals("golden", "label", "kai-03", "--answers", str(answers)).status == 0
    return golden


def test_documents_come_in_masked_with_a_report_and_no_secret(golden, evals):
    golden.put("kai-03.txt")
    golden.put("kai-04.pdf", make_pdf(LETTER.splitlines()))
    files = ("../inbox/kai-03.txt", "../inbox/kai-04.pdf")
    called = evals("golden", "add", *files, "--set", "bills", "--mask", "Ada Hope", "--tag", "fax")
    assert called.status == 0, called.err
    assert "masked: EMAIL 1, IBAN 1, NAME 1, PHONE 1" in called.out
    assert "next: evals golden label" in called.err
    assert ".key" in called.err
    for secret in SECRETS:
        assert secret not in golden.everything()
        assert secret.decode() not in called.out + called.err
    assert [path.suffix for path in golden.files("documents")].count(".pdf") == 1
    drafts = [json.loads(path.read_text(encoding="utf-8")) for path in golden.files("drafts")]
    assert {draft["name"] for draft in drafts} == {"kai-03", "kai-04"}
    assert {draft["added_by"] for draft in drafts} == {"Ada Quill"}
    assert all(draft["tags"] == ["fax"] for draft in drafts)
    assert evals("validate", "golden/bills").status == 0


@pytest.mark.parametrize("name", ["na me 😀", "it's $HOME", "-x"])
def test_the_command_that_is_told_next_can_be_pasted(golden, evals, name):
    golden.put(f"{name}.txt")
    told = evals("golden", "add", f"../inbox/{name}.txt").err
    (line,) = (line for line in told.splitlines() if line.startswith("next: evals "))
    command = shlex.split(line.removeprefix("next: evals "))
    assert command[-2:] == ["--set", "bills"]
    assert len(command) == 5
    labelling = evals(*command)
    assert f"── {name}  " in labelling.out + labelling.err


def test_the_same_document_comes_in_once_and_names_stay_apart(golden, evals):
    golden.put("kai.txt")
    evals("golden", "add", "../inbox/kai.txt")
    again = evals("golden", "add", "../inbox/kai.txt")
    assert "in the set already" in again.out
    golden.put("kai.txt", LETTER.replace("R-88213", "R-88214"))
    other = evals("golden", "add", "../inbox/kai.txt", "--format", "json")
    (document,) = json.loads(other.out)["documents"]
    assert (document["name"], document["is_new"]) == ("kai-2", True)
    assert document["masked"] == {"EMAIL": 1, "IBAN": 1, "PHONE": 1}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("photo.png", b"\x89PNG\r\n\x1a\n", "--already-masked"),
        ("scan.pdf", make_pdf((), picture=True), "no text that can be read"),
        ("words.json", json.dumps([{"t": part} for part in IBAN.split()]), "second look"),
        ("locked.pdf", b"%PDF-1.4 x", "cannot be opened"),
    ],
)
def test_when_one_file_is_refused_nothing_is_written(name, content, reason, golden, evals):
    before = golden.everything()
    golden.put("kai.txt")
    golden.put(name, content)
    called = evals("golden", "add", "../inbox/kai.txt", f"../inbox/{name}", "--mask", "Ada Hope")
    assert called.status == 2
    assert reason in called.err
    assert golden.everything() == before
    assert golden.files("documents") == []


def test_a_declared_document_is_stored_and_who_declared_it(golden, evals):
    golden.put("invented.txt")
    called = evals("golden", "add", "../inbox/invented.txt", "--already-masked", "--by", "mt")
    assert "left in it: EMAIL 1, IBAN 1, PHONE 1" in called.out
    assert IBAN.encode() in golden.everything()
    (line,) = (golden.folder / "redaction.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["by"] == "mt"


def test_what_is_asked_for_in_vain_is_told(golden, evals):
    golden.put("kai.txt")
    called = evals(
        "golden", "add", "../inbox/kai.txt", "--mask", "Ada Hope", "--mask", "Bo", "--keep", "Cy"
    )
    assert "--mask text number 2 stands in none" in called.err
    assert "--keep text number 1 stands in none" in called.err
    assert "Bo" not in called.err


def test_a_list_of_terms_stays_out_of_the_repository(golden, evals):
    golden.put("kai.txt")
    golden.put("names.txt", "# customers\nAda Hope\n")
    inside = golden.root / "names.txt"
    inside.write_text("Ada Hope\n", encoding="utf-8")
    refused = evals("golden", "add", "../inbox/kai.txt", "--mask-list", "names.txt")
    assert refused.status == 2
    assert "lies in the repository" in refused.err
    (golden.root / ".gitignore").write_text("names.txt\n", encoding="utf-8")
    assert evals("golden", "add", "../inbox/kai.txt", "--mask-list", "names.txt").status == 0
    inside.unlink()
    assert b"Ada Hope" not in golden.everything()


def test_an_original_inside_the_repository_is_warned_of(golden, evals):
    (golden.root / "kai.txt").write_text(LETTER, encoding="utf-8")
    called = evals("golden", "add", "kai.txt")
    assert "lies in the repository, not masked" in called.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--locale", "xx_YY"), "no such locale"),
        (("--set", "bils"), 'Did you mean "bills"'),
        (("--mask", "A"), "fewer than two"),
        (("--by", " "), None),
    ],
)
def test_faulty_options_are_told_before_anything_is_read(arguments, reason, golden, evals):
    golden.put("kai.txt")
    called = evals("golden", "add", "../inbox/kai.txt", *arguments)
    assert called.status == (0 if reason is None else 2)
    assert reason is None or reason in called.err
    assert (golden.files("documents") == []) is (reason is not None)


def test_nobody_labels_without_a_name(golden, evals, monkeypatch):
    golden.put("kai.txt")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    called = evals("golden", "add", "../inbox/kai.txt")
    assert called.status == 2
    assert "git config user.name" in called.err


def test_a_correction_keeps_what_was(labelled, evals):
    called = evals("golden", "correct", "kai-03", "due", "4. April 2026", "--reason", f"pay {IBAN}")
    assert called.status == 0, called.err
    assert "kai-03 · due: 2026-04-03 → 2026-04-04" in called.out
    assert "does not stand in the document" in called.err
    label = labelled.label()
    assert label["fields"]["due"] == "2026-04-04"
    (correction,) = label["corrections"]
    assert (correction["from"], correction["to"]) == ("2026-04-03", "2026-04-04")
    assert correction["by"] == "Ada Quill"
    assert correction["reason"] == "pay [IBAN-1]"
    assert evals("validate", "golden/bills").status == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("kai-03", "du", "x", "--reason", "y"), 'Did you mean "due"'),
        (("kai-03", "due", "3.4.26", "--reason", "y"), "two digits"),
        (("kai-03", "total", "4.820", "--reason", "y"), "reads in two ways"),
        (("kai-03", "total", "4820.00", "--reason", "y"), "labelled so already"),
        (("kay-03", "total", "1.00", "--reason", "y"), 'Did you mean "kai-03"'),
        (("kai-03", "lines", "[{}]", "--json", "--reason", "y"), "expected the columns"),
    ],
)
def test_a_faulty_correction_changes_nothing(arguments, reason, labelled, evals):
    before = labelled.everything()
    called = evals("golden", "correct", *arguments)
    assert called.status == 2
    assert reason in called.err
    assert labelled.everything() == before


def test_tables_are_corrected_as_json(labelled, evals):
    rows = '[{"what": "A4-Papier", "amount": "54,00"}]'
    called = evals("golden", "correct", "kai-03", "lines", rows, "--json", "--reason", "one line")
    assert called.status == 0, called.err
    assert labelled.label()["fields"]["lines"] == [{"what": "A4-Papier", "amount": "54.00"}]


def test_verify_counts_and_finds_values_that_stand_nowhere(labelled, evals):
    clean = json.loads(evals("golden", "verify", "--format", "json").out)["sets"][0]
    assert (clean["labelled"], clean["found"], clean["not_found"], clean["faults"]) == (
        1,
        5,
        [],
        [],
    )
    evals("golden", "correct", "kai-03", "total", "4821.00", "--reason", "x")
    labelled.put("next.txt", LETTER.replace("R-88213", "R-2"))
    evals("golden", "add", "../inbox/next.txt")
    called = evals("golden", "verify", "bills")
    assert called.status == 0
    assert evals("golden", "verify", "--set", "bills").out == called.out
    assert evals("golden", "verify", "bills", "--set", "bills").out == called.out
    assert evals("golden", "verify", "--set", "bils").status == 2
    assert "total: 4821.00" in called.out
    assert "6 fields not labelled" in called.out


def test_verify_tells_unreadable_values_and_changed_documents(labelled, evals):
    (path,) = labelled.files("labels")
    label = json.loads(path.read_text(encoding="utf-8"))
    label["fields"]["due"] = "soon"
    label["fields"]["lines"][1]["amount"] = "much"
    path.write_text(json.dumps(label), encoding="utf-8")
    called = evals("golden", "verify")
    assert called.status == 2
    assert ": due:" in called.out
    assert "lines, row 2, amount" in called.out
    (document,) = labelled.files("documents")
    document.write_text("edited", encoding="utf-8")
    assert "the bytes have changed" in evals("golden", "verify").out


def test_redact_says_what_would_be_masked_and_masks_it(labelled, evals):
    assert evals("golden", "redact").status == 0
    found = evals("golden", "redact", "bills", "--mask", "Papierhaus Kai GmbH")
    assert found.status == 2
    assert "NAME 1" in found.out
    assert "Papierhaus" not in found.out + found.err
    written = evals("golden", "redact", "--mask", "Papierhaus Kai GmbH", "--write")
    assert written.status == 0, written.err
    assert b"Papierhaus" not in labelled.everything()
    label = labelled.label()
    (document,) = labelled.files("documents")
    assert label["doc"] == document.name
    assert label["fields"]["supplier"] == "[NAME-2]"
    assert label["labelled_by"] == "Ada Quill"
    assert evals("validate", "golden/bills").status == 0
    assert evals("golden", "redact", "--mask", "Papierhaus Kai GmbH").status == 0
    after = evals("golden", "verify", "--format", "json")
    assert json.loads(after.out)["sets"][0]["not_found"] == []


def test_redact_expects_nothing_of_declared_documents(golden, evals):
    golden.put("invented.txt")
    evals("golden", "add", "../inbox/invented.txt", "--already-masked")
    called = evals("golden", "redact", "--format", "json")
    assert called.status == 0
    (look,) = json.loads(called.out)["sets"][0]["documents"]
    assert look["already_masked"] is True
    assert look["masked"] == {"EMAIL": 1, "IBAN": 1, "PHONE": 1}


def test_a_set_of_invented_documents_is_declared_at_once(golden, evals):
    (golden.folder / "documents").mkdir()
    content = LETTER.encode()
    (golden.folder / "documents" / f"{sha(content)}.txt").write_bytes(content)
    assert evals("golden", "redact").status == 2
    declared = evals("golden", "redact", "bills", "--already-masked", "--by", "mt")
    assert declared.status == 0, declared.err
    assert "1 declared" in declared.out
    assert evals("golden", "redact").status == 0
    assert golden.files("documents")[0].read_bytes() == content
    assert evals("golden", "redact", "--already-masked", "--write").status == 2


def test_of_several_sets_the_one_with_the_document_is_meant(labelled, evals):
    evals("golden", "new", "notes", "--source-type", "NOTE", "--field", "number:text")
    correct = ("golden", "correct", "kai-03", "number", "R-9", "--reason", "x")
    assert evals(*correct).status == 0
    unknown = evals("golden", "label", "kay-03")
    assert unknown.status == 2
    assert 'Did you mean "kai-03"' in unknown.err
    nobody = evals("golden", "label")
    assert nobody.status == 2
    assert "Say which, by --set" in nobody.err
    labelled.put("kai-03.txt")
    evals("golden", "add", "../inbox/kai-03.txt", "--set", "notes")
    both = evals("golden", "correct", "kai-03", "number", "R-8", "--reason", "x")
    assert both.status == 2
    assert "is in bills and notes" in both.err


def test_the_key_is_handed_on_in_a_variable(labelled, evals, tmp_path, monkeypatch):
    (key,) = (tmp_path / "config" / "evals-pipeline" / "redaction").iterdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    labelled.put("next.txt", LETTER.replace("R-88213", "R-2"))
    refused = evals("golden", "add", "../inbox/next.txt")
    assert refused.status == 2
    assert str(key.name) in refused.err
    # Correcting needs no key where nothing has to be masked.
    assert evals("golden", "correct", "kai-03", "total", "5,00", "--reason", "x").status == 0
    monkeypatch.setenv("EVALS_REDACTION_KEY", key.read_text(encoding="ascii"))
    assert evals("golden", "add", "../inbox/next.txt").status == 0
    assert b"Ada Hope" not in labelled.everything()


def test_a_set_is_started_from_options(golden, evals):
    called = evals(
        "golden", "new", "notes", "--source-type", "NOTE", "--field", "title", "--field", "due_date"
    )
    assert called.status == 0, called.err
    assert "kinds taken from the names: title text, due_date date" in called.err
    assert "evals golden add FILE… --set notes" in called.err
    assert evals("validate", "golden/notes").status == 0
    again = evals("golden", "new", "notes", "--source-type", "NOTE", "--field", "x:text")
    assert again.status == 2
    assert "exists already" in again.err
    nothing = evals("golden", "new", "empty")
    assert nothing.status == 2
    assert "--field NAME:KIND" in nothing.err

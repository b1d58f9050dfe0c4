import json

import pytest

from evals_pipeline.core.errors import InputError, SetupError
from evals_pipeline.sets.redaction.folding import bare
from evals_pipeline.sets.redaction.ledger import LEDGER_FILE, Ledger
from evals_pipeline.sets.redaction.passages import plain_passage
from tests.sets.redacting import IBAN, PHONE, ledger_in, masker_in, save


def mask(folder, text, *masks):
    masker = masker_in(folder, *masks)
    masked, _ = masker.mask(text, [plain_passage(text)])
    save(masker.ledger)
    return masked


def test_one_value_has_one_placeholder_in_all_documents_of_a_set(tmp_path):
    assert mask(tmp_path, f"{IBAN}, tel {PHONE}") == "[IBAN-1], tel [PHONE-1]"
    again = f"tel +44 161 496 0117 or 0161 496 0118, {IBAN.replace(' ', '')}"
    assert mask(tmp_path, again) == "tel [PHONE-1] or [PHONE-2], [IBAN-1]"


def test_a_name_given_once_is_masked_in_every_later_document(tmp_path):
    assert mask(tmp_path, "for Ada Hope", "Ada Hope") == "for [NAME-1]"
    assert mask(tmp_path, "ADA  HOPE and ada-\nhope") == "[NAME-1] and [NAME-1]"


def test_the_ledger_holds_no_value_and_no_digest_that_can_be_tried(tmp_path):
    mask(tmp_path, f"Ada Hope {IBAN} {PHONE}", "Ada Hope")
    text = (tmp_path / LEDGER_FILE).read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["kind"] for line in lines} == {"NAME", "IBAN", "PHONE"}
    for value in ("Ada", "Hope", "7730", "1614960117"):
        assert value not in text
    # Another set, and so another key, gives the same name another digest.
    other = tmp_path / "other"
    other.mkdir()
    mask(other, "Ada Hope", "Ada Hope")
    (line,) = (other / LEDGER_FILE).read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["mac"] not in text
    assert json.loads(line)["key"] != lines[0]["key"]


def test_the_key_lies_outside_of_the_set_and_for_its_owner_alone(tmp_path):
    mask(tmp_path, IBAN)
    (key,) = (tmp_path / "config" / "evals-pipeline" / "redaction").iterdir()
    assert key.stat().st_mode & 0o077 == 0
    assert key.read_text(encoding="ascii").strip() not in (tmp_path / LEDGER_FILE).read_text(
        encoding="utf-8"
    )


def test_without_the_key_nothing_is_masked_otherwise(tmp_path):
    mask(tmp_path, IBAN)
    elsewhere = {"XDG_CONFIG_HOME": str(tmp_path / "elsewhere")}
    ledger = Ledger.open(tmp_path, environ=elsewhere)
    assert not ledger.has_key()
    with pytest.raises(SetupError, match=r"--new-key") as caught:
        ledger.placeholder("IBAN", "X")
    assert ".key" in str(caught.value)
    (key,) = (tmp_path / "config" / "evals-pipeline" / "redaction").iterdir()
    stated = {**elsewhere, "EVALS_REDACTION_KEY": key.read_text(encoding="ascii")}
    handed_on = Ledger.open(tmp_path, environ=stated)
    assert handed_on.placeholder("IBAN", bare(IBAN).upper()) == "[IBAN-1]"
    with pytest.raises(SetupError, match="is no key"):
        Ledger.open(tmp_path / "x", environ={"EVALS_REDACTION_KEY": "abc"}).placeholder("A", "b")


def test_a_new_key_goes_on_counting(tmp_path):
    mask(tmp_path, IBAN)
    (tmp_path / "config").rename(tmp_path / "lost")
    ledger = ledger_in(tmp_path, new_key=True)
    assert ledger.placeholder("IBAN", bare(IBAN).upper()) == "[IBAN-2]"
    save(ledger)
    # With both keys at hand the later one goes on.
    assert ledger_in(tmp_path).placeholder("IBAN", bare(IBAN).upper()) == "[IBAN-2]"


def test_ledgers_of_two_branches_merge_by_keeping_all_lines(tmp_path):
    path = tmp_path / LEDGER_FILE
    mask(tmp_path, "[x]", "x y")
    mask(tmp_path, IBAN)
    base = path.read_text(encoding="utf-8")
    mask(tmp_path, f"tel {PHONE}")
    ours = path.read_text(encoding="utf-8").removeprefix(base)
    path.write_text(base, encoding="utf-8")
    mask(tmp_path, "tel 0161 496 0118")
    theirs = path.read_text(encoding="utf-8").removeprefix(base)
    path.write_text(base + ours + theirs, encoding="utf-8")
    assert mask(tmp_path, f"tel {PHONE} fax 0161 496 0119") == "tel [PHONE-1] fax [PHONE-2]"


def test_kept_texts_and_declared_documents_are_remembered(tmp_path):
    masker = masker_in(tmp_path, keeps=[PHONE])
    assert masker.mask(f"tel {PHONE}", [plain_passage(f"tel {PHONE}")])[0] == f"tel {PHONE}"
    masker.ledger.keep(bare(PHONE))
    masker.ledger.declare("ab" * 32, by="mt", at="2031-05-04")
    save(masker.ledger)
    assert mask(tmp_path, f"tel {PHONE} and {IBAN}") == f"tel {PHONE} and [IBAN-1]"
    assert ledger_in(tmp_path).declared() == {"ab" * 32}


def test_faulty_lines_are_told_all_at_once(tmp_path):
    path = tmp_path / LEDGER_FILE
    path.write_text('{"what": "placeholder", "kind": "iban"}\nx\n\n{"what": "more"}\n', "utf-8")
    with pytest.raises(InputError) as caught:
        ledger_in(tmp_path)
    assert [fault.where.split(":")[1] for fault in caught.value.faults] == ["1", "2", "4"]

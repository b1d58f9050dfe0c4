from pathlib import Path

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.ingest import (
    Incoming,
    count_unmasked,
    mask_incoming,
    read_incoming,
    store_documents,
)
from tests.sets.builders import faults_of, sha
from tests.sets.pdfs import make_pdf
from tests.sets.redacting import EMAIL, IBAN, masker_in, save

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\x00IEND\xaeB`\x82"


def incoming(content, name="letter.txt"):
    return Incoming(content=content.encode() if isinstance(content, str) else content, name=name)


def test_a_document_is_known_by_the_hash_of_its_masked_bytes(tmp_path):
    (document,) = mask_incoming([incoming(f"to {IBAN}\n")], masker=masker_in(tmp_path))
    assert document.content == b"to [IBAN-1]\n"
    assert document.doc == f"{sha(document.content)}.txt"
    assert document.text == "to [IBAN-1]\n"
    assert document.name == "letter"
    assert not document.is_declared


def test_a_file_name_is_masked_like_the_document(tmp_path):
    masker = masker_in(tmp_path, "Ada Hope")
    (document,) = mask_incoming([incoming("x", "bill_ada-hope_03.txt")], masker=masker)
    assert document.name == "bill_[NAME-1]_03"


@pytest.mark.parametrize(
    ("content", "name", "doc_type", "extension"),
    [
        (make_pdf(("hello",)), "scan.txt", "application/pdf", "pdf"),
        (b'{"a": 1}', "answer", "application/json", "json"),
        (b"a,b\n1,2\n", "table.CSV", "text/csv", "csv"),
        (b"<html><p>x</p></html>", "page.htm", "text/html", "htm"),
        (b"plain", "notes.weird", "text/plain", "txt"),
    ],
)
def test_a_document_is_what_its_bytes_are(content, name, doc_type, extension, tmp_path):
    (document,) = mask_incoming([incoming(content, name)], masker=masker_in(tmp_path))
    assert (document.media_type, document.doc.partition(".")[2]) == (doc_type, extension)


def test_what_cannot_be_masked_is_refused_all_at_once(tmp_path):
    documents = [
        incoming(PNG, "photo.png"),
        incoming(b"PK\x03\x04\x00", "book.xlsx"),
        incoming(make_pdf((), picture=True), "scan.pdf"),
        incoming("fine", "fine.txt"),
    ]
    faults = faults_of(lambda: mask_incoming(documents, masker=masker_in(tmp_path)))
    assert [fault.where for fault in faults] == ["photo.png", "book.xlsx", "scan.pdf"]
    assert "--already-masked" in faults[0].problem
    assert "cannot be rewritten" in faults[1].problem


def test_a_declared_document_is_stored_as_it_is_and_counted(tmp_path):
    masker = masker_in(tmp_path)
    photo, letter = mask_incoming(
        [incoming(PNG, "p.png"), incoming(f"mail {EMAIL}")], masker=masker, already_masked=True
    )
    assert photo.content == PNG
    assert photo.text is None
    assert letter.content == f"mail {EMAIL}".encode()
    assert letter.is_declared
    assert letter.report.masked == {"EMAIL": 1}
    assert masker.ledger.text() is None


def test_what_the_set_has_masked_before_is_not_declared_away(tmp_path):
    masker = masker_in(tmp_path, "Ada Hope")
    mask_incoming([incoming(f"Ada Hope {IBAN}")], masker=masker)
    save(masker.ledger)
    later = masker_in(tmp_path)
    faults = faults_of(
        lambda: mask_incoming(
            [incoming(f"ADA HOPE, {IBAN}, {EMAIL}")], masker=later, already_masked=True
        )
    )
    assert "IBAN 1, NAME 1" in faults[0].problem
    assert "EMAIL" not in faults[0].problem


def test_reading_tells_every_file_that_cannot_be_read(tmp_path):
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    (tmp_path / "b.txt").write_text(" \n", encoding="utf-8")
    paths = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    faults = faults_of(lambda: read_incoming(paths))
    assert [Path(fault.where).name for fault in faults] == ["b.txt", "c.txt"]
    assert read_incoming(paths[:1])[0].content == b"x"


def test_all_documents_are_written_or_none(tmp_path):
    documents = mask_incoming(
        [incoming("one"), incoming("two", "b.txt")], masker=masker_in(tmp_path)
    )
    folder = tmp_path / "documents"
    written = store_documents(folder, documents)
    assert {path.name for path in written} == {document.doc for document in documents}
    assert store_documents(folder, documents) == ()
    third, fourth = mask_incoming(
        [incoming("three"), incoming("four", "d.txt")], masker=masker_in(tmp_path)
    )
    (folder / f".{fourth.doc}.tmp").mkdir()
    with pytest.raises(OSError, match="directory"):
        store_documents(folder, [third, fourth])
    assert not (folder / third.doc).exists()
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == sorted(
        document.doc for document in documents
    )


def test_nothing_unmasked_is_counted_in_a_masked_document(tmp_path):
    masker = masker_in(tmp_path)
    (document,) = mask_incoming([incoming(make_pdf((f"to {IBAN}",)), "a.pdf")], masker=masker)
    count = count_unmasked(document.content, media_type=document.media_type, masker=masker)
    assert count.n_masked == 0
    before = count_unmasked(make_pdf((f"to {IBAN}",)), media_type="application/pdf", masker=masker)
    assert before.masked == {"IBAN": 1}
    with pytest.raises(InputError):
        count_unmasked(b"%PDF-1.4 broken", media_type="application/pdf", masker=masker)

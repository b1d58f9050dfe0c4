"""Masks what is in a set already: says what detectors find there, and rewrites it when asked to.

A document that is rewritten has another hash, and so another name: its label moves with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.records import JsonValue, SourceConvention
from evals_pipeline.pipeline.files import write_text_atomically
from evals_pipeline.pipeline.labelling import LabellingDesk, texts_in, with_texts
from evals_pipeline.sets.ingest import Incoming, count_unmasked, mask_incoming, store_documents
from evals_pipeline.sets.label_files import label_text
from evals_pipeline.sets.labelling import DRAFTS
from evals_pipeline.sets.media import media_type_of_name
from evals_pipeline.sets.redaction.folding import bare
from evals_pipeline.sets.redaction.masking import Masker, MaskingReport
from evals_pipeline.sets.redaction.passages import plain_passage
from evals_pipeline.sets.redaction.terms import Term
from evals_pipeline.sets.shelf import DOCUMENTS
from evals_pipeline.sets.text import text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a document and its label hold that would be masked today.

    ``is_declared``: somebody said that it was masked already, so that nothing is expected of it.
    ``new_doc`` is its name after it was rewritten. ``refusal`` says why it could not be.
    """

    doc: str
    name: str
    report: MaskingReport
    is_declared: bool
    in_label: int = 0
    new_doc: str | None = None
    refusal: str | None = None

    @property
    def n_open(self) -> int:
        """How much is to be masked, in the document and its label."""
        return 0 if self.is_declared else self.report.n_masked + self.in_label


def look_for_unmasked(
    desk: LabellingDesk, *, terms: Sequence[Term] = (), keeps: Sequence[str] = ()
) -> tuple[Look, ...]:
    """What is found in the documents and labels of a set; nothing is changed.

    Raises:
        SetupError: Names were masked before, and the set's key is not on this machine.
    """
    return tuple(_look(desk, one, terms, keeps)[0] for one in _entries(desk))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    doc: str
    name: str
    path: Path | None
    value: JsonValue
    convention: SourceConvention


def _entries(desk: LabellingDesk) -> Iterator[_Entry]:
    """Every document with its label or draft, by name."""
    found = [
        _Entry(
            doc=one.doc,
            name=one.name,
            path=one.path,
            value=dict(one.value),
            convention=one.convention,
        )
        for one in desk.desk.labels()
    ]
    labelled = {one.doc for one in found}
    for draft in desk.desk.to_label():
        if draft.doc in labelled:
            continue
        path = desk.folder / DRAFTS / f"{draft.sha256}.json"
        value = strict_json.loads(path.read_bytes(), where=str(path)) if path.is_file() else None
        found.append(
            _Entry(
                doc=draft.doc,
                name=draft.name,
                path=path if path.is_file() else None,
                value=value,
                convention=draft.convention,
            )
        )
    yield from sorted(found, key=lambda one: one.name)


def _look(
    desk: LabellingDesk, entry: _Entry, terms: Sequence[Term], keeps: Sequence[str]
) -> tuple[Look, Masker]:
    ledger = desk.ledger()
    masker = Masker.of(ledger, regions=desk.regions(entry.convention), terms=terms, keeps=keeps)
    media_type = media_type_of_name(entry.doc)
    content = desk.path(entry.doc).read_bytes()
    text = text_of(content, media_type=media_type) or ""
    counts = (
        masker.count(one, [plain_passage(one)]).n_masked
        for one in texts_in(_said(entry.value))
        if one not in text
    )
    look = Look(
        doc=entry.doc,
        name=entry.name,
        report=count_unmasked(content, media_type=media_type, masker=masker),
        is_declared=entry.doc.partition(".")[0] in ledger.declared(),
        in_label=sum(counts),
    )
    return look, masker


def declare_masked(
    desk: LabellingDesk, *, terms: Sequence[Term] = (), keeps: Sequence[str] = ()
) -> tuple[Look, ...]:
    """Notes of every document in which something is found that nothing in it has to be masked."""
    with desk.locked():
        looks = look_for_unmasked(desk, terms=terms, keeps=keeps)
        ledger = desk.ledger()
        for look in looks:
            if look.n_open:
                ledger.declare(look.doc.partition(".")[0], by=desk.by, at=desk.at)
        desk.save_ledger(ledger)
        return tuple(
            replace(look, is_declared=look.is_declared or look.n_open > 0) for look in looks
        )


def mask_again(
    desk: LabellingDesk, *, terms: Sequence[Term] = (), keeps: Sequence[str] = ()
) -> tuple[Look, ...]:
    """Rewrites every document and label in which something is found, each in one go.

    Raises:
        SetupError: Names were masked before, and the set's key is not on this machine.
        OSError: The folder cannot be written.
    """
    with desk.locked():
        return tuple(_again(desk, entry, terms, keeps) for entry in _entries(desk))


def _again(desk: LabellingDesk, entry: _Entry, terms: Sequence[Term], keeps: Sequence[str]) -> Look:
    look, masker = _look(desk, entry, terms, keeps)
    for text in keeps:
        masker.ledger.keep(bare(text))
    if not look.n_open:
        desk.save_ledger(masker.ledger)
        return look
    path = desk.path(entry.doc)
    incoming = Incoming(content=path.read_bytes(), name=entry.doc, path=path)
    try:
        (document,) = mask_incoming([incoming], masker=masker, keep_pictures=True)
    except EvalsError as refusal:
        return replace(look, refusal=str(refusal))
    text = document.text or ""
    said = with_texts(_said(entry.value), lambda one: one if one in text else _masked(one, masker))
    desk.save_ledger(masker.ledger)
    store_documents(desk.folder / DOCUMENTS, [document])
    if entry.path is not None and isinstance(entry.value, dict) and isinstance(said, dict):
        new_path = entry.path.with_name(f"{document.sha256}.json")
        value = {**entry.value, **_with_people(said, entry.value), "doc": document.doc}
        write_text_atomically(new_path, label_text(value))
        if new_path != entry.path:
            entry.path.unlink()
    if document.doc != entry.doc:
        path.unlink()
    return replace(look, new_doc=document.doc)


_SAID = ("name", "fields", "corrections")


def _said(value: JsonValue) -> JsonValue:
    """What a label says of its document; who labelled it, and when, is no part of that."""
    if not isinstance(value, dict):
        return {}
    return {key: value[key] for key in _SAID if key in value}


def _with_people(said: dict[str, JsonValue], value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Masked corrections with the people who made them, who are nobody's secret."""
    masked, written = said.get("corrections"), value.get("corrections")
    if not isinstance(masked, list) or not isinstance(written, list):
        return said
    corrections: list[JsonValue] = [
        {**one, "by": other.get("by"), "at": other.get("at")}
        for one, other in zip(masked, written, strict=True)
        if isinstance(one, dict) and isinstance(other, dict)
    ]
    return {**said, "corrections": corrections}


def _masked(text: str, masker: Masker) -> str:
    return masker.mask(text, [plain_passage(text)])[0]

"""Takes documents into a golden set: masked, looked at again, written, and given a draft each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from evals_pipeline.core.records import JsonValue
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.sets.ingest import (
    Ingested,
    mask_incoming,
    read_incoming,
    store_documents,
)
from evals_pipeline.sets.label_files import Draft
from evals_pipeline.sets.redaction.folding import bare
from evals_pipeline.sets.redaction.masking import Masker
from evals_pipeline.sets.redaction.terms import Term
from evals_pipeline.sets.shelf import DOCUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOptions:
    """How documents come in.

    ``terms`` are masked, ``keeps`` are not whatever they look like. ``stated`` is what the label
    file will say beside the fields: source, locale, currency, formats.
    """

    terms: tuple[Term, ...] = ()
    keeps: tuple[str, ...] = ()
    already_masked: bool = False
    keep_pictures: bool = False
    new_key: bool = False
    name: str | None = None
    tags: tuple[str, ...] = ()
    stated: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """One document taken in; ``is_new`` False: the set had it already, under ``name``."""

    document: Ingested
    name: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AddSummary:
    """What came in; the positions (from 1) of the terms and keeps that stand in no document."""

    added: tuple[Added, ...]
    unmet_terms: tuple[int, ...]
    unmet_keeps: tuple[int, ...]
    new_key_path: Path | None


def add_documents(desk: LabellingDesk, paths: Sequence[Path], options: AddOptions) -> AddSummary:
    """Takes files in: masked, looked at again, and only then written; all of them or none.

    Raises:
        InputError: A file cannot be read or masked; all of them. Nothing was written.
        SetupError: The set's key is not on this machine.
    """
    incoming = read_incoming(paths)
    if options.name is not None:
        incoming = tuple(replace(one, name=_renamed(one.name, options.name)) for one in incoming)
    convention = desk.desk.convention_of(options.stated)
    with desk.locked():
        ledger = desk.ledger(new_key=options.new_key)
        masker = Masker.of(
            ledger,
            regions=desk.regions(convention),
            terms=options.terms,
            keeps=options.keeps,
        )
        documents = mask_incoming(
            incoming,
            masker=masker,
            already_masked=options.already_masked,
            keep_pictures=options.keep_pictures,
        )
        for normal in map(bare, options.keeps):
            if normal in masker.met:
                ledger.keep(normal)
        names = _names_of(desk, documents)
        new = [one for one in _distinct(documents) if not desk.desk.knows(one.doc)]
        for one in new if options.already_masked else ():
            ledger.declare(one.sha256, by=desk.by, at=desk.at)
        key_path = desk.save_ledger(ledger)
        store_documents(desk.folder / DOCUMENTS, new)
        for one in new:
            desk.save(_draft_of(desk, one, names[one.doc], options))
    return AddSummary(
        added=tuple(
            Added(document=one, name=names[one.doc], is_new=one in new) for one in documents
        ),
        unmet_terms=_unmet([bare(term.text) for term in options.terms], masker.met),
        unmet_keeps=_unmet([bare(text) for text in options.keeps], masker.met),
        new_key_path=key_path,
    )


def _draft_of(desk: LabellingDesk, document: Ingested, name: str, options: AddOptions) -> Draft:
    stated = {**options.stated, "added_by": desk.by, "added_at": desk.at}
    return Draft(
        doc=document.doc,
        name=name,
        fields={},
        stated=stated,
        convention=desk.desk.convention_of(stated),
        tags=options.tags,
    )


def _names_of(desk: LabellingDesk, documents: Sequence[Ingested]) -> dict[str, str]:
    """What people call each document: as before where the set has it, no two alike."""
    known = {draft.doc: draft.name for draft in desk.desk.to_label()}
    known |= {label.doc: label.name for label in desk.desk.labels()}
    taken = set(known.values())
    names: dict[str, str] = {}
    for document in documents:
        name = known.get(document.doc) or names.get(document.doc) or _free(document.name, taken)
        taken.add(name)
        names[document.doc] = name
    return names


def _renamed(file_name: str, name: str) -> str:
    return name + PurePath(file_name).suffix


def _distinct(documents: Iterable[Ingested]) -> list[Ingested]:
    return list({one.doc: one for one in documents}.values())


def _unmet(normals: Sequence[str], met: set[str]) -> tuple[int, ...]:
    return tuple(n for n, normal in enumerate(normals, start=1) if normal not in met)


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, len(taken) + 3) if f"{name}-{n}" not in taken)

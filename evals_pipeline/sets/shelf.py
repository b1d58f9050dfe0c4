"""A golden set's documents and the labels beside them: read, compared, and what is wrong said."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.json_lines import JsonLines
from evals_pipeline.core.records import Fixture, GoldenDocument
from evals_pipeline.sets.content import hash_mismatch, sha256_file
from evals_pipeline.sets.labels import Label, LabelReader
from evals_pipeline.sets.media import media_type_of_name
from evals_pipeline.sets.paths import shown, stays_inside

DOCUMENTS, LABELS = "documents", "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledDocuments:
    """The documents whose labels load, what is wrong with them and with others, and all names."""

    documents: list[GoldenDocument]
    faults: list[Fault]
    names: frozenset[str]


def read_labels(
    folder: Path, reader: LabelReader, *, source_type: str, verify: bool
) -> LabelledDocuments:
    """All labels of the golden set in ``folder`` with their documents; a fault hides no other.

    Args:
        folder: Holds ``documents/`` and ``labels/``.
        reader: Reads one label against the set's schema.
        source_type: That of the set.
        verify: Whether the bytes of every document are compared with its name. They are read in
            pieces and never kept.
    """
    shelf = _Shelf.of(folder / DOCUMENTS)
    documents: list[GoldenDocument] = []
    faults: list[Fault] = []
    for path in _label_files(folder):
        where = shown(path)
        try:
            if path.is_symlink() and not stays_inside(path, folder):
                raise InputError.one(where, "a link that leads out of the set's folder")
            content = path.read_bytes()
            label = reader.read(content, where=where)
        except InputError as error:
            faults += error.faults
            continue
        except OSError as error:
            faults.append(Fault(where=where, problem=f"cannot be read: {error.strerror}"))
            continue
        problems = [*_misplaced(label, path), *shelf.problems(label.doc, verify=verify)]
        line = JsonLines(content).line_of(("doc",)) if problems else None
        faults += (Fault(where=where, problem=p, remedy=r, line=line) for p, r in problems)
        documents.append(_document(label, shelf.folder, source_type=source_type))
    return LabelledDocuments(documents=documents, faults=faults, names=shelf.names)


def _label_files(folder: Path) -> list[Path]:
    labels = folder / LABELS
    if not labels.is_dir():
        return []
    names = (path.name for path in labels.glob("*.json") if path.name[0] != ".")
    return [labels / name for name in sorted(names)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """The files of a documents folder, listed once."""

    folder: Path
    names: frozenset[str]

    @classmethod
    def of(cls, folder: Path) -> "_Shelf":
        names = folder.iterdir() if folder.is_dir() else ()
        return cls(folder=folder, names=frozenset(p.name for p in names if p.name[0] != "."))

    def problems(self, name: str, *, verify: bool) -> Iterator[tuple[str, str | None]]:
        """What is wrong with a document, with the remedy."""
        path = self.folder / name
        if name not in self.names:
            remedy = 'Put it back, or delete the label. "evals golden add" stores a document.'
            yield f"its document {DOCUMENTS}/{name} does not exist", remedy
            return
        try:
            if stat.S_ISLNK(path.lstat().st_mode) and not stays_inside(path, self.folder):
                yield f"{DOCUMENTS}/{name} is a link that leads out of its folder", None
            elif verify and (found := sha256_file(path)) != path.stem:
                problem = hash_mismatch(expected=path.stem, found=found)
                remedy = "Restore the document; a changed one is added and labelled as a new one."
                yield f"{DOCUMENTS}/{name}: {problem}", remedy
        except OSError as error:
            yield f"{DOCUMENTS}/{name} cannot be read: {error.strerror}", None


def _misplaced(label: Label, path: Path) -> Iterator[tuple[str, str | None]]:
    if Path(label.doc).stem != path.stem:
        yield f"is the label of {label.doc}", f"Name it {Path(label.doc).stem}.json."


def _document(label: Label, folder: Path, *, source_type: str) -> GoldenDocument:
    fixture_id = label.doc.partition(".")[0]
    fixture = Fixture(
        fixture_id=fixture_id,
        name=label.name or fixture_id[:12],
        sha256=fixture_id,
        source_type=source_type,
        media_type=media_type_of_name(label.doc),
        path=folder / label.doc,
    )
    return GoldenDocument(
        fixture=fixture,
        labelled_by=label.labelled_by,
        labelled_at=label.labelled_at,
        source=label.source,
        convention=label.convention,
        tags=label.tags,
        labels=label.readings,
        corrections=label.corrections,
        labelled_later=label.labelled_later,
    )

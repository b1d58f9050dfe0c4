"""Takes documents into a golden set: masked first, then written, all of them or none.

Nothing of a document is written anywhere before its masked copy exists and has been looked at
again. The copies are made in memory; files of the set are put in place by renaming.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from evals_pipeline.core.errors import Fault, InputError, RefusedError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.sets.media import UNKNOWN, media_type_of_content, media_type_of_name
from evals_pipeline.sets.redaction.masking import Masker, MaskingReport
from evals_pipeline.sets.redaction.passages import Passage, plain_passage
from evals_pipeline.sets.redaction.pdf_documents import mask_pdf
from evals_pipeline.sets.redaction.pictures import without_metadata
from evals_pipeline.sets.redaction.text_documents import (
    MaskedDocument,
    count_of,
    mask_text_document,
    passages_of,
)
from evals_pipeline.sets.text import decode_text, text_of

MAX_BYTES = 64 * 2**20
_EXTENSIONS = {
    "application/json": "json",
    "application/pdf": "pdf",
    "application/xml": "xml",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/tiff": "tiff",
    "text/html": "html",
    "text/plain": "txt",
}
_SURE = ("application/pdf", "image/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A document as it comes: its bytes, and what it is called outside."""

    content: bytes
    name: str
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """A document that may be written.

    ``doc`` is its file name in the set, ``name`` what people call it, masked too. ``text`` is what
    it says, None for a picture. ``report`` counts what was masked; for a document that came masked
    already it counts what detectors find in it, which is left.
    """

    doc: str
    name: str
    media_type: str
    content: bytes
    text: str | None
    report: MaskingReport
    is_declared: bool

    @property
    def sha256(self) -> str:
        """The SHA-256 of its bytes, by which the set knows it."""
        return self.doc.partition(".")[0]


def read_incoming(paths: Sequence[Path]) -> tuple[Incoming, ...]:
    """The files as they are.

    Raises:
        InputError: Files that cannot be read, are empty or too large; all of them.
    """
    found: list[Incoming] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            faults.append(Fault(where=str(path), problem=f"cannot be read: {error.strerror}"))
            continue
        if not content.strip():
            faults.append(Fault(where=str(path), problem="is empty"))
        elif len(content) > MAX_BYTES:
            problem = f"longer than {MAX_BYTES // 2**20} MiB, got {len(content) // 2**20} MiB"
            faults.append(Fault(where=str(path), problem=problem))
        found.append(Incoming(content=content, name=path.name, path=path))
    if faults:
        raise InputError(faults)
    return tuple(found)


def mask_incoming(
    documents: Iterable[Incoming],
    *,
    masker: Masker,
    already_masked: bool = False,
    keep_pictures: bool = False,
) -> tuple[Ingested, ...]:
    """Masked copies of documents; nothing is written.

    Args:
        documents: As they come.
        masker: Finds and replaces.
        already_masked: Somebody declares that nothing in them has to be masked: they are taken as
            they are, pictures without what their files say beside the picture.
        keep_pictures: Whether pictures and files inside documents stay.

    Raises:
        InputError: A document that is damaged, or cannot be masked as it is; all of them.
    """
    found: list[Ingested] = []
    faults: list[Fault] = []
    for incoming in documents:
        where = str(incoming.path or incoming.name)
        media_type, extension = _media_type(incoming)
        try:
            if already_masked:
                masked = _as_declared(incoming.content, media_type=media_type, masker=masker)
            else:
                masked = _masked(
                    incoming.content,
                    media_type=media_type,
                    masker=masker,
                    keep_pictures=keep_pictures,
                )
        except RefusedError as refusal:
            faults.append(Fault(where=where, problem=str(refusal)))
            continue
        except InputError as error:
            faults += (replace(fault, where=where) for fault in error.faults)
            continue
        found.append(
            Ingested(
                doc=f"{sha256_bytes(masked.content)}.{extension}",
                name=masked_name(incoming.name, masker=masker),
                media_type=media_type,
                content=masked.content,
                text=text_of(masked.content, media_type=media_type),
                report=masked.report,
                is_declared=already_masked,
            )
        )
    if faults:
        raise InputError(faults)
    return tuple(found)


def _media_type(incoming: Incoming) -> tuple[str, str]:
    """What a document is, and the extension that says so.

    A name may be wrong about a PDF or a picture, whose first bytes are not.
    """
    by_content = media_type_of_content(incoming.content)
    by_name = media_type_of_name(incoming.name)
    suffix = PurePath(incoming.name).suffix.lower().removeprefix(".")
    if by_name == UNKNOWN or (by_content.startswith(_SURE) and by_content != by_name):
        if by_content in _EXTENSIONS:
            return by_content, _EXTENSIONS[by_content]
        by_name = by_content
    extension = suffix if suffix.isalnum() and suffix.isascii() and len(suffix) <= 10 else "bin"
    return by_name, extension


def _masked(
    content: bytes, *, media_type: str, masker: Masker, keep_pictures: bool
) -> MaskedDocument:
    if media_type == "application/pdf":
        return mask_pdf(content, masker=masker, keep_pictures=keep_pictures)
    if media_type.startswith("image/"):
        message = (
            "a picture's text cannot be found, so nothing in it can be masked. Black out by hand "
            "what identifies people, then add it with --already-masked."
        )
        raise RefusedError(message)
    if text_of(content, media_type=media_type) is None:
        message = (
            f"files of type {media_type} cannot be rewritten. "
            "Export it as PDF, HTML or text, and add that."
        )
        raise RefusedError(message)
    return mask_text_document(
        content, media_type=media_type, masker=masker, keep_files=keep_pictures
    )


def _as_declared(content: bytes, *, media_type: str, masker: Masker) -> MaskedDocument:
    removed: tuple[str, ...] = ()
    if media_type.startswith("image/"):
        stripped = without_metadata(content)
        if stripped is None:
            removed = ("nothing, also not what the file says beside its picture",)
        else:
            content, n_parts = stripped
            removed = (count_of(n_parts, "part", "of its file beside the picture"),)
    text, passages = _searched(content, media_type=media_type)
    if known := masker.masked_before(text, passages):
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(known.items()))
        message = (
            f"is declared to be masked, but holds what was masked in this set before: {kinds}. "
            "Add it without --already-masked."
        )
        raise RefusedError(message)
    found = masker.count(text, passages)
    return MaskedDocument(content=content, report=replace(found, removed=removed))


def count_unmasked(content: bytes, *, media_type: str, masker: Masker) -> MaskingReport:
    """What would be masked in a document; nothing is given a placeholder.

    Raises:
        InputError: A PDF that is damaged or locked.
    """
    return masker.count(*_searched(content, media_type=media_type))


def _searched(content: bytes, *, media_type: str) -> tuple[str, list[Passage]]:
    """The text of a document and its passages; none for a picture."""
    text = text_of(content, media_type=media_type)
    if text is None:
        return "", []
    if media_type == "application/pdf":
        return text, [plain_passage(text)]
    text = decode_text(content, media_type=media_type)
    return text, [*passages_of(text, media_type=media_type)]


def masked_name(file_name: str, *, masker: Masker) -> str:
    """What people call a document: its file's name without extension, and without terms."""
    stem = PurePath(file_name).stem.strip() or "document"
    name, _ = masker.mask(stem, [plain_passage(stem)])
    return name


def store_documents(folder: Path, documents: Iterable[Ingested]) -> tuple[Path, ...]:
    """Writes masked documents into a set's folder, all of them or none.

    Raises:
        OSError: The folder cannot be written, or the disk is full.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    try:
        for document in documents:
            path = folder / document.doc
            if path.exists():
                continue
            temporary = folder / f".{document.doc}.tmp"
            written.append(temporary)
            temporary.write_bytes(document.content)
            temporary.replace(path)
            written[-1] = path
    except BaseException:
        for path in written:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        raise
    return tuple(written)

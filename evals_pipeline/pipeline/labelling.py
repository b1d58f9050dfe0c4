"""Labelling: documents come in masked, answers become labels, labels are corrected.

Everything is saved as soon as it is said, so that whoever stops goes on where they were.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from babel import Locale
from filelock import FileLock

from evals_pipeline.core.absence import is_blank
from evals_pipeline.core.errors import InputError, RefusedError, UnknownNameError
from evals_pipeline.core.records import JsonValue, SourceConvention
from evals_pipeline.pipeline.files import write_text_atomically
from evals_pipeline.pipeline.label_answers import AnswerReader
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets.label_files import Draft, LabelFile, matching, not_one, with_field
from evals_pipeline.sets.labelling import LabelDesk
from evals_pipeline.sets.media import media_type_of_name
from evals_pipeline.sets.redaction.ledger import Ledger
from evals_pipeline.sets.redaction.masking import Masker
from evals_pipeline.sets.redaction.passages import plain_passage
from evals_pipeline.sets.shelf import DOCUMENTS
from evals_pipeline.sets.text import text_of


@dataclass(frozen=True, kw_only=True)
class LabellingDesk:
    """One golden set as its labellers work on it.

    ``by`` is who labels, ``today`` the day that labels bear.
    """

    project: Project
    set_name: str
    by: str
    today: date

    @property
    def folder(self) -> Path:
        """The set's folder."""
        return self.project.golden_folders[self.set_name]

    @cached_property
    def desk(self) -> LabelDesk:
        """The set's labels and drafts."""
        return LabelDesk.open(self.folder)

    @property
    def at(self) -> str:
        """The day as labels write it."""
        return self.today.isoformat()

    # --- documents ------------------------------------------------------------------------------

    def text(self, doc: str) -> str | None:
        """What a document says; None for a picture.

        Raises:
            InputError: It cannot be read.
        """
        path = self.folder / DOCUMENTS / doc
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError.one(str(path), f"cannot be read: {error.strerror}") from error
        return text_of(content, media_type=media_type_of_name(doc))

    def path(self, doc: str) -> Path:
        """Where a document lies."""
        return self.folder / DOCUMENTS / doc

    # --- labels ---------------------------------------------------------------------------------

    def to_label(self, reference: str | None = None) -> tuple[Draft, ...]:
        """The documents that need labelling, or the one that is meant.

        Raises:
            RefusedError: The one that is meant is labelled already.
            InputError: Nothing has that name, or several have.
        """
        return self.desk.to_label() if reference is None else (self.desk.draft(reference),)

    def reader(self, draft: Draft | LabelFile) -> AnswerReader:
        """Reads answers for a document's fields."""
        return AnswerReader(draft.convention, self.text(draft.doc))

    def record(self, draft: Draft, field_name: str, value: JsonValue) -> Draft:
        """Stores the label of one field, masked like the document, and gives the draft after it.

        Raises:
            InputError: The value cannot stand in a label.
        """
        masked = self.masked(draft, value)
        problems = self.desk.problems(field_name, masked)
        if problems:
            raise InputError.one(field_name, "; ".join(problems))
        after = with_field(draft, field_name, masked, by=self.by, at=self.at)
        self.save(after)
        return after

    def masked(self, document: Draft | LabelFile, value: JsonValue) -> JsonValue:
        """A value with everything masked that is masked in documents.

        What stands letter by letter in the masked document stays: it was looked at there, with what
        stands around it.
        """
        text = self.text(document.doc) or ""
        ledger = self.ledger()
        regions = self.regions(document.convention)
        masker = (
            Masker.of(ledger, regions=regions)
            if ledger.has_key()
            else Masker.without_terms(ledger, regions=regions)
        )
        masked = with_texts(value, lambda one: one if one in text else _mask(one, masker))
        self.save_ledger(ledger)
        return masked

    def tag(self, draft: Draft, tag: str) -> Draft:
        """The draft with one more tag, saved."""
        if tag in draft.tags:
            return draft
        after = replace(draft, tags=(*draft.tags, tag))
        self.save(after)
        return after

    def finish(self, draft: Draft) -> Path:
        """Makes a draft whose fields are all labelled a label of the set.

        Raises:
            InputError: A field is open, or a value cannot stand in a label; all faults.
        """
        path, text = self.desk.label_text(draft, by=self.by, at=self.at)
        write_text_atomically(path, text)
        if not draft.is_label:
            draft_path = self.desk.draft_text(draft)[0]
            draft_path.unlink(missing_ok=True)
            with suppress(OSError):  # other drafts are in it
                draft_path.parent.rmdir()
        return path

    def correct(self, label: LabelFile, field_name: str, value: JsonValue, *, reason: str) -> None:
        """Changes one labelled value and keeps what it was, who changed it, when and why.

        Raises:
            InputError: There is no such field, nothing changes, or the label would not load.
        """
        new = self.masked(label, value)
        why = str(self.masked(label, reason))
        text = self.desk.corrected(label, field_name, new, by=self.by, at=self.at, reason=why)
        write_text_atomically(label.path, text)

    def save(self, draft: Draft) -> None:
        """Writes a draft as it is."""
        path, text = self.desk.draft_text(draft)
        write_text_atomically(path, text)

    # --- masking --------------------------------------------------------------------------------

    def ledger(self, *, new_key: bool = False) -> Ledger:
        """The ledger of the set as it is now."""
        return Ledger.open(self.folder, environ=self.project.environ, new_key=new_key)

    def save_ledger(self, ledger: Ledger) -> Path | None:
        """The key first: a placeholder without its key could never be given again."""
        text = ledger.text()
        if text is None:
            return None
        key_path = ledger.save_key()
        write_text_atomically(ledger.path, text)
        return key_path

    def regions(self, convention: SourceConvention) -> tuple[str, ...]:
        """Where phone numbers may be from: the document's region, then those of the set."""
        sources = (source.locale for source in self.desk.model.sources.values())
        locales = (convention.locale, self.desk.base.locale, *sources)
        regions = (Locale.parse(locale).territory for locale in locales if locale)
        return tuple(dict.fromkeys(region for region in regions if region))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time gives placeholders of a set."""
        name = hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:16]
        with FileLock(Path(tempfile.gettempdir()) / f"evals-golden-{name}.lock"):
            yield


def find_desk(
    project: Project, *, set_name: str | None, reference: str | None, by: str, today: date
) -> LabellingDesk:
    """The desk of the named set, or of the only one that has the document, or of the only one.

    Raises:
        UnknownNameError: No golden set has that name.
        InputError: No set, or several, have the document.
        RefusedError: There is no golden set, or several and none was named.
    """
    names = tuple(project.golden_folders)
    if set_name is not None:
        if set_name not in names:
            raise UnknownNameError("golden set", set_name, names)
        return LabellingDesk(project=project, set_name=set_name, by=by, today=today)
    if not names:
        raise RefusedError("there is no golden set yet. Start one: evals golden new NAME")
    desks = [LabellingDesk(project=project, set_name=n, by=by, today=today) for n in names]
    if len(desks) == 1:
        return desks[0]
    if reference is None:
        busy = [desk for desk in desks if desk.to_label()]
        if len(busy) == 1:
            return busy[0]
        raise RefusedError(f"several golden sets: {', '.join(names)}. Say which, by --set.")
    having = [desk for desk in desks if _has(desk.desk, reference)]
    if not having:
        known = [label.name for desk in desks for label in desk.desk.labels()]
        known += [draft.name for desk in desks for draft in desk.to_label()]
        raise not_one(reference, [], known=known)
    if len(having) > 1:
        names = tuple(desk.set_name for desk in having)
        raise RefusedError(f"{reference}: is in {' and '.join(names)}. Say which, by --set.")
    return having[0]


def _has(desk: LabelDesk, reference: str) -> bool:
    return bool(matching(reference, [*desk.to_label()]) or matching(reference, [*desk.labels()]))


def _mask(text: str, masker: Masker) -> str:
    return text if is_blank(text) else masker.mask(text, [plain_passage(text)])[0]


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every text in a JSON value; the hashes and dates of a label are texts too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)


def with_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """A JSON value with every text changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(one, change) for one in value]
    if isinstance(value, dict):
        return {key: with_texts(one, change) for key, one in value.items()}
    return value

"""Labels while they are made: drafts that a set loads without, finished labels, corrections.

A document whose fields are not all labelled yet lies in ``documents/`` with a draft in
``drafts/<sha256>.json``. The set's loader looks at neither: it reads ``labels/``, and only warns of
documents without a label. So a half-labelled document costs no figure and breaks no run, and a
draft can be committed and finished by somebody else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.counts import counted
from evals_pipeline.core.edges import validate
from evals_pipeline.core.errors import Fault, InputError, RefusedError, did_you_mean
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.sets.conventions import ConventionModel
from evals_pipeline.sets.field_specs import field_spec
from evals_pipeline.sets.golden import read_set_file
from evals_pipeline.sets.label_files import (
    Draft,
    DraftModel,
    LabelFile,
    as_draft,
    beside,
    is_hash,
    label_text,
    matching,
    not_one,
)
from evals_pipeline.sets.label_values import value_problems
from evals_pipeline.sets.labels import LabelReader
from evals_pipeline.sets.paths import shown
from evals_pipeline.sets.set_model import SetModel
from evals_pipeline.sets.shelf import DOCUMENTS, LABELS

DRAFTS = "drafts"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDesk:
    """The labels and drafts of one set, for whoever writes them."""

    folder: Path
    model: SetModel
    specs: Mapping[str, FieldSpec] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path) -> "LabelDesk":
        """The desk of the set in ``folder``; faulty labels do not keep it from opening.

        Raises:
            InputError: ``set.yaml`` is faulty.
        """
        model, _ = read_set_file(folder)
        specs = {name: field_spec(name, stated) for name, stated in model.fields.items()}
        return cls(folder=folder, model=model, specs=specs)

    @property
    def base(self) -> SourceConvention:
        """The set's own convention."""
        return self.model.over(SourceConvention())

    def convention_of(self, stated: Mapping[str, JsonValue]) -> SourceConvention:
        """The convention of a document: its own over its source's and the set's."""
        keys = ("locale", "currency", "formats")
        own = validate(ConventionModel, {k: stated[k] for k in keys if k in stated}, where="label")
        source = self.model.sources.get(str(stated.get("source")))
        return own.over(source.over(self.base) if source else self.base)

    def missing(self, draft: Draft) -> tuple[str, ...]:
        """The fields that are not labelled yet, in the order of the set."""
        return tuple(name for name in self.specs if name not in draft.fields)

    def surplus(self, draft: Draft) -> tuple[str, ...]:
        """Fields that were labelled and that the set no longer has; no label can hold them."""
        return tuple(name for name in draft.fields if name not in self.specs)

    def to_label(self) -> tuple[Draft, ...]:
        """Every document that needs labelling: drafts, documents without anything, labels with a
        field missing; by name."""
        found = {draft.sha256: draft for draft in self._drafts()}
        labelled: set[str] = set()
        for label in self.labels():
            labelled.add(label.doc)
            if any(name not in label.fields for name in self.specs):
                found.setdefault(label.doc.partition(".")[0], as_draft(label))
        documents = self.folder / DOCUMENTS
        for path in sorted(documents.iterdir()) if documents.is_dir() else ():
            is_new = path.name not in labelled and path.stem not in found
            if is_new and path.name[0] != "." and is_hash(path.stem):
                found[path.stem] = self._new_draft(path.name)
        return tuple(sorted(found.values(), key=lambda draft: (draft.name, draft.sha256)))

    def labels(self) -> Iterator[LabelFile]:
        """The finished labels whose files are JSON objects that name a document.

        Others are for ``evals validate`` to report.
        """
        folder = self.folder / LABELS
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            try:
                value = strict_json.loads(path.read_bytes(), where=shown(path))
                doc = value.get("doc") if isinstance(value, dict) else None
                if isinstance(value, dict) and isinstance(doc, str):
                    convention = self.convention_of(value)
                    name = str(value.get("name") or doc[:12])
                    yield LabelFile(
                        path=path, doc=doc, name=name, value=value, convention=convention
                    )
            except InputError:
                continue

    def draft(self, reference: str) -> Draft:
        """The document to label that a hash, the beginning of one, or a name means.

        Raises:
            RefusedError: It is labelled already.
            InputError: Nothing has that name, or several have.
        """
        drafts = self.to_label()
        found = matching(reference, drafts)
        if len(found) == 1:
            return found[0]
        if not found and (labels := matching(reference, [*self.labels()])):
            message = (
                f"{labels[0].name} ({labels[0].doc[:8]}) is labelled already. To change a value: "
                f"evals golden correct {labels[0].doc[:8]} FIELD VALUE --reason WHY"
            )
            raise RefusedError(message)
        raise not_one(reference, found, known=[draft.name for draft in drafts])

    def label(self, reference: str) -> LabelFile:
        """The finished label that a hash, the beginning of one, or a name means.

        Raises:
            RefusedError: It is not labelled yet.
            InputError: Nothing has that name, or several have.
        """
        labels = [*self.labels()]
        found = matching(reference, labels)
        if len(found) == 1:
            return found[0]
        if not found and (drafts := matching(reference, self.to_label())):
            message = (
                f"{reference} is not labelled yet: "
                f"evals golden label {drafts[0].sha256[:8]} --set {self.folder.name}"
            )
            raise RefusedError(message)
        raise not_one(reference, found, known=[label.name for label in labels])

    def knows(self, doc: str) -> bool:
        """Whether the set has the document already."""
        return (self.folder / DOCUMENTS / doc).exists()

    def draft_text(self, draft: Draft) -> tuple[Path, str]:
        """The file of a draft and its text."""
        if draft.is_label:
            path = self.folder / LABELS / f"{draft.sha256}.json"
        else:
            path = self.folder / DRAFTS / f"{draft.sha256}.json"
        value = {**draft.stated, "doc": draft.doc, "name": draft.name, "fields": dict(draft.fields)}
        if draft.tags:
            value["tags"] = list(draft.tags)
        return path, label_text(value)

    def label_text(self, draft: Draft, *, by: str, at: str) -> tuple[Path, str]:
        """The file of the finished label and its text, read back as the set's loader would.

        A label that only lacked fields keeps who labelled it, and when.

        Raises:
            InputError: A field is open, or a value cannot stand in a label; all faults.
        """
        path = self.folder / LABELS / f"{draft.sha256}.json"
        value: dict[str, JsonValue] = {
            key: stated for key, stated in draft.stated.items() if not key.startswith("added_")
        }
        fields = {name: draft.fields[name] for name in self.specs if name in draft.fields}
        value |= {"doc": draft.doc, "name": draft.name, "fields": fields}
        value.setdefault("labelled_by", by)
        value.setdefault("labelled_at", at)
        if draft.tags:
            value["tags"] = list(draft.tags)
        return path, self.checked(value, path)

    def checked(self, value: Mapping[str, JsonValue], path: Path) -> str:
        """The text of a label, read back as the set's loader would.

        Raises:
            InputError: It would not load; all faults.
        """
        text = label_text(value)
        reader = LabelReader(self.specs, base=self.base, sources=self.model.sources)
        reader.read(text.encode("utf-8"), where=shown(path))
        return text

    def corrected(
        self, label: LabelFile, field_name: str, new: JsonValue, *, by: str, at: str, reason: str
    ) -> str:
        """The text of a label with one field changed, and what it was, by whom, when and why.

        Raises:
            InputError: There is no such field, nothing changes, no reason is given, or the label
                would not load.
        """
        where = shown(label.path)
        if field_name not in self.specs:
            remedy = did_you_mean(field_name, [*self.specs])
            raise InputError.one(f"{where}: {field_name}", "no such field", remedy=remedy)
        if not reason.strip():
            raise InputError.one(where, "no reason is given", remedy="Say why, by --reason.")
        if field_name not in label.fields:
            remedy = f'Run "evals golden label {label.doc[:8]} --field {field_name}=…".'
            raise InputError.one(f"{where}: {field_name}", "is not labelled yet", remedy=remedy)
        old = label.fields[field_name]
        if old == new:
            raise InputError.one(f"{where}: {field_name}", "is labelled so already")
        correction: JsonValue = {
            "field": field_name,
            "from": old,
            "to": new,
            "by": by,
            "at": at,
            "reason": reason.strip(),
        }
        earlier = label.value.get("corrections")
        corrections = [*(earlier if isinstance(earlier, list) else []), correction]
        fields: dict[str, JsonValue] = {**label.fields, field_name: new}
        value = {**label.value, "fields": fields, "corrections": corrections}
        return self.checked(value, label.path)

    def problems(self, field_name: str, value: JsonValue) -> list[str]:
        """Why a value cannot stand in a label, by the form that its field's kind has."""
        return [
            f"{'.'.join(map(str, path))}: {problem}" if path else problem
            for path, problem in value_problems(self.specs[field_name], value)
        ]

    def _drafts(self) -> Iterator[Draft]:
        folder = self.folder / DRAFTS
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            yield self._read_draft(path)

    def _read_draft(self, path: Path) -> Draft:
        value = strict_json.loads(path.read_bytes(), where=shown(path))
        model = validate(DraftModel, value, where=shown(path))
        stated: dict[str, JsonValue] = dict(value) if isinstance(value, dict) else {}
        return Draft(
            doc=model.doc,
            name=model.name or model.doc[:12],
            fields=model.fields,
            stated=beside(stated),
            convention=self.convention_of(stated),
            tags=model.tags,
        )

    def _new_draft(self, doc: str) -> Draft:
        return Draft(doc=doc, name=doc[:12], fields={}, stated={}, convention=self.base)


def unfinished(desk: LabelDesk, draft: Draft) -> Fault | None:
    """What a draft still lacks, as a fault; None when it is finished."""
    missing = desk.missing(draft)
    if not missing:
        return None
    return Fault(
        where=f"{draft.name} ({draft.sha256[:8]})",
        problem=f"{counted(len(missing), 'field')} not labelled: {', '.join(missing)}",
        remedy=f"evals golden label {draft.sha256[:8]}",
    )

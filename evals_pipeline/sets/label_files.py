"""The files of labels and drafts as their writers see them, and how people name one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import Field

from evals_pipeline.core import strict_json
from evals_pipeline.core.edges import Moment, Text
from evals_pipeline.core.errors import InputError, did_you_mean
from evals_pipeline.core.records import JsonValue, SourceConvention
from evals_pipeline.sets.conventions import ConventionModel
from evals_pipeline.sets.labels import DocumentName, LabelValue

LABELLED_LATER = "labelled_later"
RELABELLED = "labelled anew, when the set gained another field"
_SHORTEST_HASH = 4
_HEX = frozenset("0123456789abcdef")
_OWN_KEYS = frozenset({"doc", "name", "fields", "tags"})


class DraftModel(ConventionModel):
    """A draft's file: a label with fields still open, and who added the document."""

    doc: DocumentName
    name: Text | None = None
    added_by: Text | None = None
    added_at: Moment | None = None
    source: Text | None = None
    tags: tuple[Text, ...] = ()
    fields: dict[str, LabelValue] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document on its way to a label; ``fields`` holds what is labelled so far.

    ``stated`` keeps what else its file says, so that nothing of it is lost in between.
    ``is_label``: it is a finished label that lacks fields, because the set has gained some.
    """

    doc: str
    name: str
    fields: Mapping[str, JsonValue]
    stated: Mapping[str, JsonValue]
    convention: SourceConvention
    tags: tuple[str, ...] = ()
    is_label: bool = False

    @property
    def sha256(self) -> str:
        """The document's hash."""
        return self.doc.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """A finished label as its file states it; ``value`` is the whole JSON object."""

    path: Path
    doc: str
    name: str
    value: Mapping[str, JsonValue]
    convention: SourceConvention

    @property
    def fields(self) -> Mapping[str, JsonValue]:
        """The labelled fields; empty where the file has none."""
        fields = self.value.get("fields")
        return fields if isinstance(fields, dict) else {}


def label_text(value: Mapping[str, JsonValue]) -> str:
    """A label or a draft as its file holds it."""
    return strict_json.dumps(value, indent=2) + "\n"


def beside(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What a file states beside the document, its name, its fields and its tags."""
    return {key: stated for key, stated in value.items() if key not in _OWN_KEYS}


def as_draft(label: LabelFile) -> Draft:
    """A finished label that lacks fields, as a draft."""
    tags = label.value.get("tags")
    return Draft(
        doc=label.doc,
        name=label.name,
        fields=label.fields,
        stated=beside(label.value),
        convention=label.convention,
        tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
        is_label=True,
    )


def with_field(draft: Draft, name: str, value: JsonValue, *, by: str, at: str) -> Draft:
    """The draft with one more field labelled, or one labelled anew.

    In a label that was finished once, who labels a field that it lacked stands beside it: that
    corrects nothing. A field that it had is corrected.
    """
    after = replace(draft, fields={**draft.fields, name: value})
    if not draft.is_label:
        return after
    later, own = draft.stated.get(LABELLED_LATER), {"by": by, "at": at}
    known: dict[str, JsonValue] = dict(later) if isinstance(later, dict) else {}
    earlier = draft.stated.get("corrections")
    corrections = [*earlier] if isinstance(earlier, list) else []
    is_corrected = any(isinstance(one, dict) and one.get("field") == name for one in corrections)
    if name not in draft.fields or (known.get(name) == own and not is_corrected):
        stated: JsonValue = {**known, name: dict[str, JsonValue](own)}
        return replace(after, stated={**draft.stated, LABELLED_LATER: stated})
    if draft.fields[name] == value:
        return draft
    correction: JsonValue = {
        "field": name,
        "from": draft.fields[name],
        "to": value,
        "by": by,
        "at": at,
        "reason": RELABELLED,
    }
    return replace(after, stated={**draft.stated, "corrections": [*corrections, correction]})


class Named(Protocol):
    """What people refer to by a hash or a name."""

    @property
    def doc(self) -> str:
        """The document's file name, which begins with its hash."""
        ...

    @property
    def name(self) -> str:
        """What people call it."""
        ...


N = TypeVar("N", bound=Named)


def is_hash(text: str) -> bool:
    """Whether text is made of the letters of a hash."""
    return bool(text) and set(text) <= _HEX


def matching(reference: str, candidates: Sequence[N]) -> list[N]:
    """Those with exactly that name, else those whose hash begins so."""
    named = [one for one in candidates if one.name == reference]
    if named:
        return named
    start = reference.lower().partition(".")[0]
    if len(start) < _SHORTEST_HASH or not is_hash(start):
        return []
    return [one for one in candidates if one.doc.startswith(start)]


def not_one(reference: str, found: Sequence[Named], *, known: Sequence[str]) -> InputError:
    """The error of a reference that means no document, or several."""
    if found:
        names = ", ".join(f"{one.name} ({one.doc[:12]})" for one in found)
        return InputError.one(reference, f"means several documents: {names}")
    remedy = did_you_mean(reference, known) or "Name it by its name or the start of its hash."
    return InputError.one(reference, "no such document", remedy=remedy)

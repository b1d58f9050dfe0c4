"""Label files: one JSON record a document, with every field of the set stated."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from evals_pipeline.core import strict_json
from evals_pipeline.core.edges import EdgeModel, Moment, Text, fault_at, validate
from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.core.json_lines import JsonLines
from evals_pipeline.core.records import (
    Correction,
    FieldSpec,
    JsonValue,
    LaterLabel,
    SourceConvention,
)
from evals_pipeline.core.strict_yaml import YamlPath
from evals_pipeline.sets.conventions import ConventionModel
from evals_pipeline.sets.label_values import (
    NOT_LABELLED,
    missing_and_unknown,
    readings_of,
    value_problems,
)

_ALTERNATIVES = {
    "type": "object",
    "properties": {"any": {"type": "array", "minItems": 1}},
    "required": ["any"],
    "additionalProperties": False,
}
LabelValue = Annotated[
    Any,
    WithJsonSchema(
        {"anyOf": [{"type": ["string", "number", "boolean", "array", "null"]}, _ALTERNATIVES]}
    ),
]
DocumentName = Annotated[Text, Field(pattern=r"^[0-9a-f]{64}\.[A-Za-z0-9]{1,10}$")]


class CorrectionModel(EdgeModel):
    """A label that was changed, with what it was, who changed it, when and why."""

    field: Text
    old: Any = Field(alias="from")
    new: Any = Field(alias="to")
    by: Text
    at: Moment
    reason: Text


class LaterModel(EdgeModel):
    """Who labelled a field that the set gained, and when."""

    by: Text
    at: Moment


class LabelModel(ConventionModel):
    """A label file; its name is that of the document with ``.json``."""

    doc: DocumentName
    name: Text | None = None
    labelled_by: Text
    labelled_at: Moment
    source: Text | None = None
    tags: tuple[Text, ...] = ()
    fields: dict[str, LabelValue]
    labelled_later: dict[str, LaterModel] = Field(default_factory=dict)
    corrections: tuple[CorrectionModel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label file as read; ``readings`` holds for every field its accepted readings."""

    doc: str
    name: str | None
    labelled_by: str
    labelled_at: str
    source: str | None
    convention: SourceConvention
    tags: tuple[str, ...]
    readings: Mapping[str, tuple[JsonValue, ...]]
    corrections: tuple[Correction, ...]
    labelled_later: Mapping[str, LaterLabel]


_Found = tuple[YamlPath, str, str | None]
"""Where inside a label something is wrong, what, and what mends it."""


class LabelReader:
    """Reads the label files of one set against its schema.

    Args:
        specs: The fields of the set by name.
        base: The set's own convention.
        sources: What each source of the set states; empty when the set lists none.
        is_schema_known: Whether ``specs`` are the fields of the set. Where its file cannot be read
            they are not, and a label is looked at for all else.
    """

    def __init__(
        self,
        specs: Mapping[str, FieldSpec],
        *,
        base: SourceConvention,
        sources: Mapping[str, ConventionModel],
        is_schema_known: bool = True,
    ) -> None:
        self._specs = specs
        self._is_schema_known = is_schema_known
        self._base = base
        self._sources = sources
        # Many documents share few conventions; one record of each keeps a large set small.
        self._conventions: dict[SourceConvention, SourceConvention] = {}

    def read(self, content: bytes, *, where: str) -> Label:
        """The label that ``content`` states.

        Raises:
            InputError: Not strict JSON, a key unknown or missing, a field not labelled; all faults.
        """
        value = strict_json.loads(content, where=where)
        lines = JsonLines(content)
        model: LabelModel | None = None
        faults: list[Fault] = []
        try:
            model = validate(LabelModel, value, where=where, line_of=lines.line_of)
        except InputError as error:
            faults += error.faults
        found = [] if not isinstance(value, dict) else [*self._field_problems(value)]
        found += [] if model is None else [*self._cross_problems(model)]
        faults += (
            fault_at(path, problem, where=where, line=lines.line_of(path), remedy=remedy)
            for path, problem, remedy in found
        )
        if faults or model is None:
            raise InputError(sorted(faults, key=lambda fault: fault.line or 0))
        return self._label(model)

    def _field_problems(self, value: dict[str, JsonValue]) -> Iterator[_Found]:
        fields = value.get("fields")
        if not isinstance(fields, dict) or not self._is_schema_known:
            return
        found = [*missing_and_unknown(self._specs, fields)]
        for name, spec in self._specs.items():
            if name in fields:
                found += (((name, *path), p) for path, p in value_problems(spec, fields[name]))
        doc = value.get("doc")
        for path, problem in found:
            remedy = None
            if problem == NOT_LABELLED:
                remedy = f'Add it, or run "evals golden label {str(doc)[:8]}".'
            yield ("fields", *path), problem, remedy

    def _cross_problems(self, model: LabelModel) -> Iterator[_Found]:
        if model.source is not None and self._sources and model.source not in self._sources:
            near = did_you_mean(model.source, [*self._sources])
            problem = f"{model.source!r} is not among the sources of the set"
            yield ("source",), problem, f"{near} Or add it to sources in set.yaml."
        for name in model.labelled_later:
            if name not in self._specs and self._is_schema_known:
                yield ("labelled_later", name), "no such field", did_you_mean(name, [*self._specs])
        last: dict[str, tuple[int, CorrectionModel]] = {}
        for i, correction in enumerate(model.corrections):
            if correction.field not in self._specs and self._is_schema_known:
                remedy = did_you_mean(correction.field, [*self._specs])
                yield ("corrections", i, "field"), "no such field", remedy
            last[correction.field] = (i, correction)
        for name, (i, correction) in last.items():
            if name in model.fields and model.fields[name] != correction.new:
                problem = f"the label of {name} is not what its last correction made it"
                remedy = "Record the later change too, with who, when and why."
                yield ("corrections", i, "to"), problem, remedy

    def _label(self, model: LabelModel) -> Label:
        source = self._sources.get(model.source) if model.source is not None else None
        convention = model.over(source.over(self._base) if source else self._base)
        return Label(
            doc=model.doc,
            name=model.name,
            labelled_by=model.labelled_by,
            labelled_at=model.labelled_at,
            source=model.source,
            convention=self._conventions.setdefault(convention, convention),
            tags=model.tags,
            readings={name: readings_of(model.fields[name]) for name in self._specs},
            corrections=tuple(
                Correction(field=c.field, old=c.old, new=c.new, by=c.by, at=c.at, reason=c.reason)
                for c in model.corrections
            ),
            labelled_later={
                name: LaterLabel(by=one.by, at=one.at) for name, one in model.labelled_later.items()
            },
        )

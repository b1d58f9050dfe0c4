"""What a model version would say of a document that is being labelled: shown, never taken silently.

A label copied from a model measures how well the model agrees with itself. Suggestions are off
unless asked for, and a document labelled with their help is tagged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.records import FieldSpec, Fixture, JsonValue
from evals_pipeline.core.run_records import Extraction, PartitionKey
from evals_pipeline.extract.predictions import PredictionFile
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.pipeline.documents import source_document
from evals_pipeline.pipeline.grid import Serving, serving
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.sets.label_files import Draft
from evals_pipeline.sets.media import media_type_of_name

TAG = "suggested-by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """A model version's values for one document; ``note`` says why there are none."""

    model_version: str
    values: Mapping[str, JsonValue]
    note: str | None = None


def suggestions_for(desk: LabellingDesk, draft: Draft, model_version: str) -> Suggestions:
    """What a model version says of a document: stored, or worked out where that costs nothing.

    Raises:
        UnknownNameError, RefusedError: There is no such model version, or it cannot serve the set.
    """
    how = serving(desk.project, desk.set_name, model_version)
    fixture = Fixture(
        fixture_id=draft.sha256,
        name=draft.name,
        sha256=draft.sha256,
        source_type=desk.desk.model.source_type,
        media_type=media_type_of_name(draft.doc),
        path=desk.path(draft.doc),
    )
    found = _stored(desk, fixture, model_version)
    if found is None:
        try:
            found = _worked_out(desk, draft, fixture, how)
        except EvalsError as error:
            return Suggestions(model_version=model_version, values={}, note=str(error))
    if found is None:
        note = "nothing is stored of this document, and asking the model would cost money"
        return Suggestions(model_version=model_version, values={}, note=note)
    if found.status is not ExtractionStatus.OK:
        note = f"{found.status.value}: {found.reason or 'no reason was given'}"
        return Suggestions(model_version=model_version, values={}, note=note)
    specs = desk.desk.specs
    values = {
        name: _of_schema(specs[name], value.value)
        for name, value in found.fields.items()
        # A field that the extractor does not know is no field that it says to be absent.
        if name in specs and value.presence is not Presence.KEY_MISSING
    }
    return Suggestions(model_version=model_version, values=values)


def _of_schema(spec: FieldSpec, value: JsonValue) -> JsonValue:
    """The value with the columns that the set has, and no others."""
    if not spec.columns or not isinstance(value, list):
        return value
    names = [column.name for column in spec.columns]
    return [{name: row.get(name) for name in names} for row in value if isinstance(row, dict)]


def _stored(desk: LabellingDesk, fixture: Fixture, model_version: str) -> Extraction | None:
    key = PartitionKey(set_name=desk.set_name, model_version=model_version, run_index=0)
    rows = desk.project.store.iter_extractions(key)
    return next((one for one in rows if one.fixture_id == fixture.fixture_id), None)


def _worked_out(
    desk: LabellingDesk, draft: Draft, fixture: Fixture, how: Serving
) -> Extraction | None:
    names = tuple(desk.desk.specs)
    if how.code is not None:
        document = source_document(fixture, convention=draft.convention, field_names=names)
        return run_code_extractor(how.code, document, run_index=0, required_fields=names)
    if how.predictions_path is not None:
        labelled = [one.fixture for one in desk.project.golden_set(desk.set_name).documents]
        others = [one for one in labelled if one.fixture_id != fixture.fixture_id]
        bound = PredictionFile.open(how.predictions_path).bind(
            [*others, fixture],
            output=OutputKind.FIELDS,
            field_names=names,
            model=how.model.provider_model,
        )
        return bound.extraction(fixture, min(bound.runs(), default=0))
    return None

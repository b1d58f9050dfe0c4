"""What is wrong with a golden set, all of it: a fault of its file hides none of its labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import validate
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.records import FieldSpec, GoldenDocument, GoldenSet, SourceConvention
from evals_pipeline.sets.conventions import ConventionModel
from evals_pipeline.sets.field_specs import field_spec
from evals_pipeline.sets.golden import SET_FILE, load_golden_set
from evals_pipeline.sets.labels import LabelReader
from evals_pipeline.sets.set_model import FieldModel
from evals_pipeline.sets.shelf import read_labels

_ANY_KIND = ""
"""The kind of a field whose entry is faulty: no label of it is called wrong for its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSurvey:
    """A golden set as far as it can be read, with every fault found on the way.

    ``golden`` is None where a fault keeps the set from loading. ``documents`` are those whose
    labels load, ``fields`` those by which a labelled value can be read; none where nobody can say
    in what notation the labels are.
    """

    folder: Path
    name: str
    golden: GoldenSet | None
    documents: tuple[GoldenDocument, ...]
    fields: tuple[FieldSpec, ...]
    prompt_path: Path | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stated:
    """What can be read of a ``set.yaml`` that is faulty, or whose labels are."""

    name: str
    prompt: str | None
    specs: Mapping[str, FieldSpec]
    base: SourceConvention | None
    sources: Mapping[str, ConventionModel]
    is_schema_known: bool


def survey_golden_set(
    folder: Path, *, verify_documents: bool = True, name: str | None = None
) -> GoldenSurvey:
    """The golden set in ``folder``, its faults, and what there is of it beside them.

    Takes what ``load_golden_set`` takes. A set without a fault is read once.
    """
    try:
        golden = load_golden_set(folder, verify_documents=verify_documents, name=name)
    except InputError as error:
        return _despite(folder, error.faults, verify=verify_documents)
    return GoldenSurvey(
        folder=folder,
        name=golden.name,
        golden=golden,
        documents=golden.documents,
        fields=golden.fields,
        prompt_path=golden.prompt_path,
        faults=(),
    )


def _despite(folder: Path, faults: tuple[Fault, ...], *, verify: bool) -> GoldenSurvey:
    stated = _stated(folder)
    reader = LabelReader(
        stated.specs,
        base=stated.base or SourceConvention(),
        sources=stated.sources,
        is_schema_known=stated.is_schema_known,
    )
    found = read_labels(folder, reader, source_type="", verify=verify)
    readable = [spec for spec in stated.specs.values() if spec.kind != _ANY_KIND]
    return GoldenSurvey(
        folder=folder,
        name=stated.name,
        golden=None,
        documents=tuple(found.documents),
        fields=() if stated.base is None else tuple(readable),
        prompt_path=None if stated.prompt is None else folder / stated.prompt,
        faults=tuple(dict.fromkeys((*faults, *found.faults))),
    )


def _stated(folder: Path) -> _Stated:
    try:
        value = strict_yaml.loads((folder / SET_FILE).read_bytes(), where=SET_FILE).value
    except (InputError, OSError):
        value = None
    stated = value if isinstance(value, dict) else {}
    fields = stated.get("fields")
    name, prompt = stated.get("set"), stated.get("prompt")
    own = {key: stated[key] for key in ConventionModel.model_fields if key in stated}
    base = _convention(own)
    raw_sources = stated.get("sources") or {}
    by_name = raw_sources if isinstance(raw_sources, dict) else {}
    sources = {source: _convention(raw) for source, raw in by_name.items()}
    is_whole = base is not None and all(one is not None for one in sources.values())
    return _Stated(
        name=name if isinstance(name, str) else folder.name,
        prompt=prompt if isinstance(prompt, str) else None,
        specs={n: _spec(n, raw) for n, raw in fields.items()} if isinstance(fields, dict) else {},
        base=base.over(SourceConvention()) if base is not None and is_whole else None,
        sources={source: one or ConventionModel() for source, one in sources.items()},
        is_schema_known=isinstance(fields, dict),
    )


def _spec(name: str, raw: object) -> FieldSpec:
    try:
        return field_spec(name, validate(FieldModel, raw, where=SET_FILE))
    except InputError:
        return FieldSpec(name=name, kind=_ANY_KIND)


def _convention(raw: object) -> ConventionModel | None:
    try:
        return validate(ConventionModel, raw, where=SET_FILE)
    except InputError:
        return None

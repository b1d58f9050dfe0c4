"""Golden sets: a schema, documents frozen by content, and labels that leave nothing out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import fault_at, validate_yaml
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.records import GoldenDocument, GoldenSet, SourceConvention
from evals_pipeline.core.strict_yaml import YamlDoc
from evals_pipeline.sets.field_specs import field_spec, gate_policy, schema_digest
from evals_pipeline.sets.labels import LabelReader
from evals_pipeline.sets.paths import shown, stays_inside
from evals_pipeline.sets.set_model import SetModel
from evals_pipeline.sets.shelf import read_labels

SET_FILE = "set.yaml"


def discover_golden_sets(golden_dir: Path) -> dict[str, Path]:
    """The golden sets of a directory: the name of every folder with a ``set.yaml``, sorted."""
    if not golden_dir.is_dir():
        return {}
    folders = sorted(golden_dir.iterdir(), key=lambda path: path.name)
    return {folder.name: folder for folder in folders if (folder / SET_FILE).is_file()}


def load_golden_set(
    folder: Path, *, verify_documents: bool = True, name: str | None = None
) -> GoldenSet:
    """The golden set in ``folder``; time and memory grow with the number of labels only.

    Args:
        folder: Holds ``set.yaml``, ``documents/`` and ``labels/``.
        verify_documents: Whether the bytes of every document are compared with its name. They are
            read in pieces and never kept.
        name: The name that the set must state; None takes whatever it states.

    Raises:
        InputError: The schema, a label or a document is faulty; every fault of all files.
    """
    model, doc = read_set_file(folder, name=name)
    specs = {field: field_spec(field, stated) for field, stated in model.fields.items()}
    base = model.over(SourceConvention())
    reader = LabelReader(specs, base=base, sources=model.sources)
    found = read_labels(folder, reader, source_type=model.source_type, verify=verify_documents)
    documents = found.documents
    faults = [*_prompt_faults(model, doc, folder), *found.faults]
    if faults:
        raise InputError(faults)
    return GoldenSet(
        name=model.set,
        source_type=model.source_type,
        convention=base,
        fields=tuple(specs.values()),
        gate=gate_policy(model.gate),
        documents=tuple(documents),
        path=folder,
        prompt_path=folder / model.prompt if model.prompt is not None else None,
        schema_digest=schema_digest(specs.values(), base),
        corpus_digest=digest_of([document.fixture.sha256 for document in documents]),
        labels_digest=_labels_digest(documents),
        notation_digest=_notation_digest(documents),
        warnings=tuple(_warnings(model, folder, documents, found.names)),
        sources=tuple(model.sources),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOutline:
    """What ``set.yaml`` alone says of a set, however many labels and documents it has."""

    source_type: str
    prompt_path: Path | None


def read_outline(folder: Path) -> SetOutline:
    """The outline of the golden set in ``folder``; no label and no document is looked at.

    Raises:
        InputError: ``set.yaml`` is missing or faulty.
    """
    model, doc = read_set_file(folder)
    faults = list(_prompt_faults(model, doc, folder))
    if faults:
        raise InputError(faults)
    prompt_path = folder / model.prompt if model.prompt is not None else None
    return SetOutline(source_type=model.source_type, prompt_path=prompt_path)


def read_set_file(folder: Path, *, name: str | None = None) -> tuple[SetModel, YamlDoc]:
    """What a set's ``set.yaml`` states, without its labels and documents.

    Raises:
        InputError: It cannot be read, is faulty, or states another name; every fault.
    """
    where = shown(folder / SET_FILE)
    try:
        content = (folder / SET_FILE).read_bytes()
    except OSError as error:
        raise InputError.one(where, f"cannot be read: {error.strerror}") from error
    doc = strict_yaml.loads(content, where=where)
    model = validate_yaml(SetModel, doc, where=where)
    if name is not None and model.set != name:
        problem = f"set: states {model.set!r}; expected {name!r}, the name of its folder"
        raise InputError.one(where, problem, line=doc.line_of(("set",)))
    return model, doc


def _prompt_faults(model: SetModel, doc: YamlDoc, folder: Path) -> Iterator[Fault]:
    if model.prompt is not None and not stays_inside(folder / model.prompt, folder):
        problem = f"{model.prompt!r} leads out of the set's folder"
        line = doc.line_of(("prompt",))
        yield fault_at(("prompt",), problem, where=shown(folder / SET_FILE), line=line)


def _notation_digest(documents: list[GoldenDocument]) -> str:
    stated = ((one.fixture.sha256, one.convention) for one in documents)
    return digest_of([[sha, of.locale, of.currency, list(of.formats)] for sha, of in stated])


def _labels_digest(documents: list[GoldenDocument]) -> str:
    hasher = sha256()
    for document in documents:
        own = document.convention
        convention = [own.locale, own.currency, own.formats]
        stated = [document.fixture.sha256, convention, document.labels]
        hasher.update(digest_of(stated).encode("ascii"))
    return hasher.hexdigest()


def _warnings(
    model: SetModel, folder: Path, documents: list[GoldenDocument], names: frozenset[str]
) -> Iterator[str]:
    where = shown(folder / SET_FILE)
    if "tolerance" not in model.gate.model_fields_set:
        yield f"{where}: gate.tolerance is not stated; any drop fails"
    labelled = {document.fixture.path.name for document in documents if document.fixture.path}
    if bare := sorted(names - labelled):
        yield f"{shown(folder)}: {_unlabelled(bare)}"
    for name, ids in _shared_names(documents).items():
        yield f"{shown(folder)}: the name {name!r} is that of {' and '.join(ids)}"


def _unlabelled(names: list[str]) -> str:
    """One line however many there are: a newcomer labels five of two hundred to begin with."""
    shown_names = [f"{stem[:12]}…" if len(stem := Path(name).stem) > 12 else stem for name in names]
    if len(names) == 1:
        return f"document {shown_names[0]} has no label; it is not part of the set yet"
    listed = ", ".join(shown_names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{len(names)} documents have no label, they are not part of the set yet: {listed}"


def _shared_names(documents: list[GoldenDocument]) -> Mapping[str, list[str]]:
    by_name: dict[str, list[str]] = {}
    for document in documents:
        by_name.setdefault(document.fixture.name, []).append(document.fixture.fixture_id[:12])
    return {name: ids for name, ids in by_name.items() if len(ids) > 1}

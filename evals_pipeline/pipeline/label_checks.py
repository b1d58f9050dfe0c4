"""Looks at labels that are there: do they load, can they be read, does the document say so?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.json_lines import JsonLines
from evals_pipeline.core.records import (
    FieldSpec,
    Fixture,
    GoldenDocument,
    GoldenSet,
    JsonValue,
    SourceConvention,
)
from evals_pipeline.core.strict_yaml import YamlPath
from evals_pipeline.extract.documents import PDF
from evals_pipeline.judge.kinds.protocol import Canonical, Reading, Side
from evals_pipeline.judge.kinds.reader import ValueReader, make_reader
from evals_pipeline.judge.lookback import DocumentText
from evals_pipeline.pipeline.documents import text_if_readable
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.sets import check_pdf_opens, load_golden_set, read_content
from evals_pipeline.sets.label_values import ALTERNATIVES
from evals_pipeline.sets.labelling import unfinished
from evals_pipeline.sets.paths import shown
from evals_pipeline.sets.shelf import LABELS

MOST_BLANKS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """A labelled value that does not stand in its document's text.

    No fault by itself: it may be worked out, or stand in a picture. It is where to look first.
    """

    document: str
    doc: str
    field: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCheck:
    """What a look at a set's labels found; ``faults`` keep it from being trusted, the rest not.

    ``found`` counts values that stand in their documents, ``unsaid`` those of which that cannot be
    said: absences, tables, words of a vocabulary, pictures.
    """

    set_name: str
    labelled: int
    drafts: tuple[Fault, ...]
    faults: tuple[Fault, ...]
    found: int
    unsaid: int
    not_found: tuple[NotFound, ...]
    warnings: tuple[str, ...]


def verify_labels(desk: LabellingDesk) -> LabelCheck:
    """Hashes, completeness, values that no kind reads, values that no document holds."""
    drafts = tuple(
        fault
        for draft in desk.desk.to_label()
        if not draft.is_label and (fault := unfinished(desk.desk, draft)) is not None
    )
    try:
        golden = load_golden_set(desk.folder, name=desk.set_name)
    except InputError as error:
        return LabelCheck(
            set_name=desk.set_name,
            labelled=sum(1 for _ in desk.desk.labels()),
            drafts=drafts,
            faults=error.faults,
            found=0,
            unsaid=0,
            not_found=(),
            warnings=("values were not looked at, because the set does not load",),
        )
    faults = unread_labels(desk.folder, golden.documents, golden.fields)
    faults += unopened_documents(golden.documents)
    looked = [one for document in golden.documents for one in _looked_up(golden, document)]
    return LabelCheck(
        set_name=desk.set_name,
        labelled=len(golden.documents),
        drafts=drafts,
        faults=tuple(faults),
        found=sum(1 for is_found, _ in looked if is_found),
        unsaid=sum(1 for is_found, _ in looked if is_found is None),
        not_found=tuple(one for is_found, one in looked if is_found is False),
        warnings=golden.warnings,
    )


def unopened_documents(documents: Iterable[GoldenDocument]) -> list[Fault]:
    """The documents that cannot be opened, or are empty, so that nothing will be extracted.

    What is not there, or not what was labelled, is told by the set's own check.
    """
    found: list[Fault] = []
    for document in documents:
        fixture = document.fixture
        try:
            content = read_content(fixture) if _may_fail(fixture) else None
        except (InputError, OSError):
            continue
        if content is None:
            continue
        where = fixture.name
        if fixture.media_type != PDF:
            if not content.strip():
                found.append(Fault(where=where, problem="is empty", remedy=_TAKE_OUT))
            continue
        try:
            check_pdf_opens(content)
        except InputError as error:
            found += [replace(one, where=f"{where}: {one.where}") for one in error.faults]
    return found


_TAKE_OUT = "Take it out of the set."


def _may_fail(fixture: Fixture) -> bool:
    """Whether a document is a PDF, or so short that it may hold nothing; no other one is read."""
    if fixture.media_type == PDF or fixture.path is None:
        return True
    return fixture.path.stat().st_size <= MOST_BLANKS


def unread_labels(
    folder: Path, documents: Iterable[GoldenDocument], fields: Sequence[FieldSpec]
) -> list[Fault]:
    """The labelled values that no kind reads: only the same letters would equal them.

    Args:
        folder: The golden set's.
        documents: Those whose labels load.
        fields: The fields to look at.
    """
    readers: dict[tuple[str, str | None, SourceConvention], ValueReader] = {}

    def read(document: GoldenDocument, spec: FieldSpec, one: _Value) -> Reading:
        key = spec.name, None if one.part is spec else one.part.name, document.convention
        if key not in readers:
            readers[key] = make_reader(one.part, document.convention, Side.LABEL)
        return readers[key].read(one.value)

    return [
        _unread(folder, document, spec, one, reading.form)
        for document in documents
        for spec in fields
        for one in _values(document, spec)
        if (reading := read(document, spec, one)).form is not None and reading.text is None
    ]


def _unread(
    folder: Path, document: GoldenDocument, spec: FieldSpec, one: "_Value", form: Canonical | None
) -> Fault:
    sha256 = document.fixture.sha256
    label = folder / LABELS / f"{sha256}.json"
    problem = (form.problem if form else None) or "cannot be read"
    return Fault(
        where=shown(label),
        line=JsonLines(label.read_bytes()).line_of(("fields", spec.name, *one.path)),
        problem=f"{one.place}: {problem}",
        remedy=f"evals golden correct {sha256[:8]} {spec.name} VALUE --reason WHY",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A single value of a label: its place in words and as a path, and how it is compared."""

    place: str
    path: YamlPath
    part: FieldSpec
    value: JsonValue


def _values(document: GoldenDocument, spec: FieldSpec) -> Iterator[_Value]:
    """Every single value of a label."""
    readings = document.labels[spec.name]
    columns = {column.name: column for column in spec.columns}
    for i, reading in enumerate(readings):
        path: YamlPath = () if len(readings) == 1 else (ALTERNATIVES, i)
        if isinstance(reading, list) and columns:
            for number, row in enumerate(reading):
                for name, cell in row.items() if isinstance(row, dict) else ():
                    if name in columns:
                        yield _Value(
                            place=f"{spec.name}, row {number + 1}, {name}",
                            path=(*path, number, name),
                            part=columns[name],
                            value=cell,
                        )
        elif isinstance(reading, list):
            for number, item in enumerate(reading):
                yield _Value(
                    place=f"{spec.name}, item {number + 1}",
                    path=(*path, number),
                    part=spec.item or _TEXT_ITEM,
                    value=item,
                )
        else:
            yield _Value(place=spec.name, path=path, part=spec, value=reading)


_TEXT_ITEM = FieldSpec(name="item", kind="text")


def _looked_up(
    golden: GoldenSet, document: GoldenDocument
) -> Iterator[tuple[bool | None, NotFound]]:
    """For every field: whether one of its accepted readings stands in the document."""
    content = read_content(document.fixture)
    text = text_if_readable(content, media_type=document.fixture.media_type)
    looked_in = DocumentText(text) if text else None
    for spec in golden.fields:
        reader = make_reader(spec, document.convention, Side.EXTRACTED)
        as_label = make_reader(spec, document.convention, Side.LABEL)
        readings = [as_label.read(value) for value in document.labels[spec.name]]
        held = [looked_in.holds(one, reader) for one in readings] if looked_in else [None]
        is_found = True if True in held else False if False in held else None
        yield (
            is_found,
            NotFound(
                document=document.fixture.name,
                doc=document.fixture.sha256,
                field=spec.name,
                value=" or ".join(str(one) for one in document.labels[spec.name]),
            ),
        )

"""Looks at labels that are there: do they load, can they be read, does the document say so?"""

from collections.abc import Iterator
from dataclasses import dataclass

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.records import FieldSpec, GoldenDocument, GoldenSet, JsonValue
from evals_pipeline.judge.kinds.protocol import Side
from evals_pipeline.judge.kinds.reader import make_reader
from evals_pipeline.judge.lookback import DocumentText
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.sets import load_golden_set, read_content, text_of
from evals_pipeline.sets.labelling import unfinished
from evals_pipeline.sets.paths import shown


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
    faults = [fault for document in golden.documents for fault in _unread(golden, document)]
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


def _unread(golden: GoldenSet, document: GoldenDocument) -> Iterator[Fault]:
    sha256 = document.fixture.sha256
    for spec in golden.fields:
        for place, part, value in _values(document, spec):
            reading = make_reader(part, document.convention, Side.LABEL).read(value)
            if reading.form is not None and reading.text is None:
                yield Fault(
                    where=f"{shown(golden.path)}/labels/{sha256}.json: {place}",
                    problem=reading.form.problem or "cannot be read",
                    remedy=f"evals golden correct {sha256[:8]} {spec.name} VALUE --reason WHY",
                )


def _values(
    document: GoldenDocument, spec: FieldSpec
) -> Iterator[tuple[str, FieldSpec, JsonValue]]:
    """Every single value of a label: its place, how it is compared, and what it is."""
    for reading in document.labels[spec.name]:
        if isinstance(reading, list) and spec.columns:
            columns = {column.name: column for column in spec.columns}
            for number, row in enumerate(reading, start=1):
                cells = row.items() if isinstance(row, dict) else ()
                for name, cell in cells:
                    if name in columns:
                        yield f"{spec.name}, row {number}, {name}", columns[name], cell
        elif isinstance(reading, list):
            for number, item in enumerate(reading, start=1):
                yield f"{spec.name}, item {number}", spec.item or _TEXT_ITEM, item
        else:
            yield spec.name, spec, reading


_TEXT_ITEM = FieldSpec(name="item", kind="text")


def _looked_up(
    golden: GoldenSet, document: GoldenDocument
) -> Iterator[tuple[bool | None, NotFound]]:
    """For every field: whether one of its accepted readings stands in the document."""
    content = read_content(document.fixture)
    text = text_of(content, media_type=document.fixture.media_type)
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

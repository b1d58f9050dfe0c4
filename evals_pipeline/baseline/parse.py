"""Reads a baseline file back, strictly; what a merge or a person did to it is a fault.

A line that a merge dropped, or took from the other side, would move a figure without a trace.
Hence: no key unknown or missing, every field over the same documents, every line over the head's
number of runs.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from evals_pipeline.baseline.record import FORMAT
from evals_pipeline.core.edges import Count, EdgeModel, Exact, Text, validate
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.figures import Baseline, BaselinePins, DocumentTally
from evals_pipeline.core.strict_json import loads

MAX_BYTES = 2**30
_REMEDY = 'Take the file of one commit, or record it anew with "evals baseline record".'


class _Pins(EdgeModel):
    set_name: Text
    model_version: Text
    provider_model: Text
    prompt_sha256: Text | None
    extractor: Text
    schema_digest: Text
    corpus_digest: Text
    labels_digest: Text
    n_runs: Annotated[Count, Field(ge=1)]
    recorded_at: Text
    package_version: Text


class _Line(EdgeModel):
    correct: Annotated[Count, Field(ge=0)]
    label: Text
    name: Text
    runs: Count


class _Lines(EdgeModel):
    documents: dict[str, _Line]


class _File(EdgeModel):
    """The head; the lines stay as read, since a set may have millions of them."""

    format: Annotated[Count, Field(ge=FORMAT, le=FORMAT)]
    pins: _Pins
    calibration: dict[str, Annotated[Exact, Field(ge=0, le=1)]]
    cost_usd: Annotated[Exact, Field(ge=0)] | None
    fields: dict[str, dict[str, Any]]


def parse_baseline(text: str | bytes, *, where: str) -> Baseline:
    """The baseline that ``text`` states.

    Raises:
        InputError: With every fault; ``where`` stands in each.
    """
    if conflict := _first_conflict(text):
        problem = "holds the markers of a merge conflict"
        raise InputError.one(where, problem, line=conflict, remedy=_REMEDY)
    head = validate(_File, loads(text, where=where, max_bytes=MAX_BYTES), where=where)
    faults: list[Fault] = []
    fields: dict[str, tuple[DocumentTally, ...]] = {}
    documents = set().union(*head.fields.values())
    for name, lines in head.fields.items():
        inside = ("fields", name)
        try:
            read = validate(_Lines, {"documents": lines}, where=where, inside=inside).documents
        except InputError as error:
            faults += error.faults
            continue
        faults += _line_faults(read, head.pins.n_runs, documents, where=f"{where}: fields.{name}")
        fields[name] = tuple(_tally(document, line) for document, line in read.items())
        lines.clear()
    if faults:
        raise InputError(faults)
    return Baseline(
        pins=BaselinePins(**head.pins.model_dump()),
        fields=fields,
        calibration=head.calibration,
        cost_usd=head.cost_usd,
    )


def _first_conflict(text: str | bytes) -> int | None:
    """The line of the first marker that git leaves in a file it could not merge."""
    lines = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if b"<<<<<<< " not in lines:
        return None
    return next(
        (n for n, line in enumerate(lines.splitlines(), 1) if line.startswith(b"<<<<<<< ")), None
    )


def _line_faults(
    lines: Mapping[str, _Line], n_runs: int, documents: Iterable[str], *, where: str
) -> Iterator[Fault]:
    if lost := sorted(set(documents) - lines.keys()):
        problem = f"{len(lost)} documents that other fields have, such as {lost[0][:12]}, are lost"
        yield Fault(where=where, problem=problem, remedy=_REMEDY)
    for document, line in lines.items():
        if line.runs != n_runs or line.correct > n_runs:
            problem = f"{line.correct} of {line.runs} runs; expected at most {n_runs} of {n_runs}"
            yield Fault(where=f"{where}.{document[:12]}", problem=problem, remedy=_REMEDY)


def _tally(document: str, line: _Line) -> DocumentTally:
    return DocumentTally(
        fixture_id=document,
        document=line.name,
        correct=line.correct,
        n=line.runs,
        gold_digest=line.label,
    )

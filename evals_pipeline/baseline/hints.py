"""Hints beside a gate: what makes a figure harder to read or to believe. They never decide."""

import re
from collections.abc import Iterable, Iterator, Sequence

from evals_pipeline.baseline.measurement import Measurement
from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import Baseline, FieldDelta
from evals_pipeline.core.records import GoldenDocument
from evals_pipeline.core.run_records import StatusCounts

_NAMED = 3
_DIGEST = re.compile(r"[0-9a-f]{40,}")


def set_hints(
    documents: Sequence[GoldenDocument], *, fewest: int = 40, most: int = 600
) -> Iterator[str]:
    """What the set itself cannot tell: too few or too many documents, labels not read again."""
    n = len(documents)
    size = f"the set holds {counted(n, 'document')}"
    if n == 0:
        yield "the set holds no documents"
    elif n < fewest:
        yield f"{size}; under {fewest} one document moves a field by {1 / n:.3f}"
    elif n > most:
        yield f"{size}; over {most} a run costs more than it adds"
    older = [
        document.fixture.name
        for document in documents
        if any(correction.at > document.labelled_at for correction in document.corrections)
    ]
    if older:
        yield f"read {_some(older)} again: a label was corrected after the others were set"


def empty_slices(expected: Iterable[str], found: Iterable[str]) -> Iterator[str]:
    """Slices that were to be there and hold no document, such as a source that lost its last."""
    if empty := sorted(set(expected) - set(found)):
        yield f"slices without a document: {_some(empty)}; nothing is known about them"


def prompt_hints(n_hunks: int, *, since: str) -> Iterator[str]:
    """A change in several places, whose effects cannot be told apart."""
    if n_hunks > 1:
        yield (
            f"the prompt changed in {n_hunks} places since {since}: an effect cannot be attributed "
            "to one of them; one change a commit can"
        )


def pin_hints(baseline: Baseline, now: Measurement) -> Iterator[str]:
    """Differences between the two sides that are no refusal and may explain a difference."""
    before, pins = baseline.pins, now.pins
    if before.schema_digest != pins.schema_digest:
        yield (
            "set.yaml compares fields in another way than when the baseline was recorded, so a "
            "difference may come from the measure"
        )
    if before.extractor != pins.extractor:
        yield f"the extractor is {_short(pins.extractor)}, it was {_short(before.extractor)}"
    if before.n_runs != pins.n_runs:
        runs = counted(pins.n_runs, "run")
        yield f"{runs} now, {before.n_runs} in the baseline: one side is noisier"
    if before.package_version != pins.package_version:
        yield (
            f"the baseline was scored by evals_pipeline {before.package_version}, today's figures "
            f"by {pins.package_version}"
        )
    if before.set_name != pins.set_name:
        yield f"the baseline was recorded while the set was called {before.set_name}"


def status_hints(statuses: StatusCounts) -> Iterator[str]:
    """Answers that count as wrong in every field."""
    counts = {
        "truncated": statuses.truncated,
        "unparsable": statuses.unparsable,
        "error": statuses.error,
        "declined": statuses.declined,
        "absent": statuses.absent,
    }
    parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    if parts:
        yield f"{parts} of {statuses.planned} extractions: each counts as wrong in every field"


def row_hints(rows: Sequence[FieldDelta]) -> Iterator[str]:
    """Rows whose figure is less certain than it looks, one sentence for all that are alike."""
    unstable = [row.field for row in rows if row.is_unstable]
    if unstable:
        yield f"unstable, answers differ between runs of the same document: {', '.join(unstable)}"
    unsure = [row.field for row in rows if row.verdict.fails and row.is_within_noise]
    if unsure:
        yield (
            f"within noise, so that more runs or documents would tell: {', '.join(unsure)}; the "
            "tolerance decides all the same"
        )


def _short(extractor: str) -> str:
    """An extractor's version with its digests cut to what tells them apart."""
    return _DIGEST.sub(lambda match: match[0][:7], extractor)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")

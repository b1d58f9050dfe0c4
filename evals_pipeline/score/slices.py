"""Slices of a golden set: the documents of one source, locale, tag or media type.

A prompt change that breaks only the faxes hides in a figure over all documents.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evals_pipeline.core.figures import SliceFigures
from evals_pipeline.core.records import GoldenDocument
from evals_pipeline.score.tally import FieldTally


def slices_of(document: GoldenDocument) -> Iterator[str]:
    """The names of the slices that a document lies in; what it does not state makes none.

    ``source=acme``, ``locale=de_DE``, ``media_type=application/pdf``, ``tag=fax`` (one a tag).
    """
    if document.source is not None:
        yield f"source={document.source}"
    if document.convention.locale is not None:
        yield f"locale={document.convention.locale}"
    yield f"media_type={document.fixture.media_type}"
    for tag in dict.fromkeys(document.tags):
        yield f"tag={tag}"


def members_by_slice(documents: Sequence[GoldenDocument]) -> Mapping[str, list[int]]:
    """The positions of each slice's documents; slices in the order of their names."""
    members: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        for name in slices_of(document):
            members.setdefault(name, []).append(place)
    return dict(sorted(members.items()))


def slice_figures(
    documents: Sequence[GoldenDocument], tallies: Iterable[FieldTally]
) -> tuple[SliceFigures, ...]:
    """Every field's count within every slice, over planned documents times runs."""
    members = members_by_slice(documents)
    return tuple(
        SliceFigures(
            slice=name,
            field=tally.spec.name,
            n=len(places) * tally.n_runs,
            correct=tally.correct_of(places),
        )
        for tally in tallies
        for name, places in members.items()
    )

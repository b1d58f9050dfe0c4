"""Where in their documents the values of misses stand, as excerpts that a page can show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.figures import SetFigures
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import Fixture, GoldenDocument, GoldenSet
from evals_pipeline.judge.kinds.protocol import Side as JudgeSide
from evals_pipeline.judge.kinds.reader import ValueReader, make_reader
from evals_pipeline.judge.places import Place, PlaceFinder
from evals_pipeline.pipeline.excerpts import excerpts
from evals_pipeline.report.html.page import Excerpt, PlaceKey, Side
from evals_pipeline.sets import read_content, text_of

MOST_PLACES = 10_000
"""Misses whose place is looked for on one page; a page of more would not open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlaces:
    """Excerpts by miss; ``n_not_looked_for`` misses lie beyond the limit."""

    places: Mapping[PlaceKey, tuple[Excerpt, ...]]
    n_not_looked_for: int


def places_of_misses(
    golden: GoldenSet, figures: SetFigures, *, limit: int = MOST_PLACES
) -> FoundPlaces:
    """The places of wanted and given values of a set's misses, each document read once.

    A document without text (a scan) has none, and neither has a value that stands there in no
    notation that its kind reads.
    """
    by_document: dict[str, list[PlaceKey]] = {}
    n_looked = n_left = 0
    for key in _keys(figures):
        if n_looked < limit:
            by_document.setdefault(key[0], []).append(key)
            n_looked += 1
        else:
            n_left += 1
    documents = {one.fixture.fixture_id: one for one in golden.documents}
    places: dict[PlaceKey, tuple[Excerpt, ...]] = {}
    readers = _Readers(golden)
    for fixture_id, keys in by_document.items():
        document = documents.get(fixture_id)
        text = None if document is None else text_in(document.fixture)
        if document is None or text is None:
            continue
        finder = PlaceFinder(text)
        for key in keys:
            found = tuple(_places(key, finder, readers.of(key[1], document)))
            if found:
                places[key] = excerpts(text, found)
    return FoundPlaces(places=places, n_not_looked_for=n_left)


def text_in(fixture: Fixture) -> str | None:
    """A document's text; None where it has none that can be read."""
    try:
        return text_of(read_content(fixture), media_type=fixture.media_type)
    except InputError:
        # The figures stand without it, and validation reports the file.
        return None


def _keys(figures: SetFigures) -> Iterator[PlaceKey]:
    """Every distinct miss that a value can be looked for."""
    for one in figures.fields:
        seen: set[PlaceKey] = set()
        for miss in one.misses:
            key = (miss.fixture_id, one.field, miss.want, miss.got)
            if key not in seen and miss.outcome is not FieldOutcome.ERROR:
                seen.add(key)
                yield key


class _Readers:
    """One reader a field and convention."""

    def __init__(self, golden: GoldenSet) -> None:
        self._specs = {spec.name: spec for spec in golden.fields}
        self._readers: dict[tuple[str, object], ValueReader | None] = {}

    def of(self, field: str, document: GoldenDocument) -> ValueReader | None:
        key = (field, document.convention)
        if key not in self._readers:
            spec = self._specs.get(field)
            self._readers[key] = (
                None
                if spec is None
                else make_reader(spec, document.convention, JudgeSide.EXTRACTED)
            )
        return self._readers[key]


def _places(
    key: PlaceKey, finder: PlaceFinder, reader: ValueReader | None
) -> Iterator[tuple[Place, Side]]:
    if reader is None:
        return
    _, _, want, got = key
    wanted = next(
        (place for one in (want or "").split(" | ") if (place := finder.find(one, reader))), None
    )
    given = None if got is None else finder.find(got, reader)
    if wanted is not None and wanted == given:
        yield wanted, Side.BOTH
        return
    if wanted is not None:
        yield wanted, Side.WANT
    if given is not None:
        yield given, Side.GOT

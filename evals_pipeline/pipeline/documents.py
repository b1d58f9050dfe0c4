"""The documents of a set as extractors see them."""

from collections.abc import Iterator, Mapping

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import Fixture, SourceConvention
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets import read_content, text_of

_NO_CONVENTION = SourceConvention()


def fixtures_of(project: Project, set_name: str) -> dict[str, Fixture]:
    """A set's planned fixtures by id, in the set's order."""
    if project.kind_of(set_name) is SetKind.FIELDS:
        documents = project.golden_set(set_name).documents
        return {one.fixture.fixture_id: one.fixture for one in documents}
    return {case.fixture.fixture_id: case.fixture for case in project.suite(set_name).cases}


def source_document(
    fixture: Fixture,
    *,
    convention: SourceConvention = _NO_CONVENTION,
    field_names: tuple[str, ...] = (),
) -> SourceDocument:
    """One fixture read, its hash verified, its text taken where its media type has one.

    A document that cannot be opened has its ``problem`` in place of a text.

    Raises:
        InputError: the bytes are gone or are not those that the set froze.
    """
    content = read_content(fixture)
    text, problem = None, None
    try:
        text = text_of(content, media_type=fixture.media_type)
    except InputError as error:
        problem = "; ".join(f"the {fault.where} {fault.problem}" for fault in error.faults)
    return SourceDocument(
        fixture_id=fixture.fixture_id,
        name=fixture.name,
        source_type=fixture.source_type,
        media_type=fixture.media_type,
        content=content,
        text=text,
        problem=problem,
        locale=convention.locale,
        currency=convention.currency,
        formats=convention.formats,
        field_names=field_names,
    )


def text_if_readable(content: bytes, *, media_type: str) -> str | None:
    """The text of a document; None also where it cannot be opened, which its extraction tells."""
    try:
        return text_of(content, media_type=media_type)
    except InputError:
        return None


def source_documents(project: Project, set_name: str) -> Iterator[SourceDocument]:
    """A set's documents one by one, so that one document at a time is in memory."""
    names = field_names(project, set_name)
    conventions = _conventions(project, set_name)
    for fixture in fixtures_of(project, set_name).values():
        yield source_document(
            fixture,
            convention=conventions.get(fixture.fixture_id, _NO_CONVENTION),
            field_names=names,
        )


def field_names(project: Project, set_name: str) -> tuple[str, ...]:
    """The fields of a golden set's schema; () for a suite."""
    if project.kind_of(set_name) is not SetKind.FIELDS:
        return ()
    return tuple(spec.name for spec in project.golden_set(set_name).fields)


def _conventions(project: Project, set_name: str) -> Mapping[str, SourceConvention]:
    if project.kind_of(set_name) is not SetKind.FIELDS:
        return {}
    documents = project.golden_set(set_name).documents
    return {one.fixture.fixture_id: one.convention for one in documents}

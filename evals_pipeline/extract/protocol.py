"""What an extractor is, what it is given and what it hands back.

An extractor states what it accepts and turns one document into claims or into field values. It may
raise: ``extract.run`` turns that into a status. Code extractors and prompts share ``Routable``;
only code extractors have ``extract``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.core.run_records import Claim, FieldValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """One fixture as an extractor sees it.

    ``content`` is the bytes as frozen; ``text`` the same as text where the media type has one,
    else None. ``locale``, ``currency`` and ``formats`` are what the set states of the source's
    notation; suites state none. ``field_names`` are the fields that the set's schema asks for; ()
    asks for whatever the extractor knows. ``reference_date`` is the ISO 8601 day from which the
    document counts ("tomorrow"), where its suite states one. ``problem`` is why it cannot be read;
    such a document is given to no extractor.
    """

    fixture_id: str
    name: str
    source_type: str
    media_type: str
    content: bytes
    text: str | None
    locale: str | None = None
    currency: str | None = None
    formats: tuple[str, ...] = ()
    field_names: tuple[str, ...] = ()
    reference_date: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What one extractor says of one document, before it is stamped with fixture and run.

    ``reason`` explains any status but ok. ``recovered`` and ``repaired`` as in ``Extraction``.
    """

    status: ExtractionStatus = ExtractionStatus.OK
    reason: str | None = None
    claims: tuple[Claim, ...] = ()
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    recovered: bool = False
    repaired: bool = False


class Routable(Protocol):
    """What routing asks of an extractor, whether code or prompt.

    ``must_not`` names the source types that it has to leave to others, whatever it accepts.
    """

    @property
    def extractor_id(self) -> str:
        """The name under which it is registered."""
        ...

    @property
    def must_not(self) -> frozenset[str]:
        """Source types that are never its own."""
        ...

    def accepts(self, source_type: str) -> bool:
        """Whether it can read this source type."""
        ...


@runtime_checkable
class Extractor(Routable, Protocol):
    """An extractor written in Python; deterministic, so that a second run says the same.

    ``version`` changes whenever its output can change; ``<id>@<version>`` is its model version.
    """

    @property
    def version(self) -> str:
        """What tells its output from an earlier edition's."""
        ...

    @property
    def output(self) -> OutputKind:
        """Whether it states claims or fills fields."""
        ...

    def extract(self, document: SourceDocument) -> Draft:
        """The document's claims or field values; may raise."""
        ...

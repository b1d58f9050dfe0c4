"""What resolvers and authorities are, and the store that a resolution writes to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol
from unicodedata import normalize

from evals_pipeline.core.resolution_records import ExternalRef


class AuthorityUnreachableError(Exception):
    """An authority could not be asked, or answered with a failure; it has decided nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectQuery:
    """A name with the text that mentions it, which is the context that decides between senses."""

    name: str
    mention: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an authority says of a name; ``ref`` None: it knows that no authority holds it."""

    ref: ExternalRef | None
    canonical_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """An authority's answer: a finding or none, and one sentence on why."""

    finding: Finding | None
    step: str


class Authority(Protocol):
    """Something that may know a name."""

    @property
    def name(self) -> str:
        """What it is called in steps and references."""
        ...

    def look_up(self, query: SubjectQuery) -> LookUp:
        """What it knows of the name as it is meant in the mention.

        Raises:
            AuthorityUnreachableError: it could not be asked.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One entity of a store: its name, and the entries that it is linked to."""

    canonical_name: str
    names: frozenset[str]
    refs: tuple[ExternalRef, ...] = ()


@dataclass(slots=True)
class SubjectStore:
    """The subjects known so far; a measurement makes a new one for each gold subject.

    One store a subject makes every outcome independent of the order of the gold and of every other
    subject in it.
    """

    subjects: list[Subject] = field(default_factory=list)

    def by_name(self, name: str) -> Subject | None:
        """The subject that goes by a name."""
        wanted = folded(name)
        return next((one for one in self.subjects if wanted in one.names), None)

    def by_ref(self, ref: ExternalRef) -> Subject | None:
        """The subject that is linked to an entry, at any confidence."""
        wanted = str(ref)
        return next(
            (one for one in self.subjects if wanted in {str(held) for held in one.refs}), None
        )

    def put(self, subject: Subject) -> Subject:
        """Adds a subject."""
        self.subjects.append(subject)
        return subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What became of a query; ``is_outage`` when no authority decided and one was unreachable."""

    subject: Subject
    steps: tuple[str, ...]
    is_outage: bool = False


class Resolver(Protocol):
    """Turns a name in its context into a subject of a store."""

    def resolve(self, query: SubjectQuery, store: SubjectStore) -> Resolution:
        """The subject that the name means, found in the store or added to it."""
        ...


def folded(name: str) -> str:
    """A name as names are compared: composed, in one case, with single spaces.

    >>> folded("  Åse\\u00a0 BERG") == folded("A\\u030ase Berg")
    True
    """
    return " ".join(normalize("NFC", name).casefold().split())


def folded_names(names: Iterable[str]) -> frozenset[str]:
    """Several names as names are compared."""
    return frozenset(folded(name) for name in names)

"""The records of subject resolution: what a name was linked to, and the fractions of a gold set."""

from dataclasses import dataclass
from enum import StrEnum

from evals_pipeline.core.records import GoldSubject


class ResolutionOutcome(StrEnum):
    """How one gold subject was resolved; an outage is not the resolver's decision."""

    CORRECT = "correct"
    WRONG_REF = "wrong_ref"
    BARE_LOCAL = "bare_local"
    OUTAGE = "outage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalRef:
    """A link to an entry of an authority: ``namespace:id``, with who linked it and how surely."""

    namespace: str
    id: str
    confidence: float
    authority: str

    def __str__(self) -> str:
        return normal_ref(f"{self.namespace}:{self.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectResolution:
    """One gold subject with what the resolver made of its mention.

    ``refs`` are all links of the subject, at any confidence. ``steps`` says what each authority
    answered, in order.
    """

    gold: GoldSubject
    outcome: ResolutionOutcome
    canonical_name: str
    refs: tuple[ExternalRef, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionFigures:
    """The resolution of a suite's gold subjects.

    ``accuracy``, ``wrong_ref`` and ``bare_local`` are shares of the ``n_resolved`` and sum to 1;
    ``n_outages`` more could not be decided, since an authority could not be reached. None with
    ``reason`` when nothing was resolved.
    """

    set_name: str
    n_gold: int
    n_resolved: int
    n_outages: int
    accuracy: float | None
    wrong_ref: float | None
    bare_local: float | None
    subjects: tuple[SubjectResolution, ...]
    reason: str | None = None
    notes: tuple[str, ...] = ()


def normal_ref(ref: str) -> str:
    """A reference as references are compared: the namespace in lower case, a Wikidata id as Q….

    >>> normal_ref("Wikidata:q42"), normal_ref("wikidata:42"), normal_ref("numista:N#7")
    ('wikidata:Q42', 'wikidata:Q42', 'numista:N#7')
    """
    namespace, _, identifier = ref.partition(":")
    namespace, identifier = namespace.strip().lower(), identifier.strip()
    if namespace == "wikidata":
        identifier = identifier.upper()
        identifier = f"Q{identifier}" if identifier.isdecimal() else identifier
    return f"{namespace}:{identifier}"

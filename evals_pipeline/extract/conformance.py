"""Does an extractor fill in what it promises, over a corpus of fixtures?

Completeness, not correctness: a benchmark asks whether the facts are right, conformance whether the
required and recommended properties are there at all. Field extractors fill a property when the
field has a value; claim extractors when a claim carries it under ``properties``.

A report is bound to the hash of its corpus. Adding or changing a fixture makes earlier reports
incomparable, because the shares are over other documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Extraction
from evals_pipeline.extract.protocol import Extractor


@runtime_checkable
class Promising(Protocol):
    """The part of an extractor that says what it promises; those without it promise nothing."""

    @property
    def required_properties(self) -> tuple[str, ...]:
        """What is filled in every fixture."""
        ...

    @property
    def recommended_properties(self) -> tuple[str, ...]:
        """What is filled where the source has it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceContract:
    """What an extractor promises; a required property must be there in every fixture it takes."""

    extractor: str
    required: tuple[str, ...]
    recommended: tuple[str, ...] = ()


def contract_of(extractor: Extractor) -> ConformanceContract | None:
    """What a code extractor promises, None when it says nothing of it."""
    if not isinstance(extractor, Promising):
        return None
    return ConformanceContract(
        extractor=f"{extractor.extractor_id}@{extractor.version}",
        required=tuple(extractor.required_properties),
        recommended=tuple(extractor.recommended_properties),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureConformance:
    """One fixture of the corpus.

    ``is_expected``: the fixture's manifest names the extractor among its acceptors.
    """

    fixture_id: str
    status: ExtractionStatus
    is_expected: bool
    missing_required: tuple[str, ...]
    missing_recommended: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFixture:
    """A fixture of the corpus that could not be loaded, with every fault of it.

    ``is_expected`` None: its manifest cannot be read, so nobody knows whose it is.
    """

    fixture_id: str
    is_expected: bool | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyShare:
    """In how many of the fixtures an extractor has to serve it filled a property."""

    name: str
    is_required: bool
    filled: int
    n: int

    @property
    def share(self) -> float | None:
        """Filled fixtures in [0, 1]; None when there was no fixture to fill."""
        return self.filled / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceReport:
    """The completeness of one extractor on one corpus.

    ``is_conformant`` is None, with ``reason``, when no fixture of the corpus is the extractor's, or
    when one that is, or may be, could not be loaded and nothing is missing in the others.
    """

    extractor: str
    corpus_hash: str
    fixtures: tuple[FixtureConformance, ...]
    properties: tuple[PropertyShare, ...]
    is_conformant: bool | None
    reason: str | None = None
    refused: tuple[RefusedFixture, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """A property that is filled more or less often than in the earlier report."""

    name: str
    before: int
    after: int
    n: int


def conformance_report(
    contract: ConformanceContract,
    extractions: Sequence[Extraction],
    *,
    acceptors: Mapping[str, Sequence[str]],
    corpus_hash: str,
    refused: Sequence[RefusedFixture] = (),
) -> ConformanceReport:
    """How completely an extractor fills its promise.

    A fixture counts when it expects the extractor or when the extractor took it; one that was
    rightly declined counts nowhere. A fixture that counts and did not end ok lacks everything.

    Args:
        contract: What is promised.
        extractions: The extractor's, one per fixture of the corpus.
        acceptors: For each fixture the ids of the extractors that its manifest expects.
        corpus_hash: The digest of all fixtures together.
        refused: The fixtures of the corpus that could not be loaded.
    """
    extractor_id = contract.extractor.split("@", 1)[0]
    fixtures = tuple(
        _fixture(contract, extraction, is_expected=extractor_id in acceptors[extraction.fixture_id])
        for extraction in sorted(extractions, key=lambda extraction: extraction.fixture_id)
    )
    counted = [
        fixture
        for fixture in fixtures
        if fixture.is_expected or fixture.status is not ExtractionStatus.DECLINED
    ]
    open_ones = [one.fixture_id for one in refused if one.is_expected is not False]
    is_conformant: bool | None = None
    if any(fixture.missing_required for fixture in counted):
        is_conformant = False
    elif counted and not open_ones:
        is_conformant = True
    return ConformanceReport(
        extractor=contract.extractor,
        corpus_hash=corpus_hash,
        fixtures=fixtures,
        properties=tuple(_shares(contract, counted)),
        is_conformant=is_conformant,
        reason=_reason(extractor_id, open_ones) if is_conformant is None else None,
        refused=tuple(refused),
    )


def compare_reports(
    before: ConformanceReport, after: ConformanceReport
) -> tuple[PropertyChange, ...]:
    """The properties whose count changed, in the order of the later report.

    Raises:
        RefusedError: The reports are of two corpora; their counts are over other documents.
    """
    if before.corpus_hash != after.corpus_hash:
        raise RefusedError(
            f"conformance of {after.extractor}: the earlier report is of another corpus "
            f"({before.corpus_hash[:12]}, today {after.corpus_hash[:12]}); their counts cannot be "
            "compared. Make the report again on today's fixtures with the earlier extractor."
        )
    earlier = {share.name: share for share in before.properties}
    return tuple(
        PropertyChange(
            name=share.name, before=earlier[share.name].filled, after=share.filled, n=share.n
        )
        for share in after.properties
        if share.name in earlier and earlier[share.name].filled != share.filled
    )


def filled_properties(extraction: Extraction) -> frozenset[str]:
    """The names of what an extraction fills; none unless it ended ok."""
    if extraction.status is not ExtractionStatus.OK:
        return frozenset()
    of_claims = (name for claim in extraction.claims for name in claim.properties)
    of_fields = (name for name, value in extraction.fields.items() if not value.presence.is_absent)
    return frozenset((*of_claims, *of_fields))


def _reason(extractor_id: str, open_ones: Sequence[str]) -> str:
    if open_ones:
        return f"{', '.join(open_ones)} could not be loaded"
    return f"no fixture of the corpus is one of {extractor_id}"


def _fixture(
    contract: ConformanceContract, extraction: Extraction, *, is_expected: bool
) -> FixtureConformance:
    filled = filled_properties(extraction)
    return FixtureConformance(
        fixture_id=extraction.fixture_id,
        status=extraction.status,
        is_expected=is_expected,
        missing_required=tuple(name for name in contract.required if name not in filled),
        missing_recommended=tuple(name for name in contract.recommended if name not in filled),
    )


def _shares(
    contract: ConformanceContract, counted: Sequence[FixtureConformance]
) -> list[PropertyShare]:
    shares: list[PropertyShare] = []
    for is_required, names in ((True, contract.required), (False, contract.recommended)):
        for name in names:
            missing = sum(
                name in (*fixture.missing_required, *fixture.missing_recommended)
                for fixture in counted
            )
            shares.append(
                PropertyShare(
                    name=name,
                    is_required=is_required,
                    filled=len(counted) - missing,
                    n=len(counted),
                )
            )
    return shares

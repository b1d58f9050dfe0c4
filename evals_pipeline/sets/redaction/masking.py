"""Masks the passages of a document, says what was masked, and looks again.

Counts and places are all that a report holds: whatever was found is in no message, log or file.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evals_pipeline.sets.redaction.accounts import find_accounts, find_cards
from evals_pipeline.sets.redaction.emails import find_emails
from evals_pipeline.sets.redaction.findings import Finding, Lookalike, settled
from evals_pipeline.sets.redaction.folding import fold
from evals_pipeline.sets.redaction.ibans import find_ibans
from evals_pipeline.sets.redaction.ledger import Ledger
from evals_pipeline.sets.redaction.passages import Edit, Passage, apply_edits, edits_for
from evals_pipeline.sets.redaction.phones import find_phones
from evals_pipeline.sets.redaction.terms import Term, TermFinder


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a document something stands: its line, counted from 1, and why it is named."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingReport:
    """What was done to a document, in counts.

    ``masked`` counts places by kind, ``values`` distinct values by kind. ``kept`` counts what was
    left because somebody said so; ``lookalikes`` are numbers that were left because they failed a
    test. ``removed`` names what was taken out whole.
    """

    masked: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0
    lookalikes: tuple[Place, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def n_masked(self) -> int:
        """How many places were masked."""
        return sum(self.masked.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    findings: tuple[Finding, ...]
    lookalikes: tuple[Lookalike, ...]
    kept: tuple[Finding | Lookalike, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masker:
    """Finds and replaces, for the documents of one set.

    ``met`` collects which of the given terms and kept texts occurred, by their bare letters.
    """

    ledger: Ledger
    regions: tuple[str, ...]
    terms: TermFinder
    keeps: TermFinder
    met: set[str] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        ledger: Ledger,
        *,
        regions: Iterable[str] = (),
        terms: Iterable[Term] = (),
        keeps: Iterable[str] = (),
    ) -> "Masker":
        """A masker that also knows the terms and the kept texts of earlier documents.

        Args:
            ledger: Gives the placeholders.
            regions: Where national phone numbers may be from, as ``GB``.
            terms: Names and addresses to be masked.
            keeps: Texts that are not masked, whatever they look like.

        Raises:
            SetupError: There are such earlier texts, and the set's key is not on this machine.
        """
        return cls(
            ledger=ledger,
            regions=tuple(regions),
            terms=ledger.term_finder(terms),
            keeps=ledger.keep_finder(keeps),
        )

    @classmethod
    def without_terms(cls, ledger: Ledger, *, regions: Iterable[str] = ()) -> "Masker":
        """A masker that only knows what detectors find, for where the set's key is not at hand."""
        nothing = TermFinder(digest=str, kinds={}, lengths=frozenset())
        return cls(ledger=ledger, regions=tuple(regions), terms=nothing, keeps=nothing)

    def mask(self, source: str, passages: Iterable[Passage]) -> tuple[str, MaskingReport]:
        """The source with everything masked that is found in its passages."""
        edits, report = self.edits(source, passages)
        return apply_edits(source, edits), report

    def edits(self, source: str, passages: Iterable[Passage]) -> tuple[list[Edit], MaskingReport]:
        """What has to be replaced in the source, and the report of it."""
        places, report = self._places(source, passages)
        edits: list[Edit] = []
        for passage, one in places:
            text = self.ledger.placeholder(one.kind, one.normal, is_term=one.is_term)
            edits += edits_for(passage, one.start, one.end, text)
        return edits, report

    def count(self, source: str, passages: Iterable[Passage]) -> MaskingReport:
        """What would be masked; nothing is given a placeholder."""
        return self._places(source, passages)[1]

    def masked_before(self, source: str, passages: Iterable[Passage]) -> Mapping[str, int]:
        """What of this source was masked in other documents of the set, by kind."""
        places, _ = self._places(source, passages)
        known = (
            one.kind
            for _, one in places
            if self.ledger.knows(one.kind, one.normal, is_term=one.is_term)
        )
        return dict(Counter(known))

    def _places(
        self, source: str, passages: Iterable[Passage]
    ) -> tuple[list[tuple[Passage, Finding]], MaskingReport]:
        """Every place of the source that is to be masked, once."""
        places: list[tuple[Passage, Finding]] = []
        close: dict[int, str] = {}
        kept: set[int] = set()
        is_done = bytearray(len(source))  # one place may stand in several passages
        for passage in passages:
            found = self._look(passage)
            kept.update(passage.starts[one.start] for one in found.kept)
            close.update((passage.starts[one.start], one.reason) for one in found.lookalikes)
            for one in found.findings:
                ranges = [(e.start, e.end) for e in edits_for(passage, one.start, one.end, "")]
                if any(any(is_done[start:end]) for start, end in ranges):
                    continue
                for start, end in ranges:
                    is_done[start:end] = b"\x01" * (end - start)
                places.append((passage, one))
        breaks = _line_breaks(source)
        report = MaskingReport(
            masked=dict(Counter(one.kind for _, one in places)),
            values=dict(Counter(kind for kind, _ in {(o.kind, o.normal) for _, o in places})),
            kept=len(kept),
            lookalikes=tuple(
                Place(line=_line(breaks, start), reason=reason)
                for start, reason in sorted(close.items())
                if not is_done[start] and start not in kept
            ),
        )
        return places, report

    def leftovers(self, source: str, passages: Iterable[Passage]) -> tuple[Place, ...]:
        """What is found in views of a document that was masked already; nothing, if all is well."""
        places: dict[Place, None] = {}
        breaks = _line_breaks(source)
        for passage in passages:
            for one in self._look(passage).findings:
                line = _line(breaks, passage.starts[one.start])
                places[Place(line=line, reason=one.kind)] = None
        return tuple(places)

    def _look(self, passage: Passage) -> _Found:
        label = f"{fold(passage.before)}: " if passage.before else ""
        found = [_moved(one, -len(label)) for one in self._detect(label + fold(passage.text))]
        found += self.terms.find(passage.text)
        inside = [one for one in found if one.start >= 0]
        keeps = [*self.keeps.find(passage.text)]
        given = [one for one in (*keeps, *inside) if isinstance(one, Finding) and one.is_term]
        self.met.update(one.normal for one in given)
        kept = _Ranges(keeps)
        free = [one for one in inside if not kept.hold(one)]
        findings = settled((one for one in free if isinstance(one, Finding)), passage.text)
        masked = _Ranges(findings)
        return _Found(
            findings=tuple(findings),
            lookalikes=tuple(
                one for one in free if isinstance(one, Lookalike) and not masked.touch(one)
            ),
            kept=tuple(one for one in inside if kept.hold(one)),
        )

    def _detect(self, text: str) -> Iterator[Finding | Lookalike]:
        """In order of precedence: what is most certain first."""
        yield from find_ibans(text)
        yield from find_cards(text)
        yield from find_emails(text)
        yield from find_accounts(text)
        yield from find_phones(text, self.regions)


def _line_breaks(source: str) -> list[int]:
    return [match.start() for match in re.finditer("\n", source)]


def _line(breaks: Sequence[int], position: int) -> int:
    return bisect_left(breaks, position) + 1


def _moved(one: Finding | Lookalike, by: int) -> Finding | Lookalike:
    return replace(one, start=one.start + by, end=one.end + by) if by else one


class _Ranges:
    """Findings that follow one another without overlap, of which the nearest is found quickly."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.starts = [one.start for one in findings]
        self.ends = [one.end for one in findings]

    def hold(self, one: Finding | Lookalike) -> bool:
        """Whether one of them covers all of ``one``."""
        before = bisect_right(self.starts, one.start)
        return before > 0 and one.end <= self.ends[before - 1]

    def touch(self, one: Finding | Lookalike) -> bool:
        """Whether one of them covers a part of ``one``."""
        before = bisect_left(self.starts, one.end)
        return before > 0 and one.start < self.ends[before - 1]

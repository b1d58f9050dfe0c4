"""Pairs the documents of a baseline with today's, field by field, and keeps shares exact."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from evals_pipeline.core.figures import DocumentTally


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One document in one field, before and now, against the same label."""

    before: DocumentTally
    now: DocumentTally

    @property
    def movement(self) -> int:
        """Negative where the document is right less often than before, positive where more often.

        Compares correct / n of both sides without a division.
        """
        return self.now.correct * self.before.n - self.before.correct * self.now.n


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The documents of one field: those that can be compared, and those whose label changed."""

    gated: tuple[Pair, ...]
    relabelled: tuple[Pair, ...]

    @property
    def baseline(self) -> Fraction | None:
        """The mean share of runs that were right before; None without a document."""
        return mean_share(pair.before for pair in self.gated)

    @property
    def now(self) -> Fraction | None:
        """The mean share of runs that are right now, over the same documents."""
        return mean_share(pair.now for pair in self.gated)


def pair_documents(before: Iterable[DocumentTally], now: Iterable[DocumentTally]) -> Pairing:
    """Pairs by document; documents of one side only belong to no pair."""
    earlier = {tally.fixture_id: tally for tally in before}
    pairs = [
        Pair(before=earlier[tally.fixture_id], now=tally)
        for tally in now
        if tally.fixture_id in earlier
    ]
    return Pairing(
        gated=tuple(pair for pair in pairs if _has_same_label(pair)),
        relabelled=tuple(pair for pair in pairs if not _has_same_label(pair)),
    )


def _has_same_label(pair: Pair) -> bool:
    return pair.before.gold_digest == pair.now.gold_digest


def mean_share(tallies: Iterable[DocumentTally]) -> Fraction | None:
    """The exact mean of correct / n over documents; None without a document.

    Every document weighs the same, however often it was run.
    """
    correct_by_n: Counter[int] = Counter()
    n_documents = 0
    for tally in tallies:
        correct_by_n[tally.n] += tally.correct
        n_documents += 1
    if not n_documents:
        return None
    return sum((Fraction(c, n) for n, c in correct_by_n.items()), Fraction(0)) / n_documents


def summed_up(tallies: Iterable[DocumentTally]) -> tuple[int, int]:
    """How many answers were right, of how many, over documents and runs."""
    correct = n = 0
    for tally in tallies:
        correct += tally.correct
        n += tally.n
    return correct, n


def documents_of(fields: Mapping[str, Iterable[DocumentTally]]) -> Mapping[str, DocumentTally]:
    """One tally per document over all fields: how many of its field values were right."""
    totals: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for tallies in fields.values():
        for tally in tallies:
            total = totals.setdefault(tally.fixture_id, [0, 0])
            total[0] += tally.correct
            total[1] += tally.n
            names[tally.fixture_id] = tally.document
    return {
        fixture_id: DocumentTally(
            fixture_id=fixture_id, document=names[fixture_id], correct=correct, n=n, gold_digest=""
        )
        for fixture_id, (correct, n) in totals.items()
    }


def one_sided(
    mine: Mapping[str, Iterable[DocumentTally]], theirs: Mapping[str, Iterable[DocumentTally]]
) -> Iterator[DocumentTally]:
    """Documents of ``mine`` that ``theirs`` does not hold, with their count over all fields."""
    known = {tally.fixture_id for tallies in theirs.values() for tally in tallies}
    for fixture_id, tally in documents_of(mine).items():
        if fixture_id not in known:
            yield tally

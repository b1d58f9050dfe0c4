"""Which document a reference in a predictions file means.

A reference is a case id, a document's SHA-256, its name, or a prefix of the SHA-256 that only one
document has. A case id is looked at first, for it is unique. Nothing is guessed: what fits several
documents is refused with their ids.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from evals_pipeline.core.errors import did_you_mean
from evals_pipeline.core.records import Fixture

MIN_PREFIX = 4
_HEX = frozenset("0123456789abcdef")
_SHOWN = 5
_TOO_MANY_TO_COMPARE = 1000


class FixtureReferences:
    """Resolves references to the fixtures of one set."""

    def __init__(self, fixtures: Sequence[Fixture]) -> None:
        self._ids = {fixture.fixture_id for fixture in fixtures}
        self._by_hash: defaultdict[str, set[str]] = defaultdict(set)
        self._by_name: defaultdict[str, set[str]] = defaultdict(set)
        for fixture in fixtures:
            self._by_hash[fixture.sha256].add(fixture.fixture_id)
            self._by_name[fixture.name].add(fixture.fixture_id)
        self._hashes = sorted(self._by_hash)

    def resolve(self, reference: str) -> tuple[str | None, tuple[str, str]]:
        """The fixture's id, or None with what is wrong and what to do."""
        if reference in self._ids:
            return reference, ("", "")
        found = self._by_name.get(reference, set()) | self._by_prefix(reference.lower())
        if len(found) == 1:
            return next(iter(found)), ("", "")
        if found:
            several = ", ".join(sorted(found)[:_SHOWN]) + (" …" if len(found) > _SHOWN else "")
            problem = f"fixture {reference!r} fits {len(found)} documents ({several})"
            return None, (problem, "Name the document by its case id or its whole hash.")
        problem = f"fixture {reference!r} is no document of the set"
        known = [*self._ids, *self._by_name]
        near = did_you_mean(reference, known) if len(known) < _TOO_MANY_TO_COMPARE else ""
        return None, (problem, near if near.startswith("Did") else "Remove the line, or mend it.")

    def _by_prefix(self, prefix: str) -> set[str]:
        """Ids of the documents whose hash begins so; none for what is too short to be a hash."""
        if len(prefix) < MIN_PREFIX or not _HEX.issuperset(prefix):
            return set()
        found: set[str] = set()
        position = bisect_left(self._hashes, prefix)
        while position < len(self._hashes) and self._hashes[position].startswith(prefix):
            found |= self._by_hash[self._hashes[position]]
            position += 1
        return found

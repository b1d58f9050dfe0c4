"""Fields that answers state and the set does not have: nothing judges them, so they are told.

Most are a renamed or misspelled key, whose values then count as missed under the right name.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import did_you_mean
from evals_pipeline.core.run_records import Extraction

_SHOWN = 5
_LONGEST_NAME = 60
_MOST_KEPT = 1000


class UnknownFields:
    """Counts, over extractions as they stream by, the names that are no field of the set."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(known)
        self._counts: Counter[str] = Counter()
        self._n_extractions = 0

    def add(self, extraction: Extraction) -> None:
        """Counts one extraction."""
        unknown = extraction.fields.keys() - self._known
        self._n_extractions += bool(unknown)
        for name in unknown:
            # A model that makes up a key each time must not fill the memory.
            if name in self._counts or len(self._counts) < _MOST_KEPT:
                self._counts[name[:_LONGEST_NAME]] += 1

    def notes(self) -> Sequence[str]:
        """One sentence with the commonest names and what they may have been meant for."""
        if not self._counts:
            return ()
        ranked = sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))
        named = "; ".join(self._named(name, count) for name, count in ranked[:_SHOWN])
        more = f"; and {len(ranked) - _SHOWN} more" if len(ranked) > _SHOWN else ""
        return (
            f"{counted(self._n_extractions, 'extraction')} with fields that the set does not have, "
            f"which nothing judges: {named}{more}",
        )

    def _named(self, name: str, count: int) -> str:
        near = did_you_mean(name, self._known)
        hint = f". {near.rstrip('.')}" if near.startswith("Did") else ""
        return f'"{name}" ({count}{hint})'

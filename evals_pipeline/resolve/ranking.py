"""Which of several senses of a name fits its mention, by how alike descriptions and mention are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

SimilarityOf: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Cosines of one text to several others, each in [-1, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The place of the sense that fits, None where none does or two do; ``why`` with figures."""

    chosen: int | None
    score: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRank:
    """Chooses the sense whose description is most like the mention.

    A link to the wrong entry costs more than none, since every later claim of the name joins it.
    So the best has to reach ``least`` and to lead the next by ``margin``; else nothing is chosen.
    The name itself is left out of the comparison: every sense has it.
    """

    similarity_of: SimilarityOf
    least: float = 0.25
    margin: float = 0.05

    def choose(self, mention: str, descriptions: Sequence[str]) -> Ranked:
        """The sense that fits; a sense without a description fits nothing."""
        described = [place for place, text in enumerate(descriptions) if text.strip()]
        if not described:
            return Ranked(chosen=None, score=0.0, why="none has a description")
        scores = self.similarity_of(mention, [descriptions[place] for place in described])
        order = sorted(zip(scores, described, strict=True), key=lambda pair: (-pair[0], pair[1]))
        best, place = order[0]
        if best < self.least:
            why = f"the nearest is {best:.2f} alike, below {self.least:g}"
            return Ranked(chosen=None, score=best, why=why)
        if len(order) > 1 and best - order[1][0] < self.margin:
            why = f"two are {best:.2f} and {order[1][0]:.2f} alike, closer than {self.margin:g}"
            return Ranked(chosen=None, score=best, why=why)
        return Ranked(chosen=place, score=min(max(best, 0.0), 1.0), why=f"{best:.2f} alike")

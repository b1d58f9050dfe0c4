"""The texts under which claims are compared, and how alike they are.

A claim's subjects stand in a field of their own, so that "Operating costs were 940" may be as good
an answer as "Halden Mill's operating costs were 940". Each claim is therefore compared as written
and with the subjects it leaves out put before it; the higher similarity counts, pair by pair.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals_pipeline.core.run_records import Claim
from evals_pipeline.judge.assignment import Matrix
from evals_pipeline.judge.encoder import Vectors

LookUp: TypeAlias = Callable[[Sequence[str]], Vectors]
"""The vectors of texts that were embedded before, one row each."""

# Single precision knows a cosine to about seven digits. Rounding to six makes a text equal to
# itself at exactly 1, and a similarity independent of where in a batch its text stood.
_DECIMALS = 6


def with_subjects(content: str, subjects: Sequence[str]) -> str:
    """A claim's content with the subject names that it does not mention put before it.

    >>> with_subjects("The mill closed in 1931.", ["Halden", "mill"])
    'Halden: The mill closed in 1931.'
    """
    mentioned = content.casefold()
    absent: dict[str, str] = {}
    for name in (subject.strip() for subject in subjects):
        if name and name.casefold() not in mentioned:
            absent.setdefault(name.casefold(), name)
    return f"{', '.join(absent.values())}: {content}" if absent else content


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderings:
    """The texts of a case: emitted claims as written and completed, and the gold claims."""

    written: tuple[str, ...]
    completed: tuple[str, ...]
    gold: tuple[str, ...]

    @classmethod
    def of(
        cls, claims: Sequence[Claim], gold: Sequence[str], *, is_subject_aware: bool
    ) -> "Renderings":
        """The texts of these claims; without subject awareness, completed is as written."""
        written = tuple(claim.content for claim in claims)
        completed = (
            tuple(with_subjects(claim.content, claim.subjects) for claim in claims)
            if is_subject_aware
            else written
        )
        return cls(written=written, completed=completed, gold=tuple(gold))

    def texts(self) -> tuple[str, ...]:
        """All texts that have to be embedded."""
        return (*self.written, *self.completed, *self.gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """Cosines in [-1, 1] of emitted claims (rows) and gold claims (columns), as they came.
    ``is_completed`` says for each pair whether the rendering with subjects gave the cosine.
    """

    matrix: Matrix
    is_completed: NDArray[np.bool_]
    renderings: Renderings

    def rendering(self, row: int, column: int) -> str:
        """The text of an emitted claim whose similarity counted."""
        texts = self.renderings.completed if self.is_completed[row, column] else None
        return (texts or self.renderings.written)[row]


def similarities_of(renderings: Renderings, look_up: LookUp) -> Similarities:
    """How alike each emitted claim and each gold claim are, under the better rendering."""
    shape = (len(renderings.written), len(renderings.gold))
    is_completed = np.zeros(shape, dtype=bool)
    if 0 in shape:
        return Similarities(
            matrix=np.zeros(shape), is_completed=is_completed, renderings=renderings
        )
    gold = look_up(renderings.gold).astype(np.float64)
    matrix = cosines(look_up(renderings.written), gold)
    rows = [
        row
        for row, written in enumerate(renderings.written)
        if renderings.completed[row] != written
    ]
    if rows:
        completed = cosines(look_up([renderings.completed[row] for row in rows]), gold)
        is_completed[rows] = completed > matrix[rows]
        matrix[rows] = np.maximum(completed, matrix[rows])
    return Similarities(matrix=matrix, is_completed=is_completed, renderings=renderings)


def cosines(one: NDArray[np.floating], other: NDArray[np.floating]) -> Matrix:
    """Products of rows of length 1, in double precision, rounded to six decimals."""
    products = one.astype(np.float64) @ other.astype(np.float64).T
    # In place: with thousands of claims on each side a copy is tens of megabytes.
    np.round(products, _DECIMALS, out=products)
    return np.clip(products, -1.0, 1.0, out=products)

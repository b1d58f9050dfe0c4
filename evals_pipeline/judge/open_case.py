"""One case while it is being judged: what is close, what was refused, what has yet to be asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.core.records import GoldClaim, SuiteCase
from evals_pipeline.core.run_records import Claim, Extraction
from evals_pipeline.core.similarity import clamped
from evals_pipeline.judge.arbiter import ClaimPair, Verdict
from evals_pipeline.judge.assignment import Assigned, ContentOrder, Decide, Pair, greedy, optimal
from evals_pipeline.judge.guards import suspect_reasons
from evals_pipeline.judge.rendering import Similarities


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a guard refused a pair, and how close that pair was."""

    similarity: float
    reasons: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class OpenCase:
    """A case with an ok extraction, and the state of its judgement.

    ``verdicts`` holds what the arbiter said, ``refusals`` why a guard refused a claim's best pair.
    """

    case: SuiteCase
    extraction: Extraction
    similarities: Similarities
    settings: JudgeSettings
    verdicts: dict[Pair, Verdict] = field(default_factory=dict)
    refusals: dict[int, Refusal] = field(default_factory=dict)
    order: ContentOrder = field(init=False)

    def __post_init__(self) -> None:
        self.order = ContentOrder.of(self.claims, self.gold)

    @property
    def claims(self) -> Sequence[Claim]:
        """The emitted claims; rows."""
        return self.extraction.claims

    @property
    def gold(self) -> Sequence[GoldClaim]:
        """The gold claims; columns."""
        return self.case.expected

    def assign(self) -> Assigned:
        """The pairs as far as they can be told with the verdicts there are.

        A pair that was left unjudged is passed over, so that whatever else may be matched is asked.
        """
        return self._assign(self._decide)

    def settle(self) -> Assigned:
        """The pairs that are matched whatever a verdict on the unjudged ones would have been.

        What hangs on such a pair is held back: a match that it only got because the judge did not
        answer is none.
        """
        return self._assign(self._decide_for_good)

    @property
    def n_unjudged_pairs(self) -> int:
        """How many pairs were asked and got no verdict."""
        return sum(verdict.aligned is None for verdict in self.verdicts.values())

    def _assign(self, decide: Decide) -> Assigned:
        assign = optimal if self.settings.assignment is Assignment.OPTIMAL else greedy
        is_plain = not self.settings.asks_somebody and self.settings.guards is GuardMode.FLAG
        at_least, matrix = lowest_considered(self.settings), self.similarities.matrix
        if at_least <= 0:  # above 0 a negative cosine is out of the question, clamped or not
            matrix = np.clip(matrix, 0.0, 1.0)
        return assign(matrix, self.order, at_least=at_least, decide=None if is_plain else decide)

    def suspicion(self, row: int, column: int) -> tuple[str, ...]:
        """Why a guard does not trust a pair; empty below the threshold, where none is needed."""
        if self.similarities.matrix[row, column] < self.settings.threshold:
            return ()
        claim = self.claims[row]
        return suspect_reasons(self.gold[column].content, claim.content, claim.subjects)

    def texts_of(self, row: int, column: int) -> ClaimPair:
        """What an arbiter is shown: the very texts whose similarity counted."""
        return ClaimPair(
            want=self.gold[column].content,
            got=self.similarities.rendering(row, column),
            similarity=clamped(float(self.similarities.matrix[row, column])),
        )

    def _refuse(self, row: int, column: int, reasons: tuple[str, ...]) -> None:
        """Keeps why a claim's best pair was refused."""
        similarity = float(self.similarities.matrix[row, column])
        if row not in self.refusals or similarity > self.refusals[row].similarity:
            self.refusals[row] = Refusal(similarity=similarity, reasons=reasons)

    def _decide(self, row: int, column: int) -> bool | None:
        """Whether a pair may be matched; None while the arbiter has not been asked."""
        if self.similarities.matrix[row, column] >= self.settings.threshold:
            if self.settings.guards is GuardMode.FLAG:
                return True
            reasons = self.suspicion(row, column)
            if not reasons:
                return True
            if self.settings.guards is GuardMode.REJECT:
                self._refuse(row, column, reasons)
                return False
        verdict = self.verdicts.get((row, column))
        return None if verdict is None else verdict.aligned is True

    def _decide_for_good(self, row: int, column: int) -> bool | None:
        """Whether a pair may be matched; None where nobody has said."""
        verdict = self.verdicts.get((row, column))
        return self._decide(row, column) if verdict is None else verdict.aligned


def lowest_considered(settings: JudgeSettings) -> float:
    """The similarity below which a pair is rejected without another look."""
    if settings.kind is not JudgeKind.EMBEDDING:
        return min(settings.low, settings.threshold)
    return settings.threshold

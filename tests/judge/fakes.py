"""Encoders, arbiters and cases made up for the tests of claims."""

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import ExtractionStatus, UncertaintyNature
from evals_pipeline.core.records import Fixture, GoldClaim, SuiteCase
from evals_pipeline.core.run_records import Claim, Extraction, Provenance
from evals_pipeline.judge.arbiter import ClaimPair, Verdict
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.vectors import VectorCache


class WordEncoder:
    """Texts that share words are alike; counts what it was asked."""

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.batches: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.batches.append(list(texts))
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row, 0] = 0.01
            for word in re.findall(r"\w+", text.casefold()):
                place = int(hashlib.sha256(word.encode()).hexdigest(), 16) % 63
                rows[row, 1 + place] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class CosineEncoder:
    """Gives each emitted text the cosines to the gold texts that a test states.

    Gold texts lie on axes of their own; an emitted text has its cosines as coordinates, and the
    rest of its length on one axis that no gold text has.
    """

    name = "cosines"

    def __init__(self, gold: Sequence[str], cosines: Mapping[str, Sequence[float]]) -> None:
        size = len(gold) + len(cosines)
        self._rows = {text: np.eye(size)[place] for place, text in enumerate(gold)}
        for place, (text, row) in enumerate(cosines.items()):
            vector = np.zeros(size)
            vector[: len(row)] = row
            vector[len(gold) + place] = math.sqrt(max(0.0, 1 - sum(x * x for x in row)))
            self._rows[text] = vector

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self._rows[text] for text in texts], dtype=np.float32)


@dataclass
class FakeArbiter:
    """Answers pairs by a rule; keeps the rounds it was asked in."""

    rule: Callable[[ClaimPair], bool | None]

    def __post_init__(self) -> None:
        self.rounds: list[list[ClaimPair]] = []

    def decide(self, pairs: Sequence[ClaimPair]) -> Sequence[Verdict]:
        self.rounds.append(list(pairs))
        return [Verdict(aligned=self.rule(pair), reason="a rule") for pair in pairs]


def in_memory(encoder) -> VectorCache:
    return VectorCache(None, encoder)


def claim(content: str, confidence: float | None = 0.9, **changes) -> Claim:
    return Claim(content=content, confidence=confidence, **changes)


def gold(content: str, floor: float = 0.0, *, required: bool = True) -> GoldClaim:
    return GoldClaim(
        content=content,
        confidence_min=floor,
        uncertainty_nature=UncertaintyNature.EPISTEMIC,
        required=required,
    )


def case(expected: Sequence[GoldClaim], case_id: str = "case-1") -> SuiteCase:
    fixture = Fixture(
        fixture_id=case_id,
        name=case_id,
        sha256="0" * 64,
        source_type="MEMO",
        media_type="text/plain",
        inline=b"",
    )
    return SuiteCase(
        case_id=case_id, fixture=fixture, expected=tuple(expected), declares_source_type=True
    )


def extraction(
    claims: Sequence[Claim] = (),
    *,
    status: ExtractionStatus = ExtractionStatus.OK,
    run_index: int = 0,
    reason: str | None = None,
) -> Extraction:
    return Extraction(
        fixture_id="case-1",
        run_index=run_index,
        status=status,
        reason=reason,
        claims=tuple(claims),
        provenance=Provenance(extractor="fake@1"),
    )


def judge(claims, wanted, cosines=None, *, settings=None, arbiter=None):
    """One case judged; ``cosines`` fixes the similarities, else words in common make them."""
    encoder = (
        WordEncoder()
        if cosines is None
        else CosineEncoder([each.content for each in wanted], cosines)
    )
    [judged] = judge_cases(
        [(case(wanted), extraction(claims))],
        settings=settings or JudgeSettings(),
        vectors=in_memory(encoder),
        arbiter=arbiter,
    )
    return judged


def outcomes(judged):
    """What became of each claim, and of each gold claim."""
    return [each.outcome for each in judged.claims], [each.outcome for each in judged.gold]

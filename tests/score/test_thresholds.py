"""The trade of precision and recall, from one judgement at the lowest threshold."""

from dataclasses import replace

import numpy as np
import pytest

from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    GoldOutcome,
    UncertaintyNature,
)
from evals_pipeline.core.records import Fixture, GoldClaim, SuiteCase
from evals_pipeline.core.run_records import Claim, Extraction, Provenance, StatusCounts
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.score.claims import score_claims
from evals_pipeline.score.thresholds import threshold_curve
from tests.score.test_claims import emitted, judged, wanted


def matched(similarity: float):
    return replace(emitted(ClaimOutcome.MATCHED), similarity=similarity)


def met(similarity: float, *, required: bool = True):
    return replace(wanted(GoldOutcome.MATCHED, required=required), similarity=similarity)


def test_by_hand() -> None:
    # Emitted: matched at 0.9 and 0.7, one spurious. Required: met at 0.9, one missed; the other
    # gold claim is not required and stays out of recall.
    case = judged(
        claims=(matched(0.9), matched(0.7), emitted(ClaimOutcome.SPURIOUS)),
        gold=(met(0.9), met(0.7, required=False), wanted(GoldOutcome.MISSED)),
    )
    low, edge, high, none = threshold_curve([case], [0.5, 0.9, 0.91, 1.0])
    assert (low.precision, low.recall) == (pytest.approx(2 / 3), 0.5)
    assert (edge.precision, edge.recall) == (pytest.approx(1 / 3), 0.5)
    assert (high.precision, high.recall) == (0, 0)
    assert (none.precision, none.recall) == (0, 0)


def test_runs_are_averaged_as_the_figures_are() -> None:
    one = judged(claims=(matched(0.9),), gold=(met(0.9),))
    two = judged(claims=(emitted(ClaimOutcome.SPURIOUS),), gold=(met(0.6),), run=1)
    (point,) = threshold_curve([one, two], [0.8])
    assert (point.precision, point.recall) == (0.5, 0.5)


def test_a_run_without_anything_to_count_leaves_the_point_unmeasured() -> None:
    one = judged(claims=(matched(0.9),), gold=(met(0.9),))
    silent = judged(gold=(wanted(GoldOutcome.MISSED),), run=1)
    (point,) = threshold_curve([one, silent], [0.8])
    assert point.precision is None
    assert point.recall == 0.5
    assert threshold_curve([], [0.8])[0].recall is None


class Hashing:
    """An encoder whose vectors are random, and the same for the same text."""

    name = "hashing"

    def encode(self, texts):
        rows = [np.random.default_rng(sum(text.encode())).normal(size=3) for text in texts]
        return np.asarray(rows, dtype=np.float32)


def test_it_is_what_judging_at_every_threshold_gives() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{rng.integers(0, 10**6)}" for _ in range(40)]
    pairs = [pair(number, words[number : number + 9]) for number in range(0, 30, 3)]
    vectors = VectorCache(None, Hashing())

    def figures(threshold: float):
        judge = JudgeSettings(threshold=threshold, low=min(0.65, threshold))
        found = judge_cases(pairs, settings=judge, vectors=vectors, arbiter=None)
        counts = StatusCounts(planned=len(pairs), ok=len(pairs))
        scored = score_claims(
            found, set_name="s", model_version="m", run_indices=(0,), statuses=counts
        )
        return found, scored.metrics

    lowest, _ = figures(0.5)
    thresholds = [0.5, 0.6, 0.7, 0.8, 0.9, 0.99]
    points = threshold_curve(lowest, thresholds)
    assert len({point.precision for point in points}) > 3
    for threshold, point in zip(thresholds, points, strict=True):
        _, metrics = figures(threshold)
        assert point.precision == pytest.approx(metrics["precision"].mean)
        assert point.recall == pytest.approx(metrics["recall"].mean)


def pair(number: int, words: list[str]) -> tuple[SuiteCase, Extraction]:
    fixture = Fixture(
        fixture_id=f"c{number}", name=f"c{number}", sha256="0" * 64, source_type="NOTE",
        media_type="text/plain", inline=b"x",
    )  # fmt: skip
    expected = tuple(
        GoldClaim(content=word, confidence_min=0.5, uncertainty_nature=UncertaintyNature.EPISTEMIC)
        for word in words[:5]
    )
    case = SuiteCase(
        case_id=f"c{number}", fixture=fixture, expected=expected, declares_source_type=False
    )
    extraction = Extraction(
        fixture_id=f"c{number}",
        run_index=0,
        status=ExtractionStatus.OK,
        claims=tuple(Claim(content=word, confidence=0.9) for word in words[3:]),
        provenance=Provenance(extractor="x"),
    )
    return case, extraction

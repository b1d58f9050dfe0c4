"""The trade of precision and recall over thresholds, from the vectors that are stored."""

from collections.abc import Iterator, Sequence

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.core.records import Suite, SuiteCase
from evals_pipeline.core.run_records import Extraction, PartitionKey
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.encoder import Vectors
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.judges import VECTORS_FOLDER, vectors_for
from evals_pipeline.pipeline.project import Project
from evals_pipeline.report.html.page import CurvePoint
from evals_pipeline.score.thresholds import threshold_curve

LOWEST_THRESHOLD = 0.5
_STEPS = 50


def curve_of(
    project: Project, suite: Suite, figures: ClaimFigures, judge: JudgeSettings
) -> tuple[CurvePoint, ...]:
    """Precision and recall at thresholds from 0.5 up, by similarity alone.

    Judges once more at the lowest threshold, from the vectors that are stored; where one is gone,
    nothing is embedded for a drawing and there is no curve.
    """
    pairs = [
        (case, extraction)
        for run_index in figures.run_indices
        for case, extraction in _pairs(project, suite, figures.model_version, run_index)
    ]
    lowest = judge.model_copy(
        update={
            "kind": JudgeKind.EMBEDDING,
            "guards": GuardMode.FLAG,
            "assignment": Assignment.GREEDY,
            "threshold": LOWEST_THRESHOLD,
            "low": LOWEST_THRESHOLD,
        }
    )
    try:
        judged = judge_cases(
            pairs, settings=lowest, vectors=_stored_vectors(project, judge), arbiter=None
        )
    except _NotStoredError:
        return ()
    step = (1 - LOWEST_THRESHOLD) / _STEPS
    thresholds = [round(LOWEST_THRESHOLD + place * step, 6) for place in range(_STEPS + 1)]
    return tuple(
        CurvePoint(threshold=one.threshold, precision=one.precision, recall=one.recall)
        for one in threshold_curve(judged, thresholds)
    )


def _pairs(
    project: Project, suite: Suite, model: str, run_index: int
) -> Iterator[tuple[SuiteCase, Extraction]]:
    key = PartitionKey(set_name=suite.suite_id, model_version=model, run_index=run_index)
    by_id = {one.fixture_id: one for one in project.store.iter_extractions(key)}
    for case in suite.cases:
        if case.fixture.fixture_id in by_id:
            yield case, by_id[case.fixture.fixture_id]


class _NotStoredError(SetupError):
    """A text has no stored vector."""


class _NeverEncodes:
    """Stands for an encoder whose vectors are stored; asked for a new one, it refuses."""

    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Refuses."""
        raise _NotStoredError(f"{len(texts)} texts have no stored vector under {self.name}.")


def _stored_vectors(project: Project, judge: JudgeSettings) -> VectorCache:
    folder = (project.storage / VECTORS_FOLDER).here
    return VectorCache(folder, _NeverEncodes(vectors_for(project, judge).encoder_name))

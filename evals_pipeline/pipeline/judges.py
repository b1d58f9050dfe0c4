"""The judge's means: vectors from an encoder and its cache, and a model that decides the band."""

from functools import lru_cache
from pathlib import Path

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.records import PartitionKey, RunStamp
from evals_pipeline.core.settings import GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.judge.arbiter import Arbiter
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.project import Project

VECTORS_FOLDER = "vectors"


def vectors_for(project: Project, judge: JudgeSettings) -> VectorCache:
    """The cache of vectors of the judge's encoder; nothing is loaded before a text is new."""
    return _vectors(project.root / project.settings.storage / VECTORS_FOLDER, judge.encoder)


@lru_cache(maxsize=4)
def _vectors(folder: Path, encoder: str | None) -> VectorCache:
    return VectorCache(folder, make_encoder(encoder))


def asks_model(judge: JudgeSettings) -> bool:
    """Whether the judge may call a model."""
    return judge.kind is JudgeKind.LLM or judge.guards is GuardMode.JUDGE


def arbiter_for(
    project: Project, judge: JudgeSettings, *, key: PartitionKey, stamp: RunStamp
) -> Arbiter | None:
    """The model that decides the band, None for a judge that asks no model."""
    if not asks_model(judge):
        return None
    from evals_pipeline.pipeline.model_judge import door_arbiter

    return door_arbiter(project, judge, key=key, stamp=stamp)


def with_overrides(
    judge: JudgeSettings, *, kind: str | None = None, threshold: float | None = None
) -> JudgeSettings:
    """The judge of the settings with what a command line states over it.

    Raises:
        SetupError: the model that an LLM judge needs is not in the settings.
    """
    stated = judge.model_dump()
    if kind is not None:
        stated["kind"] = kind
    if threshold is not None:
        stated["threshold"] = threshold
        stated["low"] = min(judge.low, threshold)
    if stated["kind"] == JudgeKind.LLM and judge.model is None:
        message = (
            "--judge llm needs judge.model in [tool.evals]: a key of [tool.evals.models] with "
            'provider "openai".'
        )
        raise SetupError(message)
    return JudgeSettings.model_validate(stated)

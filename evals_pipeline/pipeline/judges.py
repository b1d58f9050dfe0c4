"""The judge's means: vectors from an encoder and its cache, and a model that decides the band."""

from functools import lru_cache
from pathlib import Path

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.judge_settings import JudgeKind, JudgeSettings
from evals_pipeline.core.run_records import PartitionKey, RunStamp
from evals_pipeline.core.settings import Provider
from evals_pipeline.judge.arbiter import Arbiter
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.plugins import installed_judge
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.project import Project

VECTORS_FOLDER = "vectors"
KIND_VARIABLE = "EVALS_JUDGE_KIND"
"""Stated there, the kind of judge is somebody's choice and no default."""


def vectors_for(project: Project, judge: JudgeSettings) -> VectorCache:
    """The cache of vectors of the judge's encoder; nothing is loaded before a text is new."""
    return _vectors((project.storage / VECTORS_FOLDER).here, judge.encoder)


@lru_cache(maxsize=4)
def _vectors(folder: Path, encoder: str | None) -> VectorCache:
    return VectorCache(folder, make_encoder(encoder))


def judge_of(project: Project, set_name: str, model_version: str) -> JudgeSettings:
    """Who judges a set's claims of a model version: the judge of the settings, with one exception.

    For the claims of a model in a calibration suite a model judges, where the settings name one and
    nobody asks for another judge: a paraphrase that an embedding misses costs a benchmark a point
    of precision, but gives a fit a wrong label. Predictions are a model's claims, however they
    came into their file.
    """
    judge, stated = project.settings.judge, project.settings.calibration_judge
    if set_name not in project.calibration_names() or KIND_VARIABLE in project.environ:
        return judge
    if stated is not None:
        return judge.model_copy(update={"kind": stated})
    is_of_code = project.model(model_version).provider is Provider.CODE
    if judge.plugin is not None or is_of_code or judge.model is None:
        return judge
    return judge.model_copy(update={"kind": JudgeKind.LLM})


def lacks_judge(project: Project, model_version: str) -> bool:
    """Whether a model's claims would be labelled by embedding because no model is set to judge.

    Somebody who asks for the embedding judge, by option or by ``calibration_judge``, has one.
    """
    if project.model(model_version).provider is Provider.CODE:
        return False
    settings = project.settings
    is_chosen = settings.judge.plugin is not None or settings.calibration_judge is not None
    return settings.judge.model is None and not is_chosen and KIND_VARIABLE not in project.environ


def arbiter_for(
    project: Project,
    judge: JudgeSettings,
    *,
    key: PartitionKey,
    stamp: RunStamp,
    insists: bool = False,
) -> Arbiter | None:
    """Who decides the band: a model, or an installed judge; None where similarity decides alone.

    Raises:
        SetupError: the judge's model or the installed judge cannot be had.
    """
    if judge.plugin is not None:
        return installed_judge(judge.plugin)
    if not judge.asks_model:
        return None
    from evals_pipeline.pipeline.model_judge import door_arbiter

    return door_arbiter(project, judge, key=key, stamp=stamp, insists=insists)


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

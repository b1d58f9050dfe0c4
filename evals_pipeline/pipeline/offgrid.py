"""An extractor measured on a suite whatever the routing says: bake-offs, and ``--suite``.

Nothing is stored in the grid of the suite, which belongs to the extractor that routing gives it. A
model's answers are recorded all the same, so they are paid for once.
"""

from collections.abc import Sequence

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.run_records import Extraction, PartitionKey, RunStamp
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.documents import source_documents
from evals_pipeline.pipeline.estimating import estimate_judge
from evals_pipeline.pipeline.extraction import count_statuses
from evals_pipeline.pipeline.grid import Serving, as_serving, extractor_of
from evals_pipeline.pipeline.judges import arbiter_for, vectors_for
from evals_pipeline.pipeline.model_answers import ask_model, estimate_model
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.suite_figures import with_origin
from evals_pipeline.score.claims import score_claims


def serving_off_grid(
    project: Project, suite_id: str, extractor_id: str, model_version: str
) -> Serving:
    """How an extractor answers for any suite as a model version.

    Raises:
        UnknownNameError: there is no such extractor or model version.
        RefusedError: the extractor does not run as that model version.
    """
    extractor = extractor_of(project, extractor_id)
    found = as_serving(project, extractor, project.model(model_version), set_name=suite_id)
    if found is None:
        message = (
            f"{extractor_id} does not run as {model_version}. A code extractor runs as "
            '"<id>@<version>", a prompt as any model with provider "openai". See: evals list'
        )
        raise RefusedError(message)
    return found


def estimate_off_grid(project: Project, suite_id: str, how: Serving) -> list[Estimate]:
    """What measuring an extractor on any suite would call, its judge included; makes no call."""
    runs = project.run_indices()
    found = estimate_judge(project, project.settings.judge, suite_id, how, runs)
    if how.prompt_path is not None:
        found.append(estimate_model(project, suite_id, how, runs))
    return found


def measure_off_grid(
    project: Project,
    suite_id: str,
    how: Serving,
    *,
    run_indices: Sequence[int],
    stamp: RunStamp,
    judge: JudgeSettings | None = None,
) -> ClaimFigures:
    """The figures of an extractor on a suite, over some runs.

    A case whose source type the extractor declines is skipped with a note, as everywhere.
    """
    judge = judge or project.settings.judge
    model_version = how.model.name
    cases = project.suite(suite_id).cases
    pairs = []
    for run_index in run_indices:
        key = PartitionKey(set_name=suite_id, model_version=model_version, run_index=run_index)
        found = {one.fixture_id: one for one in _extractions(project, how, key, stamp=stamp)}
        pairs += [(case, found[case.fixture.fixture_id]) for case in cases]
    key = PartitionKey(set_name=suite_id, model_version=model_version, run_index=0)
    judged = judge_cases(
        pairs,
        settings=judge,
        vectors=vectors_for(project, judge),
        arbiter=arbiter_for(project, judge, key=key, stamp=stamp),
    )
    figures = score_claims(
        judged,
        set_name=suite_id,
        model_version=model_version,
        run_indices=tuple(run_indices),
        statuses=count_statuses([one for _, one in pairs], planned=len(pairs)),
    )
    return with_origin(figures, project.suite(suite_id), judge)


def _extractions(
    project: Project, how: Serving, key: PartitionKey, *, stamp: RunStamp
) -> list[Extraction]:
    if how.code is None:
        return ask_model(project, how, key, stamp=stamp)
    return [
        run_code_extractor(how.code, document, run_index=key.run_index)
        for document in source_documents(project, key.set_name)
    ]

"""Notes what a cell of the grid paid for in the ``costs`` table, answer by answer.

The record of answers stays the whole truth of what was spent (``evals costs`` reads it): it also
has what a killed run paid for. The table is there to be queried beside the figures.
"""

from collections.abc import Iterable

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import PartitionKey, RunStamp
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.request import Purpose
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.project import Project
from evals_pipeline.store import CostEntry


def note_costs(
    project: Project,
    key: PartitionKey,
    answers: Iterable[tuple[str, Answer]],
    *,
    purpose: Purpose,
    stamp: RunStamp,
    judge: JudgeSettings | None = None,
) -> int:
    """Adds those of the labelled answers that were paid for now; says how many those were.

    A second note of the same cell, purpose and stamp replaces the first, so it has to hold its
    answers too. Nothing is noted for a set that has no grid: its rows could not be joined.
    """
    entries = [
        CostEntry(
            purpose=purpose.value,
            label=label,
            answer_key=answer.key,
            provider_model=answer.provider_model,
            usage=answer.usage,
            cost=answer.cost,
            retries=answer.retries,
            duration_s=answer.duration_s,
        )
        for label, answer in answers
        if answer.cost.is_new and not _failed_for_nothing(answer)
    ]
    if not entries:
        return 0
    try:
        digests = input_digests(project, key.set_name, key.model_version, judge)
    except EvalsError:
        return 0
    return project.store.write_costs(key, entries, digests, stamp)


def _failed_for_nothing(answer: Answer) -> bool:
    """Whether no provider counts it; a call whose end is not known may be billed, and is noted."""
    return answer.status is ExtractionStatus.ERROR and not answer.is_paid

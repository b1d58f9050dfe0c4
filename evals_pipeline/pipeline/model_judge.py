"""The LLM judge's calls, through the same door as extractions: recorded, priced, within budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.records import PartitionKey, RunStamp
from evals_pipeline.core.settings import JudgeSettings, Provider
from evals_pipeline.judge.arbiter import VERDICT_SCHEMA, JudgeAnswer, LlmArbiter, Message
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.request import AnswerRequest, Purpose, Sampling
from evals_pipeline.llm.request import Message as DoorMessage
from evals_pipeline.pipeline.model_answers import open_door
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.spent_answers import note_costs

MAX_VERDICT_TOKENS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgeAnswer:
    """A model's answer as the arbiter reads it."""

    text: str | None
    finish_reason: str | None
    status: ExtractionStatus
    reason: str | None


def door_arbiter(
    project: Project, judge: JudgeSettings, *, key: PartitionKey, stamp: RunStamp
) -> LlmArbiter:
    """The arbiter that asks the judge's model.

    Raises:
        SetupError: the settings name no model for the judge, or one that cannot be asked.
    """
    if judge.model is None:
        raise SetupError(
            'judge: "llm" needs judge.model in [tool.evals], a key of [tool.evals.models] with '
            'provider "openai". Add it, or use --judge embedding.'
        )
    model = project.model(judge.model)
    if model.provider is not Provider.OPENAI:
        raise SetupError(
            f"judge.model {judge.model!r}: provider {model.provider.value} cannot judge."
        )
    door = open_door(project, model, stamp=stamp)
    paid: dict[str, tuple[str, Answer]] = {}

    def ask(conversations: Sequence[list[Message]]) -> Sequence[JudgeAnswer]:
        requests = [
            AnswerRequest(
                messages=tuple(
                    DoorMessage.of_text(message["role"], message["content"])
                    for message in conversation
                ),
                schema=VERDICT_SCHEMA,
                sampling=Sampling(
                    temperature=Decimal(0), seed=None, max_output_tokens=MAX_VERDICT_TOKENS
                ),
                run_index=0,
                structured=door.endpoint.structured,
                purpose=Purpose.JUDGE,
                set_name=key.set_name,
                label=f"{key.set_name} verdict {number}",
            )
            for number, conversation in enumerate(conversations)
        ]
        answers = door.ask_all(requests)
        asked = zip(requests, answers, strict=True)
        paid.update({one.key: (request.label, one) for request, one in asked if one.cost.is_new})
        note_costs(project, key, paid.values(), purpose=Purpose.JUDGE, stamp=stamp, judge=judge)
        return [
            _JudgeAnswer(
                text=answer.text,
                finish_reason=answer.finish_reason,
                status=answer.status,
                reason=answer.reason,
            )
            for answer in answers
        ]

    return LlmArbiter(ask)

"""The LLM judge's calls, through the same door as extractions: recorded, priced, within budget."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.run_records import PartitionKey, RunStamp
from evals_pipeline.core.settings import ModelSettings, Provider
from evals_pipeline.judge.arbiter import (
    VERDICT_SCHEMA,
    Arbiter,
    ClaimPair,
    LlmArbiter,
    Verdict,
    messages_for,
    verdict_of,
)
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.door import ModelDoor
from evals_pipeline.llm.request import AnswerRequest, Purpose, Sampling
from evals_pipeline.llm.request import Message as DoorMessage
from evals_pipeline.pipeline.model_answers import open_door
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.spent_answers import note_costs

MAX_VERDICT_TOKENS = 300
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictQuestions:
    """The questions for verdicts behind a door, for one set, and which answers are verdicts."""

    door: ModelDoor
    set_name: str
    _pairs: dict[str, ClaimPair] = field(default_factory=dict)

    def requests(self, pairs: Sequence[ClaimPair]) -> list[AnswerRequest]:
        """The question of each pair; the same for the same texts, for ever."""
        found = [self._request(pair, number) for number, pair in enumerate(pairs)]
        self._pairs.update(zip(map(self.door.key_of, found), pairs, strict=True))
        return found

    def is_usable(self, answer: Answer) -> bool:
        """Whether an answer is one clear verdict; any other is asked for again."""
        pair = self._pairs.get(answer.key)
        return pair is None or verdict_of(answer, pair).aligned is not None

    def find(self, request: AnswerRequest) -> Answer | None:
        """The recorded answer that is a verdict; None when the model would be asked."""
        return self.door.find(request, is_usable=self.is_usable)

    def _request(self, pair: ClaimPair, number: int) -> AnswerRequest:
        return AnswerRequest(
            messages=tuple(
                DoorMessage.of_text(message["role"], message["content"])
                for message in messages_for(pair)
            ),
            schema=VERDICT_SCHEMA,
            sampling=Sampling(
                temperature=Decimal(0), seed=None, max_output_tokens=MAX_VERDICT_TOKENS
            ),
            run_index=0,
            structured=self.door.endpoint.structured,
            purpose=Purpose.JUDGE,
            set_name=self.set_name,
            label=f"{self.set_name} verdict {number}",
        )


def judge_model(project: Project, judge: JudgeSettings) -> ModelSettings:
    """The model version that judges.

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
    return model


def door_arbiter(
    project: Project,
    judge: JudgeSettings,
    *,
    key: PartitionKey,
    stamp: RunStamp,
    insists: bool = False,
) -> Arbiter:
    """The arbiter that asks the judge's model.

    A recorded answer that is no clear verdict is asked for again, once a command. ``insists``: ask
    although another model than the pinned one answered last.

    Raises:
        SetupError: the settings name no model for the judge, or one that cannot be asked.
    """
    model = judge_model(project, judge)
    door = open_door(project, model, stamp=stamp, asks_once=True, insists=insists)
    questions = VerdictQuestions(door=door, set_name=key.set_name)
    paid: dict[str, tuple[str, Answer]] = {}

    def ask(pairs: Sequence[ClaimPair]) -> Sequence[Answer]:
        requests = questions.requests(pairs)
        labels = {door.key_of(request): request.label for request in requests}

        def told(answer: Answer) -> None:
            if answer.cost.is_new:
                paid[answer.key] = (labels[answer.key], answer)

        try:
            return door.ask_all(requests, on_answer=told, is_usable=questions.is_usable)
        finally:
            # A run that the budget or another model stopped has paid for the answers before.
            note_costs(project, key, paid.values(), purpose=Purpose.JUDGE, stamp=stamp, judge=judge)

    return _TellingArbiter(arbiter=LlmArbiter(ask), key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TellingArbiter:
    """Says in the log how many pairs were left open, and what asks about them again."""

    arbiter: Arbiter
    key: PartitionKey

    def decide(self, pairs: Sequence[ClaimPair]) -> Sequence[Verdict]:
        """The verdicts of the arbiter."""
        verdicts = self.arbiter.decide(pairs)
        n_open = sum(verdict.aligned is None for verdict in verdicts)
        if n_open:
            _LOG.warning(
                "LLM judge: %d of %d pairs of %s, %s, run %d are unjudged; calls that failed and "
                "verdicts that could not be read are asked again by: "
                "evals run %s --model %s --judge llm",
                n_open,
                len(verdicts),
                self.key.set_name,
                self.key.model_version,
                self.key.run_index,
                self.key.set_name,
                self.key.model_version,
            )
        return verdicts

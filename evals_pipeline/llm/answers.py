"""The record of one answer: what came back, what it took and what it cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Cost, Usage
from evals_pipeline.llm.logprobs import TokenLine
from evals_pipeline.llm.request import Purpose

UNSTATED_MODEL = "unstated"
"""Stands for a provider that returns no model name; a pin of this value accepts exactly that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a model, or how asking for it failed.

    ``status`` is ok (the model ended by itself; what it says may still be unparsable), truncated
    or error. ``reason`` explains the last two. ``retries`` counts the calls beyond the first, and
    ``retry_reasons`` says what each of them met. ``structured`` is the form of output that was
    used in the end and ``dropped`` the parameters that the endpoint refused. ``provider_model`` is
    the name that the provider returned. ``generation`` names the sampling that it belongs to:
    empty, or the label of a fresh one.
    """

    key: str
    status: ExtractionStatus
    reason: str | None = None
    text: str = ""
    refusal: str | None = None
    finish_reason: str | None = None
    provider_model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage | None = None
    cost: Cost
    retries: int = 0
    retry_reasons: tuple[str, ...] = ()
    duration_s: float | None = None
    structured: str = "text"
    dropped: tuple[str, ...] = ()
    tokens: TokenLine = field(default_factory=TokenLine)
    at: datetime
    generation: str = ""
    run_id: str = "local"
    commit: str | None = None

    @property
    def is_new(self) -> bool:
        """Whether this answer was asked for now, rather than read from the record."""
        return self.cost.is_new

    @property
    def is_paid(self) -> bool:
        """Whether the provider counted, or may have counted, anything for it."""
        return self.usage is not None or self.cost.usd != Decimal(0)

    def is_good_for(self, pin: str) -> bool:
        """Whether it can be used again: the model finished, and it is the model that is pinned."""
        return self.status is ExtractionStatus.OK and self.answered_by == pin

    @property
    def answered_by(self) -> str:
        """The model name that the provider returned, or ``unstated``."""
        return self.provider_model or UNSTATED_MODEL

    def as_recorded(self) -> "Answer":
        """The same answer as one that costs nothing new."""
        return replace(self, cost=replace(self.cost, is_new=False))


IsUsable: TypeAlias = Callable[[Answer], bool]
"""Whether what a complete answer says can be used by the one who asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrigin:
    """What an answer was asked for; it makes the record readable without the messages."""

    provider: str
    model: str
    model_version: str
    set_name: str
    label: str
    purpose: Purpose
    run_index: int
    prompt_sha256: str | None = None
    sampling: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """Everything recorded under one key: every sample that was taken, the oldest first."""

    format: int
    key: str
    origin: AnswerOrigin
    samples: tuple[Answer, ...]

    def best(
        self, *, pin: str, generation: str | None, is_usable: IsUsable | None = None
    ) -> Answer | None:
        """The newest good sample, of one generation where one is named; None when none is.

        Where ``is_usable`` is given, a sample of which it says no is not good either.
        """
        for sample in reversed(self.samples):
            if generation is not None and sample.generation != generation:
                continue
            if sample.is_good_for(pin) and (is_usable is None or is_usable(sample)):
                return sample
        return None

    def final(self, *, pin: str) -> Answer | None:
        """The sample that a committed file stands for: the newest good one, else a truncated one.

        A committed answer takes the place of the network, where nothing can be tried again.
        """
        good = self.best(pin=pin, generation=None)
        if good is not None:
            return good
        cut = (
            sample
            for sample in reversed(self.samples)
            if sample.status is ExtractionStatus.TRUNCATED and sample.answered_by == pin
        )
        return next(cut, None)

    def with_sample(self, sample: Answer) -> "AnswerFile":
        """The file with one more sample; of failures that cost nothing only the newest is kept."""
        kept = tuple(
            old for old in self.samples if old.is_paid or old.status is not ExtractionStatus.ERROR
        )
        return replace(self, samples=(*kept, sample))

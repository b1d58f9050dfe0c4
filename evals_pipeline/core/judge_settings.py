"""How claims are judged: ``judge`` of the settings."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainValidator

from evals_pipeline.core.edges import EdgeModel, Flag, Number, Text, complete_refusal, member_of
from evals_pipeline.core.errors import did_you_mean
from evals_pipeline.core.registry import offered_names


class JudgeKind(StrEnum):
    """Who decides whether a claim says what a gold claim says; installed packages add others."""

    EMBEDDING = "embedding"
    LLM = "llm"


JUDGES_GROUP = "evals_pipeline.judges"
"""The entry point group under which packages offer judges of their own."""


class GuardMode(StrEnum):
    """What happens to a pair above the threshold whose numbers, negation or subject differ."""

    FLAG = "flag"
    JUDGE = "judge"
    REJECT = "reject"


class Assignment(StrEnum):
    """How emitted and gold claims are paired."""

    GREEDY = "greedy"
    OPTIMAL = "optimal"


def _read_judge_kind(raw: object) -> JudgeKind | str:
    """A built-in kind, else the name of a judge that is installed."""
    built_in = [kind.value for kind in JudgeKind]
    if isinstance(raw, str) and raw in built_in:
        return JudgeKind(raw)
    known = [*built_in, *(name for name in offered_names(JUDGES_GROUP) if name not in built_in)]
    if isinstance(raw, str) and raw in known:
        return str(raw)
    problem = f"must be {', '.join(known[:-1])} or {known[-1]}, got {str(raw)[:60]!r}"
    raise complete_refusal(problem, remedy=did_you_mean(str(raw), known))


class JudgeSettings(EdgeModel):
    """How claims are judged; ``encoder`` None is the packaged sentence model.

    ``kind`` is a built-in one or the name of an installed package's judge. ``low`` is where a judge
    other than the embedding stops asking; ``model`` is the model version key of the LLM judge.
    """

    kind: Annotated[JudgeKind | str, PlainValidator(_read_judge_kind)] = JudgeKind.EMBEDDING
    threshold: Number = Field(default=0.80, gt=0, le=1)
    low: Number = Field(default=0.65, ge=0, le=1)
    guards: Annotated[GuardMode, BeforeValidator(member_of(GuardMode))] = GuardMode.FLAG
    assignment: Annotated[Assignment, BeforeValidator(member_of(Assignment))] = Assignment.GREEDY
    subject_aware: Flag = True
    encoder: Text | None = None
    model: Text | None = None

    @property
    def plugin(self) -> str | None:
        """The name of the installed judge that decides; None for a built-in one."""
        return None if isinstance(self.kind, JudgeKind) else self.kind

    @property
    def asks_somebody(self) -> bool:
        """Whether pairs are left to a model or to a judge of one's own."""
        return self.kind is not JudgeKind.EMBEDDING or self.guards is GuardMode.JUDGE

    @property
    def asks_model(self) -> bool:
        """Whether a model may be called, so that ``model`` is needed."""
        return self.asks_somebody and self.plugin is None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """By whom and how the claims behind a figure were judged, as it is told beside the figure.

    A pair is accepted from ``threshold`` on. Where somebody is asked, ``low`` is where the asking
    ends; None where similarity decides alone. ``model`` is the one that a model judge is.
    """

    judge: str
    threshold: float
    assignment: str
    guards: str
    low: float | None = None
    model: str | None = None

    @classmethod
    def of(cls, settings: JudgeSettings) -> "JudgedBy":
        """What is told of the settings that were judged with."""
        is_asked = settings.kind is not JudgeKind.EMBEDDING
        return cls(
            judge=str(settings.kind),
            threshold=settings.threshold,
            assignment=settings.assignment.value,
            guards=settings.guards.value,
            low=settings.low if is_asked else None,
            model=settings.model if settings.asks_model else None,
        )

    def __str__(self) -> str:
        """A phrase: ``embedding from 0.8, greedy assignment, guards flag``."""
        who = self.judge if self.model is None else f"{self.judge} ({self.model})"
        band = f"from {self.threshold:g}"
        if self.low is not None:
            band = f"between {self.low:g} and {self.threshold:g}"
        return f"{who} {band}, {self.assignment} assignment, guards {self.guards}"

"""What an endpoint understands: the form of structured output, and parameters that it refuses.

Endpoints that call themselves compatible differ. The richest form is tried first; a refusal (which
costs nothing) takes one step down, and the step is remembered for the endpoint and the model:

    json_schema  →  json_object  →  text        temperature, seed, logprobs, …  →  left out
    max_tokens  ↔  max_completion_tokens
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from evals_pipeline.core.records import JsonValue
from evals_pipeline.llm.endpoint import OPENAI_URL
from evals_pipeline.llm.request import AnswerRequest, Message, TextPart

REFUSING_STATUSES = frozenset({400, 415, 422, 501})

_TOO_LONG = ("context length", "context_length", "context size", "too long", "maximum context")
_ABOUT_SCHEMA = ("response_format", "json_schema", "schema", "grammar", "guided", "structured")
_ABOUT_JSON_MODE = ("response_format", "json_object", "json mode")
_DROPPABLE = ("temperature", "seed", "logprobs")
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")


class Structured(StrEnum):
    """The form in which a structured answer is asked for."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


_LADDER = tuple(Structured)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How to speak to one model at one endpoint.

    The first of ``limit_names`` is the parameter that bounds the output. ``is_proven`` says that an
    answer came back in this form; before that, an unexplained refusal is taken as one of the form.
    ``is_fixed`` keeps the form that the settings name.
    """

    structured: Structured
    limit_names: tuple[str, ...]
    dropped: frozenset[str] = frozenset()
    is_proven: bool = False
    is_fixed: bool = False

    @classmethod
    def first(cls, structured: str, *, base_url: str) -> "Dialect":
        """What to try first: ``structured`` is auto or one fixed form."""
        is_fixed = structured != "auto"
        return cls(
            structured=Structured(structured) if is_fixed else Structured.JSON_SCHEMA,
            limit_names=_LIMIT_NAMES if base_url == OPENAI_URL else _LIMIT_NAMES[::-1],
            is_fixed=is_fixed,
        )

    def as_proven(self) -> "Dialect":
        """The same dialect, known to work."""
        return self if self.is_proven else replace(self, is_proven=True)

    @property
    def rank(self) -> int:
        """How many steps down this is; of two, the larger knows more refusals."""
        n_other_limits = len(_LIMIT_NAMES) - len(self.limit_names)
        return _LADDER.index(self.structured) + len(self.dropped) + n_other_limits


def adapted(dialect: Dialect, *, message: str, param: str | None) -> Dialect | None:
    """The dialect to try after a refusal; None when the refusal is about the request itself.

    Args:
        dialect: What was refused.
        message: What the endpoint said.
        param: The parameter that the endpoint names, where it names one.
    """
    said = f"{param or ''} {message}".lower()
    if any(words in said for words in _TOO_LONG):
        return None
    if dialect.limit_names[0] in said and len(dialect.limit_names) > 1:
        return replace(dialect, limit_names=dialect.limit_names[1:])
    for name in _DROPPABLE:
        if name in said and name not in dialect.dropped:
            return replace(dialect, dropped=dialect.dropped | {name})
    return _one_step_down(dialect, said)


def _one_step_down(dialect: Dialect, said: str) -> Dialect | None:
    if dialect.is_fixed or dialect.structured is Structured.TEXT:
        return None
    words = _ABOUT_SCHEMA if dialect.structured is Structured.JSON_SCHEMA else _ABOUT_JSON_MODE
    if dialect.is_proven and not any(word in said for word in words):
        return None
    step = _LADDER[_LADDER.index(dialect.structured) + 1]
    return replace(dialect, structured=step, is_proven=False)


def request_body(request: AnswerRequest, dialect: Dialect, *, model: str) -> dict[str, JsonValue]:
    """The body of the call, in the dialect of the endpoint."""
    messages = list(request.messages)
    body: dict[str, JsonValue] = {"model": model}
    if request.schema is not None:
        if dialect.structured is Structured.JSON_SCHEMA:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
            }
        else:
            messages[-1] = _with_schema_in_words(messages[-1], request.schema)
        if dialect.structured is Structured.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
    body["messages"] = [message.as_wire() for message in messages]
    return body | _parameters(request, dialect)


def _parameters(request: AnswerRequest, dialect: Dialect) -> dict[str, JsonValue]:
    sampling = request.sampling
    parameters: dict[str, JsonValue] = {
        name: _plain(value) for name, value in sampling.extra.items()
    }
    if sampling.temperature is not None:
        parameters["temperature"] = float(sampling.temperature)
    if sampling.seed is not None:
        parameters["seed"] = sampling.seed
    if sampling.max_output_tokens is not None:
        parameters[dialect.limit_names[0]] = sampling.max_output_tokens
    if sampling.logprobs:
        parameters["logprobs"] = True
    return {name: value for name, value in parameters.items() if name not in dialect.dropped}


def _with_schema_in_words(message: Message, schema: Mapping[str, JsonValue]) -> Message:
    """Tells the schema to a model that the endpoint does not hold to it.

    It is added to the last message, since some chat templates refuse two of one role in a row.
    """
    text = json.dumps(schema, ensure_ascii=False)
    words = f"\nAnswer with one JSON object and nothing else. It follows this schema:\n{text}"
    return replace(message, parts=(*message.parts, TextPart(text=words)))


def _plain(value: JsonValue) -> JsonValue:
    """A value as the HTTP client can write it; settings hold fractions as Decimal."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value

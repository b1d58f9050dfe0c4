"""What is asked of a model, and the key under which its answer is kept.

The key is a SHA-256 over everything that shapes the answer: provider, model, messages, schema, all
parameters and the run index. The address of the endpoint is left out on purpose: the exact model
answers, whichever gateway it is reached through, so a move costs nothing and a recording made on
one machine serves another. An image counts by its identity (document, page, resolution), not by its
bytes, so that a new release of the renderer does not throw paid answers away.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.records import JsonValue

KEY_FORMAT = 1
"""Raised when what is sent for the same request changes, so that old answers are not reused."""


class Purpose(StrEnum):
    """What an answer is paid for."""

    EXTRACTION = "extraction"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Words of a message."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """A picture of a message.

    ``data_url`` is what is sent; ``identity`` is what the key covers, for example
    ``sha256:4c81…#page=2&dpi=150``.
    """

    data_url: str
    identity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation; ``role`` is system, user or assistant."""

    role: str
    parts: tuple[TextPart | ImagePart, ...]

    @classmethod
    def of_text(cls, role: str, text: str) -> "Message":
        """A message of words only."""
        return cls(role=role, parts=(TextPart(text=text),))

    @property
    def text(self) -> str:
        """All words of the message; pictures are left out."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def n_images(self) -> int:
        """How many pictures the message carries."""
        return sum(isinstance(part, ImagePart) for part in self.parts)

    def as_wire(self) -> dict[str, JsonValue]:
        """The message in the chat-completions shape; plain text where there is no picture."""
        if not self.n_images:
            return {"role": self.role, "content": self.text}
        content: list[JsonValue] = []
        for part in self.parts:
            if isinstance(part, TextPart):
                content.append({"type": "text", "text": part.text})
            else:
                content.append({"type": "image_url", "image_url": {"url": part.data_url}})
        return {"role": self.role, "content": content}

    def as_identity(self) -> JsonValue:
        """The message as the key sees it."""
        parts: list[JsonValue] = [
            {"text": part.text} if isinstance(part, TextPart) else {"image": part.identity}
            for part in self.parts
        ]
        return {"role": self.role, "parts": parts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the model is to answer; None leaves a parameter to the provider.

    ``extra`` holds further parameters of the endpoint, sent as they are.
    """

    temperature: Decimal | None = Decimal(0)
    seed: int | None = None
    max_output_tokens: int | None = None
    logprobs: bool = False
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    def as_identity(self) -> dict[str, JsonValue]:
        """The parameters as the key sees them; 0 and 0.0 are the same temperature."""
        warmth = self.temperature
        return {
            "temperature": None if warmth is None else format(warmth.normalize(), "f"),
            "seed": self.seed,
            "max_output_tokens": self.max_output_tokens,
            "logprobs": self.logprobs,
            "extra": dict(self.extra),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """One question to a model.

    ``schema`` is the JSON Schema of the answer, None for free text; ``structured`` the form that
    the settings ask for. ``set_name``, ``label`` and ``prompt_sha256`` say what it is for and are
    not part of the key: the same question for another purpose is the same question.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, JsonValue] | None
    sampling: Sampling
    run_index: int
    structured: str = "auto"
    purpose: Purpose = Purpose.EXTRACTION
    set_name: str = ""
    label: str = ""
    prompt_sha256: str | None = None


def answer_key(request: AnswerRequest, *, provider: str, model: str) -> str:
    """The key of an answer: SHA-256 in hex over provider, model, messages, schema, parameters, run.

    >>> question = AnswerRequest(
    ...     messages=(Message.of_text("user", "2+2?"),), schema=None, sampling=Sampling(),
    ...     run_index=0)
    >>> answer_key(question, provider="openai", model="m") == answer_key(
    ...     question, provider="openai", model="n")
    False
    """
    return digest_of(
        {
            "format": KEY_FORMAT,
            "provider": provider,
            "model": model,
            "messages": [message.as_identity() for message in request.messages],
            "schema": None if request.schema is None else dict(request.schema),
            "structured": request.structured,
            "sampling": request.sampling.as_identity(),
            "run_index": request.run_index,
        }
    )

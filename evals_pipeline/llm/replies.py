"""The reply of a chat-completions endpoint, read leniently, the model's words untouched."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from evals_pipeline.core.run_records import Usage
from evals_pipeline.core.visible import visible_line
from evals_pipeline.llm.failures import CallFailedError, message_of, short_line, sound
from evals_pipeline.llm.logprobs import RawToken, TokenLine, align

_LONGEST_NUMBER = 20
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said, with what the provider says about it; None where it says nothing."""

    text: str
    refusal: str | None
    finish_reason: str | None
    model: str | None
    system_fingerprint: str | None
    usage: Usage | None
    tokens: TokenLine

    def redacted(self, redact: Callable[[str], str]) -> "Reply":
        """The same without what ``redact`` takes out of its words; tokens then align no more."""

        def optional(text: str | None) -> str | None:
            return None if text is None else redact(text)

        text = redact(self.text)
        return replace(
            self,
            text=text,
            refusal=optional(self.refusal),
            finish_reason=optional(self.finish_reason),
            model=optional(self.model),
            system_fingerprint=optional(self.system_fingerprint),
            tokens=self.tokens if text == self.text else align(text, []),
        )


def read_reply(body: str) -> Reply:
    """The reply that the body of a successful call holds.

    Raises:
        CallFailedError: it holds none. Tried again only where nothing says that it was billed.
    """
    try:
        envelope = json.loads(body, parse_constant=lambda _: None, parse_int=_whole_number)
    except (ValueError, RecursionError):
        raise CallFailedError(
            "the reply is not JSON", is_transient=True, may_be_billed=True
        ) from None
    if not isinstance(envelope, dict):
        raise CallFailedError("the reply is no JSON object", is_transient=True, may_be_billed=True)
    usage = _usage(envelope.get("usage"))
    choice = _first(envelope.get("choices"))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        said = message_of(envelope["error"]) if "error" in envelope else None
        raise CallFailedError(
            f"the reply holds no answer{': ' + short_line(said) if said else ''}",
            is_transient=usage is None,
            may_be_billed=True,
        )
    text = sound(_text_of(message.get("content")))
    return Reply(
        text=text,
        refusal=_optional_text(message.get("refusal")),
        finish_reason=_optional_text(choice.get("finish_reason")),
        model=_name(envelope.get("model")),
        system_fingerprint=_name(envelope.get("system_fingerprint")),
        usage=usage,
        tokens=align(text, _tokens(choice.get("logprobs"))),
    )


def _whole_number(digits: str) -> int | None:
    """A number of the envelope; None for one that no provider counts."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _first(choices: object) -> dict[str, Any] | None:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return None


def _text_of(content: object) -> str:
    """The words of a message, which some servers send in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _optional_text(value: object) -> str | None:
    return sound(value) if isinstance(value, str) and value else None


def _name(value: object) -> str | None:
    """A name as it can be shown; one that is longer than any name ends in an ellipsis."""
    text = _optional_text(value)
    return None if text is None else visible_line(text, limit=_LONGEST_NAME)


def _usage(raw: object) -> Usage | None:
    """The tokens as counted by the provider; None unless both directions are stated and sound."""
    if not isinstance(raw, dict):
        return None
    counted_in = _count(raw.get("prompt_tokens"))
    counted_out = _count(raw.get("completion_tokens"))
    if counted_in is None or counted_out is None:
        return None
    details = raw.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _count(raw.get("prompt_cache_hit_tokens"))
    return Usage(
        input_tokens=counted_in,
        cached_input_tokens=None if cached is None else min(cached, counted_in),
        output_tokens=counted_out,
    )


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
    return int(str(value)) if is_count else None


def _tokens(raw: object) -> list[RawToken]:
    """The tokens with their log-probabilities; none when any of them has no usable number."""
    content = raw.get("content") if isinstance(raw, dict) else None
    tokens: list[RawToken] = []
    for item in content if isinstance(content, list) else ():
        token = item.get("token") if isinstance(item, dict) else None
        logprob = item.get("logprob") if isinstance(item, dict) else None
        if not isinstance(token, str) or not isinstance(logprob, int | float):
            return []
        if not math.isfinite(logprob):
            return []
        tokens.append(
            RawToken(
                content=_bytes_of(item.get("bytes"), token), logprob=min(0.0, round(logprob, 4))
            )
        )
    return tokens


def _bytes_of(stated: object, token: str) -> bytes:
    """A token's bytes; its text shows a replacement mark where a letter is split between two."""
    if isinstance(stated, list):
        try:
            return bytes(stated)
        except (TypeError, ValueError):
            pass
    return token.encode("utf-8", errors="replace")

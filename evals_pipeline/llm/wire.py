"""One call over the openai package, and what its reply or its failure means.

The package does the talking only: its own retries are off (``max_retries=0``), because every call
is counted here, and the reply is read here, leniently where the envelope is concerned and without
altering a character of what the model said.
"""

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from evals_pipeline.core.records import JsonValue, Usage
from evals_pipeline.llm.endpoint import Redactor
from evals_pipeline.llm.logprobs import RawToken, TokenLine, align

if TYPE_CHECKING:
    import openai

_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_FATAL_STATUSES = frozenset({401, 402, 404})
_OUT_OF_MONEY = ("insufficient_quota", "billing_hard_limit", "insufficient_balance")
_LONGEST_NUMBER = 20
_LONGEST_MESSAGE = 300
_NOT_FOUND = 404


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


class CallFailedError(Exception):
    """A call that gave no answer.

    ``is_transient``: the same call may succeed later. ``is_fatal``: no call to this endpoint can
    succeed. ``may_be_billed``: the request reached the provider and its end is not known.
    ``is_unreachable``: no connection ever stood.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        param: str | None = None,
        retry_after_s: float | None = None,
        is_transient: bool = False,
        is_fatal: bool = False,
        may_be_billed: bool = False,
        is_unreachable: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.param = param
        self.retry_after_s = retry_after_s
        self.is_transient = is_transient
        self.is_fatal = is_fatal
        self.may_be_billed = may_be_billed
        self.is_unreachable = is_unreachable


async def call(
    client: "openai.AsyncOpenAI",
    body: Mapping[str, JsonValue],
    *,
    timeout_s: float,
    redact: Redactor,
) -> Reply:
    """Sends one request and reads its reply.

    Raises:
        CallFailedError: whatever goes wrong on the way; its text holds no secret.
    """
    import openai  # noqa: PLC0415 - slow to load, and only needed for a call

    named = {"model", "messages"}
    rest = {name: value for name, value in body.items() if name not in named}
    messages: Any = body["messages"]
    try:
        async with asyncio.timeout(timeout_s):
            raw = await client.chat.completions.with_raw_response.create(
                model=str(body["model"]), messages=messages, extra_body=rest, timeout=timeout_s
            )
            content = raw.http_response.content
    except (TimeoutError, openai.APITimeoutError):
        raise CallFailedError(
            f"no answer within {timeout_s:g} s", is_transient=True, may_be_billed=True
        ) from None
    except openai.APIStatusError as error:
        raise _status_failure(error, redact) from None
    except openai.APIConnectionError as error:
        raise _connection_failure(error) from None
    except openai.OpenAIError as error:
        raise CallFailedError(_short(redact.message(str(error))), may_be_billed=True) from None
    return read_reply(redact.content(content.decode("utf-8", errors="replace")))


def _status_failure(error: "openai.APIStatusError", redact: Redactor) -> CallFailedError:
    status = error.status_code
    said = _short(redact.message(_message_of(error.body) or ""))
    out_of_money = any(word in f"{error.code} {error.type} {said}" for word in _OUT_OF_MONEY)
    return CallFailedError(
        f"HTTP {status}: {said}" if said else f"HTTP {status}",
        status=status,
        param=error.param if isinstance(error.param, str) else None,
        retry_after_s=retry_after_s(error.response.headers, now=datetime.now(UTC)),
        is_transient=not out_of_money and (status in _TRANSIENT_STATUSES or status > 504),
        is_fatal=out_of_money or status in _FATAL_STATUSES,
    )


def _message_of(body: object) -> str | None:
    """The words of an error's body, in the shapes that servers use."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return None
    inner = body.get("error", body)
    words = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
    return words if isinstance(words, str) else json.dumps(body)


def _connection_failure(error: "openai.APIConnectionError") -> CallFailedError:
    """A connection that never stood costs nothing; of one that broke nobody knows."""
    cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
    never_stood = cause in ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError")
    return CallFailedError(
        f"the connection failed ({cause})",
        is_transient=True,
        may_be_billed=not never_stood,
        is_unreachable=never_stood,
    )


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """How long the provider asks to wait, in seconds; None when it does not say.

    ``retry-after-ms`` is read before ``retry-after``, which holds seconds or a date.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    stated = headers.get("retry-after")
    seconds = _seconds(stated)
    if seconds is not None or not stated:
        return seconds
    try:
        moment = parsedate_to_datetime(stated)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _seconds(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


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
        said = _message_of(envelope["error"]) if "error" in envelope else None
        raise CallFailedError(
            f"the reply holds no answer{': ' + _short(said) if said else ''}",
            is_transient=usage is None,
            may_be_billed=True,
        )
    text = _sound(_text_of(message.get("content")))
    return Reply(
        text=text,
        refusal=_optional_text(message.get("refusal")),
        finish_reason=_optional_text(choice.get("finish_reason")),
        model=_optional_text(envelope.get("model")),
        system_fingerprint=_optional_text(envelope.get("system_fingerprint")),
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
    return _sound(value) if isinstance(value, str) and value else None


def _sound(text: str) -> str:
    r"""The text with half surrogates as escapes, which a file can hold and strict JSON refuses.

    >>> _sound("a\ud800")
    'a\\ud800'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="backslashreplace").decode("utf-8")
    return text


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


def _short(text: str) -> str:
    """The first words of a message from outside, on one line."""
    line = " ".join(_sound(text).split())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"

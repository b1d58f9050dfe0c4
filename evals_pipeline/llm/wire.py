"""One call over the openai package, and what becomes of it.

The package does the talking only: its own retries are off (``max_retries=0``), because every call
is counted here, and the reply is read here.
"""

import asyncio
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from evals_pipeline.core.records import JsonValue
from evals_pipeline.llm.endpoint import Redactor
from evals_pipeline.llm.failures import CallFailedError, message_of, short_line
from evals_pipeline.llm.replies import Reply, read_reply

if TYPE_CHECKING:
    import openai

_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FATAL_STATUSES = frozenset({401, 402, 404}) | _REDIRECTS
_OUT_OF_MONEY = ("insufficient_quota", "billing_hard_limit", "insufficient_balance")


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
    import openai  # slow to load, and only needed for a call

    try:
        async with asyncio.timeout(timeout_s):
            # The whole body goes in as extra_body, which replaces the named arguments: it is built
            # here, and the package would spend as long on rewriting it as on sending it.
            raw = await client.chat.completions.with_raw_response.create(
                model=str(body["model"]), messages=[], extra_body=body, timeout=timeout_s
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
        raise CallFailedError(short_line(redact.message(str(error))), may_be_billed=True) from None
    # Once as it came and once as it is meant: JSON can spell a key in many ways, twice over.
    return read_reply(redact.content(content.decode("utf-8-sig", errors="replace"))).redacted(
        redact.content
    )


def _status_failure(error: "openai.APIStatusError", redact: Redactor) -> CallFailedError:
    status = error.status_code
    said = short_line(redact.message(message_of(error.body) or ""))
    target = error.response.headers.get("location") if status in _REDIRECTS else None
    if target:
        said = f"sends elsewhere, to {short_line(redact.message(target.partition('?')[0]))}"
    out_of_money = any(word in f"{error.code} {error.type} {said}" for word in _OUT_OF_MONEY)
    return CallFailedError(
        f"HTTP {status}: {said}" if said else f"HTTP {status}",
        status=status,
        param=error.param if isinstance(error.param, str) else None,
        retry_after_s=retry_after_s(error.response.headers, now=datetime.now(UTC)),
        is_transient=not out_of_money and (status in _TRANSIENT_STATUSES or status > 504),
        is_fatal=out_of_money or status in _FATAL_STATUSES,
    )


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
    except (ValueError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _seconds(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None

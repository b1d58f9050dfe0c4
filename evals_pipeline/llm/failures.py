"""A call that gave no answer, and the words that a server has for it."""

import json

_LONGEST_MESSAGE = 300


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


def message_of(body: object) -> str | None:
    """The words of an error's body, in the shapes that servers use."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return None
    inner = body.get("error", body)
    words = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
    return words if isinstance(words, str) else json.dumps(body)


def short_line(text: str) -> str:
    """The first words of a message from outside, on one line."""
    line = " ".join(sound(text).split())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"


def sound(text: str) -> str:
    r"""The text with half surrogates as escapes, which a file can hold and strict JSON refuses.

    >>> sound("a\ud800")
    'a\\ud800'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="backslashreplace").decode("utf-8")
    return text

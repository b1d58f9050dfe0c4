"""Token log-probabilities laid along the text of an answer, and the probability of a part of it.

Servers state tokens that the text lacks (fences, an end mark) and split letters between tokens, so
that positions are counted in bytes of UTF-8, and tokens outside the text are left out. Where the
text is not found among its tokens there is no alignment, and no probability.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RawToken:
    """One token as the server states it: its bytes, and its natural-log probability (≤ 0)."""

    content: bytes
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLine:
    """Tokens along a text: where each ends, in bytes from its start, and its log-probability.

    Both are empty when the server stated none, or none that could be aligned.
    """

    ends: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()

    def span_logprobs(self, start: int, end: int) -> tuple[float, ...]:
        """The log-probabilities of the tokens that touch the bytes [start, end)."""
        found = []
        token_start = 0
        for token_end, logprob in zip(self.ends, self.logprobs, strict=True):
            if token_start < end and start < token_end:
                found.append(logprob)
            token_start = token_end
        return tuple(found)


def align(text: str, tokens: Sequence[RawToken]) -> TokenLine:
    """The tokens along ``text``; empty when the text does not occur among them.

    >>> align("7", [RawToken(content=b"```", logprob=-1.0), RawToken(content=b"7", logprob=-0.5)])
    TokenLine(ends=(1,), logprobs=(-0.5,))
    """
    wanted = text.encode("utf-8")
    offset = b"".join(token.content for token in tokens).find(wanted) if wanted else -1
    if offset < 0:
        return TokenLine()
    ends: list[int] = []
    logprobs: list[float] = []
    position = -offset
    for token in tokens:
        end = position + len(token.content)
        if end > 0 and position < len(wanted) and token.content:
            ends.append(min(end, len(wanted)))
            logprobs.append(token.logprob)
        position = end
    return TokenLine(ends=tuple(ends), logprobs=tuple(logprobs))


def joint_probability(logprobs: Sequence[float]) -> float | None:
    """exp(Σ logprob): how likely exactly these tokens were; None without tokens."""
    return math.exp(math.fsum(logprobs)) if logprobs else None


def typical_probability(logprobs: Sequence[float]) -> float | None:
    """exp(mean logprob): the geometric mean of the tokens' probabilities; None without tokens."""
    return math.exp(math.fsum(logprobs) / len(logprobs)) if logprobs else None

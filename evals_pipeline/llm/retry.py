"""How often, and after how long, a failed call is made again."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evals_pipeline.llm.failures import CallFailedError

if TYPE_CHECKING:
    from tenacity import RetryCallState


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Waiting times in seconds.

    Before retry k (from 1): between half and all of min(``cap_s``, ``base_s`` · 2^(k-1)), at
    random, so that calls that failed together do not return together. A wait that the provider asks
    for replaces it, up to ``retry_after_cap_s``.
    """

    base_s: float = 0.5
    cap_s: float = 30.0
    retry_after_cap_s: float = 120.0

    def wait_s(self, failure: CallFailedError, *, n_failed: int, jitter: float) -> float:
        """How long to wait after the ``n_failed``-th failure; ``jitter`` lies in [0, 1).

        >>> RetryPolicy().wait_s(CallFailedError("busy"), n_failed=3, jitter=0.0)
        1.0
        """
        if failure.retry_after_s is not None:
            return min(failure.retry_after_s, self.retry_after_cap_s)
        longest = min(self.cap_s, self.base_s * 2.0 ** min(n_failed - 1, 32))
        return longest * (1 + jitter) / 2

    def as_wait(
        self, *, pause: Callable[[float], None], rng: random.Random
    ) -> Callable[["RetryCallState"], float]:
        """The policy for tenacity; a wait that the provider asks for pauses the whole endpoint."""

        def wait(state: "RetryCallState") -> float:
            outcome = state.outcome
            failure = outcome.exception() if outcome is not None else None
            if not isinstance(failure, CallFailedError):
                return 0.0
            seconds = self.wait_s(failure, n_failed=state.attempt_number, jitter=rng.random())
            if failure.retry_after_s is not None:
                pause(seconds)
            return seconds

        return wait

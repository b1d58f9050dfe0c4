"""Spaces calls out in time, and keeps them back while a server asks for a pause."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Throttle:
    """At least ``interval_s`` between the starts of two calls, in one process; one at a time."""

    interval_s: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _next_at: float = field(default=float("-inf"), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def wait(self) -> None:
        """Returns when the next call may start."""
        with self._lock:
            while (left_s := self._next_at - self.clock()) > 0:
                self.sleep(left_s)
            self._next_at = self.clock() + self.interval_s

    def pause(self, seconds: float) -> None:
        """Keeps back every later call for so long from now."""
        with self._lock:
            self._next_at = max(self._next_at, self.clock() + seconds)

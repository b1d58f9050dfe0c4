"""How many calls are in flight, and how fast they follow one another, per endpoint and process.

One ``Traffic`` exists per endpoint in a process, whichever thread or event loop asks, so that two
partitions that run at once share its limits, its pauses and what it was found to understand.
"""

import asyncio
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from evals_pipeline.llm.dialect import Dialect
from evals_pipeline.llm.endpoint import Endpoint


class InFlightLimit:
    """A semaphore for ``async with`` that is shared between event loops."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    async def __aenter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            loop = asyncio.get_running_loop()
            turn: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, turn))
        try:
            await turn
        except asyncio.CancelledError:
            with self._lock:
                was_waiting = (loop, turn) in self._waiting
                if was_waiting:
                    self._waiting.remove((loop, turn))
            if not was_waiting:
                self._pass_on()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        """Gives the place to whoever has waited longest, or back."""
        with self._lock:
            while self._waiting:
                loop, turn = self._waiting.popleft()
                try:
                    loop.call_soon_threadsafe(_grant, turn)
                except RuntimeError:
                    continue  # that loop is closed, nobody waits there any more
                return
            self._free += 1


def _grant(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_result(None)


class Pace:
    """Spaces calls out evenly and keeps them back while the provider asks for a pause."""

    def __init__(self, requests_per_minute: float | None) -> None:
        self._interval_s = 60 / requests_per_minute if requests_per_minute else 0.0
        self._lock = threading.Lock()
        self._next_at = 0.0
        self._paused_until = 0.0

    async def wait(self) -> None:
        """Returns when the next call may start."""
        with self._lock:
            starts_at = max(time.monotonic(), self._next_at)
            self._next_at = starts_at + self._interval_s if self._interval_s else 0.0
        while True:
            with self._lock:
                left_s = max(starts_at, self._paused_until) - time.monotonic()
            if left_s <= 0:
                return
            await asyncio.sleep(left_s)

    def pause(self, seconds: float) -> None:
        """Keeps back every call that has not started, for so long from now."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)


@dataclass(slots=True)
class Traffic:
    """What all calls to one model at one endpoint share within the process."""

    in_flight: InFlightLimit
    pace: Pace
    dialect: Dialect
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _n_unreachable: int = 0

    def note_unreachable(self) -> int:
        """How many questions in a row, with this one, did not reach the endpoint."""
        with self._lock:
            self._n_unreachable += 1
            return self._n_unreachable

    def note_reached(self) -> None:
        """The endpoint answered, whatever it said."""
        with self._lock:
            self._n_unreachable = 0

    def learn(self, dialect: Dialect) -> None:
        """Remembers a dialect that worked; the one that knows more refusals stays."""
        with self._lock:
            if dialect.rank >= self.dialect.rank:
                self.dialect = dialect


_shared: dict[tuple[object, ...], Traffic] = {}
_shared_lock = threading.Lock()


def traffic_of(endpoint: Endpoint) -> Traffic:
    """The traffic of an endpoint: the same object for the same address, model and limits."""
    what = (
        endpoint.base_url,
        endpoint.model,
        endpoint.structured,
        endpoint.max_concurrency,
        endpoint.requests_per_minute,
    )
    with _shared_lock:
        if what not in _shared:
            _shared[what] = Traffic(
                in_flight=InFlightLimit(endpoint.max_concurrency),
                pace=Pace(endpoint.requests_per_minute),
                dialect=Dialect.first(endpoint.structured, base_url=endpoint.base_url),
            )
        return _shared[what]

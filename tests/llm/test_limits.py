"""Waiting in line: places, pace and pauses, also between event loops."""

import asyncio
import threading
import time

import pytest

from evals_pipeline.llm.limits import InFlightLimit, Pace, traffic_of
from tests.llm.asks import endpoint


def test_a_place_is_passed_on_across_event_loops():
    limit = InFlightLimit(2)
    inside, most = [0], [0]
    lock = threading.Lock()

    async def visit():
        async with limit:
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            await asyncio.sleep(0.01)
            with lock:
                inside[0] -= 1

    async def visits():
        await asyncio.gather(*(visit() for _ in range(8)))

    threads = [threading.Thread(target=lambda: asyncio.run(visits())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert (inside[0], most[0]) == (0, 2)


def test_a_place_is_not_lost_when_whoever_waits_gives_up():
    async def scene():
        limit = InFlightLimit(1)
        async with limit:
            waiting = asyncio.create_task(limit.__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        async with asyncio.timeout(1), limit:
            pass
        # Given up in the very moment in which the place is passed on.
        await limit.__aenter__()
        late = asyncio.create_task(limit.__aenter__())
        await asyncio.sleep(0)
        await limit.__aexit__()
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        if not late.cancelled():
            await limit.__aexit__()
        async with asyncio.timeout(1), limit:
            pass

    asyncio.run(scene())


def test_calls_keep_their_distance():
    async def scene():
        pace = Pace(1200)  # one every 0.05 s
        started = time.monotonic()
        await asyncio.gather(*(pace.wait() for _ in range(5)))
        return time.monotonic() - started

    assert 0.2 <= asyncio.run(scene()) < 2


def test_a_pause_holds_back_also_those_who_wait_already():
    async def scene():
        pace = Pace(None)
        await pace.wait()
        pace.pause(0.1)
        started = time.monotonic()
        waiting = asyncio.create_task(pace.wait())
        await asyncio.sleep(0.02)
        pace.pause(0.2)
        await waiting
        return time.monotonic() - started

    assert 0.2 <= asyncio.run(scene()) < 2


def test_the_same_endpoint_has_one_traffic():
    here = "http://127.0.0.1:5/v1"

    assert traffic_of(endpoint(here)) is traffic_of(endpoint(here, model_version="other@1"))
    assert traffic_of(endpoint(here)) is not traffic_of(endpoint(here, model="other"))

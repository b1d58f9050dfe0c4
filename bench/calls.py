"""Model calls: wall time against calls × latency / concurrency, on a loopback server.

The server runs in a process of its own and answers after a fixed latency, so that what is measured
is the door: its workers, its locks, its writes to the disk. Run alone with
``python -m bench.calls [calls] [latency in ms] [in flight]``.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.llm.door import ModelDoor
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import AnswerRequest, Message, Sampling

REPLY = json.dumps(
    {
        "model": "bench-1",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"content": '{"total": "4820.15"}'}}
        ],
        "usage": {"prompt_tokens": 600, "completion_tokens": 20},
    }
).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimes:
    """One measurement, in seconds; ``overhead`` is wall / ideal − 1."""

    n_calls: int
    ideal_s: float
    wall_s: float
    replay_s: float

    @property
    def overhead(self) -> float:
        """How much longer than calls × latency / concurrency it took."""
        return self.wall_s / self.ideal_s - 1


async def _serve(latency_s: float) -> None:
    """Answers every request after the latency; prints its port first."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                await reader.readexactly(length)
                await asyncio.sleep(latency_s)
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
                    + str(len(REPLY)).encode()
                    + b"\r\n\r\n"
                    + REPLY
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def _requests(n_calls: int, kind: str) -> list[AnswerRequest]:
    return [
        AnswerRequest(
            messages=(Message.of_text("user", f"{kind} {number}: " + "invoice text " * 180),),
            schema={"type": "object", "properties": {"total": {"type": ["string", "null"]}}},
            sampling=Sampling(),
            run_index=0,
        )
        for number in range(n_calls)
    ]


def measure(n_calls: int = 200, latency_s: float = 0.2, in_flight: int = 20) -> CallTimes:
    """Asks ``n_calls`` new questions, then the same ones again from the record."""
    command = [sys.executable, "-m", "bench.calls", "--serve", str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            with tempfile.TemporaryDirectory() as folder:
                return _measure(port, Path(folder), n_calls, latency_s, in_flight)
        finally:
            server.terminate()


def _measure(port: int, folder: Path, n_calls: int, latency_s: float, in_flight: int) -> CallTimes:
    endpoint = Endpoint(
        model_version="bench-1",
        model="bench-1",
        pin="bench-1",
        base_url=f"http://127.0.0.1:{port}/v1",
        max_concurrency=in_flight,
    )
    door = ModelDoor(endpoint, record=AnswerRecord(folder))
    door.ask_all(_requests(1, "warm-up"))  # loads the openai package, which is not the door's time
    requests = _requests(n_calls, "question")
    started = time.perf_counter()
    answers = door.ask_all(requests)
    wall_s = time.perf_counter() - started
    assert all(answer.is_new for answer in answers)
    started = time.perf_counter()
    assert not any(answer.is_new for answer in door.ask_all(requests))
    replay_s = time.perf_counter() - started
    return CallTimes(
        n_calls=n_calls, ideal_s=n_calls * latency_s / in_flight, wall_s=wall_s, replay_s=replay_s
    )


def main(arguments: Sequence[str]) -> None:
    """Measures, or serves when told to."""
    if arguments[:1] == ["--serve"]:
        asyncio.run(_serve(float(arguments[1])))
        return
    numbers = [int(argument) for argument in arguments] or [200, 200, 20]
    times = measure(numbers[0], numbers[1] / 1000, numbers[2])
    sys.stdout.write(
        f"{times.n_calls} calls of {numbers[1]} ms, {numbers[2]} in flight: "
        f"{times.wall_s:.2f} s, ideal {times.ideal_s:.2f} s ({times.overhead:+.1%}); "
        f"from the record {times.replay_s:.2f} s\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])

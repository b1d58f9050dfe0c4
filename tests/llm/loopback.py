"""A real HTTP server on loopback that answers, or misbehaves, as a script tells it to.

It speaks just enough HTTP/1.1 for chat completions, counts the calls, and keeps what it was sent.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Act:
    """What the server does with one call.

    ``cut_at`` closes the connection after so many bytes of the body; ``hangs`` never answers.
    """

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut_at: int | None = None
    hangs: bool = False


@dataclass(kw_only=True)
class Call:
    """One call as it came in."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    path: str = ""

    @property
    def asked(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])


Script = Callable[[Call], Act]


def completion(
    text: str | None = '{"a": 1}',
    *,
    model: str = "tiny-1",
    finish_reason: str = "stop",
    usage: Any = (100, 20),
    logprobs: Any = None,
    delay_s: float = 0.0,
    **message: Any,
) -> Act:
    """A chat completion as a well-behaved server writes it; ``usage`` None leaves it out."""
    envelope: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "system_fingerprint": "fp-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text, **message},
                "logprobs": logprobs,
            }
        ],
    }
    if isinstance(usage, tuple):
        envelope["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    elif usage is not None:
        envelope["usage"] = usage
    return Act(body=json.dumps(envelope).encode(), delay_s=delay_s)


def failure(status: int, message: str = "no", *, param: str | None = None, **headers: str) -> Act:
    """An error in OpenAI's shape; header names are written with underscores."""
    body = {"error": {"message": message, "type": "t", "param": param, "code": None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(status=status, body=json.dumps(body).encode(), headers=named)


class Loopback:
    """The running server."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, started: Callable[[], None], stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        started()
        await stop.wait()
        server.close()
        for writer in list(self._open):
            writer.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")[1:-2]
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        call = Call(
            number=len(self.calls),
            body=json.loads(body or b"{}"),
            headers=headers,
            path=head.decode("latin-1").split(" ")[1],
        )
        self.calls.append(call)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._act(self.script(call), writer)
        finally:
            self.in_flight -= 1

    async def _act(self, act: Act, writer: asyncio.StreamWriter) -> bool:
        if act.hangs:
            await asyncio.sleep(60)
        await asyncio.sleep(act.delay_s)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(act.body)),
            **act.headers,
        }
        head = f"HTTP/1.1 {act.status} X\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        body = act.body if act.cut_at is None else act.body[: act.cut_at]
        writer.write(head.encode() + b"\r\n" + body)
        await writer.drain()
        return act.cut_at is None


@contextlib.contextmanager
def loopback(script: Script) -> Iterator[Loopback]:
    """A server that runs in a thread of its own until the block ends."""
    server = Loopback(script)
    ready = threading.Event()
    handle: dict[str, Any] = {}

    async def main() -> None:
        handle["loop"] = asyncio.get_running_loop()
        handle["stop"] = asyncio.Event()
        serving = asyncio.create_task(server.serve(ready.set, handle["stop"]))
        await serving
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        handle["loop"].call_soon_threadsafe(handle["stop"].set)
        thread.join(10)

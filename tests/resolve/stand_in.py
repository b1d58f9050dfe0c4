"""A stand-in for Wikidata on loopback: the real API's shapes, and its ways of failing."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

from evals_pipeline.resolve.recorded import folders_of
from evals_pipeline.resolve.throttle import Throttle
from evals_pipeline.resolve.wikidata_client import WIKIDATA, WikidataClient, user_agent

MOMENT = datetime(2026, 11, 9, 12, 0, tzinfo=UTC)
Item = tuple[str, str, str]
"""Id, label, description."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server answers to one call."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One call as it came in."""

    params: dict[str, str]
    agent: str
    at: float


Script = Callable[[Asked, int], Reply]


def hits(name: str, items: list[Item], *, alias_of: dict[str, str] | None = None) -> Reply:
    """A search's answer; ``alias_of`` names, by id, the alias that an item was found by."""
    found = []
    for item, label, description in items:
        alias = (alias_of or {}).get(item)
        hit = {
            "id": item,
            "title": item,
            "pageid": int(item[1:]),
            "display": {
                "label": {"value": label, "language": "en"},
                "description": {"value": description, "language": "en"},
            },
            "repository": "wikidata",
            "url": f"//www.wikidata.org/wiki/{item}",
            "concepturi": f"http://www.wikidata.org/entity/{item}",
            "label": label,
            "description": description,
            "match": {
                "type": "alias" if alias else "label",
                "language": "en",
                "text": alias or label,
            },
        }
        found.append(hit | ({"aliases": [alias]} if alias else {}))
    answer = {"searchinfo": {"search": name}, "search": found, "success": 1}
    return Reply(body=json.dumps(answer).encode())


def refusal(code: str, **headers: str) -> Reply:
    """An error as the API writes it: status 200 and an ``error`` object."""
    body = {"error": {"code": code, "info": "later", "*": "see the docs"}, "servedby": "mw1"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body=json.dumps(body).encode(), headers=named)


class StandIn:
    """The running server; ``script`` may be changed between calls."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.url = ""


@contextmanager
def stand_in(script: Script) -> Iterator[StandIn]:
    served = StandIn(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            asked = Asked(
                params={name: values[0] for name, values in query.items()},
                agent=self.headers.get("User-Agent", ""),
                at=time.monotonic(),
            )
            served.asked.append(asked)
            reply = served.script(asked, len(served.asked))
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}/w/api.php"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Pauses:
    """A clock that only sleeping moves on, and what was slept."""

    slept: list[float] = field(default_factory=list)
    time: float = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def throttle(self, interval_s: float = 0.0) -> Throttle:
        return Throttle(interval_s=interval_s, clock=self.now, sleep=self.sleep)


@contextmanager
def client_of(
    url: str,
    root: Path,
    *,
    throttle: Throttle | None = None,
    recordings: tuple[Path, ...] = (),
    is_live: bool = True,
) -> Iterator[WikidataClient]:
    agent = user_agent("0.1.0", "mara@example.org")
    with httpx.Client(headers={"User-Agent": agent}, timeout=5, trust_env=False) as http:
        yield WikidataClient(
            folder=folders_of(root, recordings, authority=WIKIDATA),
            throttle=throttle or Pauses().throttle(),
            now=lambda: MOMENT,
            http=http if is_live else None,
            url=url,
        )

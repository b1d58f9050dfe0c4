"""Doors and questions made up for the tests of this stage."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.asking import Stamp
from evals_pipeline.llm.budget import Budget
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.door import AskingAgain, ModelDoor
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import AnswerRequest, Message, Sampling
from evals_pipeline.llm.retry import RetryPolicy
from tests.llm.loopback import Act, Loopback, Script, loopback

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "number"}},
    "required": ["a"],
    "additionalProperties": False,
}
SECRET = "sk-very-secret-0123456789"
QUICK = RetryPolicy(base_s=0.01, cap_s=0.02, retry_after_cap_s=0.3)


def endpoint(url: str, **changes: Any) -> Endpoint:
    settings: dict[str, Any] = {
        "model_version": "tiny-1@test",
        "model": "tiny-1",
        "pin": "tiny-1",
        "base_url": url,
        "api_key_env": "TINY_KEY",
        "timeout_s": 2.0,
        "max_retries": 2,
        **changes,
    }
    return Endpoint(**settings)


def door(
    url: str,
    root: Path,
    *,
    recordings: tuple[Path, ...] = (),
    budget: Budget | None = None,
    stamp: Stamp | None = None,
    prices: PriceBook | None = None,
    environ: Mapping[str, str] | None = None,
    asked: set[str] | None = None,
    insists: bool = False,
    since: datetime | None = None,
    **changes: Any,
) -> ModelDoor:
    return ModelDoor(
        endpoint(url, **changes),
        record=AnswerRecord(root, recordings=recordings),
        budget=budget,
        stamp=stamp,
        prices=prices,
        environ={"TINY_KEY": SECRET} if environ is None else environ,
        policy=QUICK,
        again=AskingAgain(asked=asked, insists=insists, since=since),
    )


def question(text: str = "q", *, run_index: int = 0, **changes: Any) -> AnswerRequest:
    parts: dict[str, Any] = {
        "messages": (Message.of_text("user", text),),
        "schema": SCHEMA,
        "sampling": Sampling(temperature=Decimal(0)),
        "run_index": run_index,
        "set_name": "memos",
        "label": text,
        **changes,
    }
    return AnswerRequest(**parts)


def questions(n: int) -> list[AnswerRequest]:
    return [question(f"q{number}") for number in range(n)]


def first_then(*acts: Act) -> Script:
    """The acts one after the other; the last one for ever."""
    return lambda call: acts[min(call.number, len(acts) - 1)]


def ask_one(script: Script, root: Path, **changes: Any) -> tuple[Answer, Loopback]:
    """Asks one question of a server that follows the script."""
    with loopback(script) as server:
        (answer,) = door(server.url, root, **changes).ask_all([question()])
        return answer, server

"""Asks one question until there is an answer or no more sense in asking; gives one ``Answer``."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

from evals_pipeline.core.answer_text import was_cut
from evals_pipeline.core.counts import counted
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Cost
from evals_pipeline.llm.answers import Answer
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.dialect import REFUSING_STATUSES, Dialect, adapted, request_body
from evals_pipeline.llm.endpoint import Endpoint, Redactor
from evals_pipeline.llm.failures import CallFailedError
from evals_pipeline.llm.limits import Traffic
from evals_pipeline.llm.replies import Reply
from evals_pipeline.llm.request import AnswerRequest
from evals_pipeline.llm.retry import RetryPolicy
from evals_pipeline.llm.wire import call

if TYPE_CHECKING:
    import openai


MOST_UNREACHABLE = 3
"""Questions in a row that do not reach the endpoint, after which nobody waits for it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What every new answer is marked with."""

    run_id: str = "local"
    commit: str | None = None
    generation: str = ""


class _StoppedError(Exception):
    """The asking was stopped before this call went out."""


@dataclass(slots=True, kw_only=True)
class _Course:
    """How asking one question goes: the dialect in use, and the calls that failed so far."""

    dialect: Dialect
    is_stopped: Callable[[], bool]
    on_unmetered: Callable[[], None]
    failures: list[CallFailedError] = field(default_factory=list)

    @property
    def may_be_billed(self) -> bool:
        return any(failure.may_be_billed for failure in self.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """What asking needs: the endpoint, a client, and what all its calls share."""

    endpoint: Endpoint
    client: "openai.AsyncOpenAI"
    traffic: Traffic
    prices: PriceBook
    redact: Redactor
    policy: RetryPolicy
    stamp: Stamp
    rng: random.Random = field(default_factory=random.Random)

    async def ask(
        self,
        request: AnswerRequest,
        *,
        key: str,
        is_stopped: Callable[[], bool] = lambda: False,
        on_unmetered: Callable[[], None] = lambda: None,
    ) -> Answer | None:
        """The answer, or the failure as an answer with status error.

        ``is_stopped`` is looked at when a call may go out; once it says yes, no further one does,
        and a question for which none had gone out gives None. ``on_unmetered`` is told of each call
        that failed and may be billed all the same.

        Raises:
            CallFailedError: the endpoint refuses whatever it is asked (key, model, credit), or
                cannot be reached: it never could in this process, or not for the last three
                questions, each with all its retries.
        """
        started = time.perf_counter()
        course = _Course(
            dialect=self.traffic.dialect, is_stopped=is_stopped, on_unmetered=on_unmetered
        )
        try:
            reply = await self._with_retries(request, course)
        except _StoppedError:
            if not course.failures:
                return None
            duration_s = _since(started)
            return self._failed(course.failures[-1], course, key=key, duration_s=duration_s)
        except CallFailedError as failure:
            if failure.is_fatal or (failure.is_unreachable and self._is_gone()):
                raise
            return self._failed(failure, course, key=key, duration_s=_since(started))
        return self._answered(reply, course, key=key, duration_s=_since(started))

    def _is_gone(self) -> bool:
        """Whether the endpoint, which one more question did not reach, is given up."""
        n_in_a_row = self.traffic.note_unreachable()
        return not self.traffic.dialect.is_proven or n_in_a_row >= MOST_UNREACHABLE

    async def _with_retries(self, request: AnswerRequest, course: _Course) -> Reply:
        """The first reply; transient failures are waited out, up to the endpoint's limit."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.endpoint.max_retries + 1),
            wait=self.policy.as_wait(pause=self.traffic.pace.pause, rng=self.rng),
            retry=retry_if_exception(_is_transient),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                return await self._in_a_dialect(request, course)
        raise AssertionError("tenacity ends with a reply or raises")

    async def _in_a_dialect(self, request: AnswerRequest, course: _Course) -> Reply:
        """One reply, in the richest dialect that the endpoint does not refuse."""
        if self.traffic.dialect.rank > course.dialect.rank:
            course.dialect = self.traffic.dialect
        while True:
            try:
                reply = await self._once(request, course)
            except CallFailedError as failure:
                self._note(failure, course)
                simpler = self._simpler(course.dialect, failure)
                if simpler is None:
                    raise
                course.dialect = simpler
                continue
            return reply

    def _note(self, failure: CallFailedError, course: _Course) -> None:
        course.failures.append(failure)
        if failure.may_be_billed:
            course.on_unmetered()
        if not failure.is_unreachable:
            self.traffic.note_reached()

    async def _once(self, request: AnswerRequest, course: _Course) -> Reply:
        body = request_body(request, course.dialect, model=self.endpoint.model)
        await self.traffic.pace.wait()
        async with self.traffic.in_flight:
            if course.is_stopped():
                raise _StoppedError
            reply = await call(
                self.client, body, timeout_s=self.endpoint.timeout_s, redact=self.redact
            )
        self.traffic.note_reached()
        self.traffic.learn(course.dialect.as_proven())
        return reply

    def _simpler(self, dialect: Dialect, failure: CallFailedError) -> Dialect | None:
        if failure.status not in REFUSING_STATUSES:
            return None
        return adapted(dialect, message=failure.reason, param=failure.param)

    def _answered(self, reply: Reply, course: _Course, *, key: str, duration_s: float) -> Answer:
        at = datetime.now(UTC)
        is_cut = was_cut(reply.finish_reason)
        cost = self.prices.cost(self.endpoint, reply.usage, at=at)
        if course.may_be_billed:
            cost = replace(cost, usd=None)  # nobody says what the calls before it will cost
        return Answer(
            key=key,
            status=ExtractionStatus.TRUNCATED if is_cut else ExtractionStatus.OK,
            reason=f"the output limit was reached ({reply.finish_reason})" if is_cut else None,
            text=reply.text,
            refusal=reply.refusal,
            finish_reason=reply.finish_reason,
            provider_model=reply.model,
            system_fingerprint=reply.system_fingerprint,
            usage=reply.usage,
            cost=cost,
            retries=len(course.failures),
            retry_reasons=tuple(failure.reason for failure in course.failures),
            duration_s=duration_s,
            structured=course.dialect.structured.value,
            dropped=tuple(sorted(course.dialect.dropped)),
            tokens=reply.tokens,
            at=at,
            run_id=self.stamp.run_id,
            commit=self.stamp.commit,
            generation=self.stamp.generation,
        )

    def _failed(
        self, failure: CallFailedError, course: _Course, *, key: str, duration_s: float
    ) -> Answer:
        n_calls = len(course.failures)
        return Answer(
            key=key,
            status=ExtractionStatus.ERROR,
            reason=f"{failure.reason} (after {counted(n_calls, 'call')})",
            cost=Cost(usd=None if course.may_be_billed else Decimal(0), price_table=None),
            retries=max(0, n_calls - 1),
            retry_reasons=tuple(one.reason for one in course.failures[:-1]),
            duration_s=duration_s,
            structured=course.dialect.structured.value,
            dropped=tuple(sorted(course.dialect.dropped)),
            at=datetime.now(UTC),
            run_id=self.stamp.run_id,
            commit=self.stamp.commit,
            generation=self.stamp.generation,
        )


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, CallFailedError) and error.is_transient


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)

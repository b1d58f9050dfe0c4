"""The model door: questions in, answers out; recorded ones first, the others asked and paid once.

Nothing is asked that is recorded and good. What is asked is written to the disk before the next
question of the same worker starts, so a killed run goes on where it was. Calls that are in flight
when a run has to stop (budget, another model, Ctrl-C) are waited for, because they are paid.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.answers import Answer, AnswerOrigin
from evals_pipeline.llm.asking import Asker, Stamp
from evals_pipeline.llm.budget import Budget, BudgetError, Spending
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.endpoint import Endpoint, Redactor
from evals_pipeline.llm.estimate import Estimate, estimate_calls, spending_of
from evals_pipeline.llm.limits import traffic_of
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import AnswerRequest, answer_key
from evals_pipeline.llm.retry import RetryPolicy
from evals_pipeline.llm.wire import CallFailedError

if TYPE_CHECKING:
    import openai

BUDGET_POLL_S = 0.02
OnAnswer = Callable[[Answer], None]


class PinError(SetupError):
    """Another model answered than the one that is pinned; nothing more was asked."""


@dataclass(slots=True, kw_only=True)
class _Round:
    """One call of ``ask``: what is left to do, what came, and why to stop."""

    keys: tuple[str, ...]
    todo: Iterator[tuple[str, AnswerRequest]]
    answers: dict[str, Answer]
    on_answer: OnAnswer
    stop: BaseException | None = None
    n_new: int = 0

    @property
    def n_todo(self) -> int:
        """How many questions there were to ask."""
        return len(self.keys)

    def stop_for(self, reason: BaseException) -> None:
        """Keeps every worker from its next question; the first reason is the one that is told."""
        if self.stop is None:
            self.stop = reason


class ModelDoor:
    """Answers of one model version.

    Args:
        endpoint: The model and where it is.
        record: Where answers are kept.
        prices: What tokens cost.
        budget: Shared by all that spends in the run; by default the endpoint's own limits.
        stamp: The run and the commit that new answers are marked with.
        environ: Where the API key is read from, when the first call is made.
        policy: Waiting times between retries.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        record: AnswerRecord,
        prices: PriceBook | None = None,
        budget: Budget | None = None,
        stamp: Stamp | None = None,
        environ: Mapping[str, str] | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.record = record
        self.budget = budget or Budget(usd=endpoint.budget_usd, tokens=endpoint.budget_tokens)
        self._prices = prices or PriceBook()
        self._stamp = stamp or Stamp()
        self._environ = os.environ if environ is None else environ
        self._policy = policy or RetryPolicy()

    # --- before a run ---------------------------------------------------------------------------

    def key_of(self, request: AnswerRequest) -> str:
        """The key under which a question's answer is recorded."""
        return answer_key(request, provider=self.endpoint.provider, model=self.endpoint.model)

    def find(self, request: AnswerRequest) -> Answer | None:
        """The recorded good answer to a question; None when it would have to be asked."""
        return self._find(self.key_of(request))

    def _find(self, key: str) -> Answer | None:
        generation = self._stamp.generation or None
        return self.record.find(key, pin=self.endpoint.pin, generation=generation)

    def estimate(self, requests: Sequence[AnswerRequest]) -> Estimate:
        """What asking would take; makes no call and needs no key."""
        distinct = {self.key_of(request): request for request in requests}
        found = {key: self._find(key) for key in distinct}
        taken = [
            answer.usage.output_tokens
            for answer in found.values()
            if answer and answer.usage and answer.usage.output_tokens is not None
        ]
        missing = [request for key, request in distinct.items() if found[key] is None]
        return estimate_calls(
            missing,
            n_recorded=len(distinct) - len(missing),
            endpoint=self.endpoint,
            prices=self._prices,
            at=datetime.now(UTC),
            mean_output_tokens=sum(taken) / len(taken) if taken else None,
        )

    # --- asking ---------------------------------------------------------------------------------

    def ask_all(
        self, requests: Sequence[AnswerRequest], *, on_answer: OnAnswer | None = None
    ) -> list[Answer]:
        """``ask`` for callers outside an event loop."""
        return asyncio.run(self.ask(requests, on_answer=on_answer))

    async def ask(
        self, requests: Sequence[AnswerRequest], *, on_answer: OnAnswer | None = None
    ) -> list[Answer]:
        """One answer for each question, in their order.

        A question that fails gives an answer with status error. The same question twice is asked
        once. ``on_answer`` is told of each distinct answer as it comes.

        Raises:
            BudgetError: the next call would exceed the budget.
            PinError: another model answered than the pinned one.
            SetupError: no key, or the endpoint refuses everything (key, model, credit).
        """
        keys = [self.key_of(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        answers: dict[str, Answer] = {}
        tell = on_answer or (lambda _: None)
        for key in distinct:
            recorded = self._find(key)
            if recorded is not None:
                answers[key] = recorded
                tell(recorded)
        missing = [(key, request) for key, request in distinct.items() if key not in answers]
        if missing:
            self._check_ready(missing, n_recorded=len(answers))
            await self._ask_missing(
                _Round(
                    keys=tuple(key for key, _ in missing),
                    todo=iter(missing),
                    answers=answers,
                    on_answer=tell,
                )
            )
        return [answers[key] for key in keys]

    def _check_ready(
        self, missing: Sequence[tuple[str, AnswerRequest]], *, n_recorded: int
    ) -> None:
        """Everything that can be refused before the first call is refused here."""
        try:
            self.endpoint.key_from(self._environ)
        except SetupError as error:
            raise SetupError(
                f"{error} {n_recorded} of {n_recorded + len(missing)} answers are recorded, "
                f"{len(missing)} would have to be asked."
            ) from None
        if self.budget.usd is not None and not self._prices.knows(
            self.endpoint, at=datetime.now(UTC)
        ):
            raise SetupError(
                f"{self.endpoint.model_version}: budget_usd cannot be kept, the price of "
                f"{self.endpoint.pin} at {self.endpoint.shown_url} is unknown. State it under "
                f'[tool.evals.prices."{self.endpoint.pin}"], or set budget_tokens instead.'
            )
        self.record.check_writable()

    async def _ask_missing(self, round_: _Round) -> None:
        redact = Redactor([self.endpoint.key_from(self._environ)])
        async with _client(self.endpoint, self._environ) as client:
            asker = Asker(
                endpoint=self.endpoint,
                client=client,
                traffic=traffic_of(self.endpoint),
                prices=self._prices,
                redact=redact,
                policy=self._policy,
                stamp=self._stamp,
            )
            if self._was_answered_by_another(round_):
                await _finish(round_, [self._work(round_, asker, at_most=1)])
            n_workers = min(self.endpoint.max_concurrency, round_.n_todo)
            await _finish(round_, [self._work(round_, asker) for _ in range(n_workers)])

    def _was_answered_by_another(self, round_: _Round) -> bool:
        """Whether an earlier run was stopped by the pin; then one question is asked on its own.

        Otherwise all workers start at once, and a wrong pin costs as many calls as are in flight.
        """
        files = (self.record.read(key) for key in round_.keys)
        samples = (file.samples[-1] for file in files if file and file.samples)
        return any(
            sample.status is not ExtractionStatus.ERROR and sample.answered_by != self.endpoint.pin
            for sample in samples
        )

    async def _work(self, round_: _Round, asker: Asker, *, at_most: int | None = None) -> None:
        """Takes one question after the other until none is left or the round stops."""
        try:
            n_done = 0
            while round_.stop is None and n_done != at_most:
                key, request = next(round_.todo, (None, None))
                if key is None or request is None:
                    return
                await self._settle_one(round_, asker, key, request)
                n_done += 1
        except BaseException as error:
            round_.stop_for(error)
            raise

    async def _settle_one(
        self, round_: _Round, asker: Asker, key: str, request: AnswerRequest
    ) -> None:
        """One question under its lock: read again, else reserve, ask, write, compare the pin."""
        async with self.record.lock(key):
            recorded = self._find(key)
            if recorded is not None:
                round_.answers[key] = recorded
                round_.on_answer(recorded)
                return
            reservation = await self._reserve(round_, request)
            if reservation is None:
                return
            try:
                answer = await asker.ask(request, key=key)
            except CallFailedError as failure:
                self.budget.release(reservation)
                raise self._refusal(failure) from None
            self._settle(reservation, answer)
            await asyncio.to_thread(self.record.add, self._origin(request), answer)
        round_.n_new += 1
        self._check_pin(answer, round_)
        round_.answers[key] = answer
        round_.on_answer(answer)

    async def _reserve(self, round_: _Round, request: AnswerRequest) -> Spending | None:
        """Room in the budget; waits while calls in flight may still leave some; None to stop."""
        if not self.budget.is_limited:
            expected = Spending(tokens=0, usd=None)
        else:
            expected = spending_of(
                request, endpoint=self.endpoint, prices=self._prices, at=datetime.now(UTC)
            )
        while round_.stop is None:
            n_in_flight = self.budget.n_in_flight
            reservation = self.budget.reserve(expected)
            if reservation is not None:
                return reservation
            if not n_in_flight:
                n_left = round_.n_todo - round_.n_new
                round_.stop_for(
                    BudgetError(
                        f"{self.endpoint.model_version}: the budget is used up, "
                        f"{self.budget.shown()}; {round_.n_new} answers were asked and are "
                        f"recorded, {n_left} were not asked. Raise budget_usd or budget_tokens, "
                        "or run again with a new budget: it goes on from here."
                    )
                )
                return None
            await asyncio.sleep(BUDGET_POLL_S)
        return None

    def _settle(self, reservation: Spending, answer: Answer) -> None:
        usage = answer.usage
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            if answer.is_paid:
                self.budget.settle(reservation, None)
            else:
                self.budget.release(reservation)
            return
        tokens = usage.input_tokens + usage.output_tokens
        self.budget.settle(reservation, Spending(tokens=tokens, usd=answer.cost.usd))

    def _check_pin(self, answer: Answer, round_: _Round) -> None:
        """Stops the round when a model answered that is not the pinned one."""
        if answer.status is ExtractionStatus.ERROR or answer.answered_by == self.endpoint.pin:
            return
        round_.stop_for(
            PinError(
                f"{self.endpoint.model_version}: the pin is {self.endpoint.pin!r}, but "
                f"{self.endpoint.shown_url} answered as {answer.answered_by!r}; nothing more was "
                "asked, the answers already paid are recorded and not used. Make a model version "
                f"of its own for {answer.answered_by!r}, or, if it is the same model, set "
                f'provider_model = "{answer.answered_by}" in '
                f'[tool.evals.models."{self.endpoint.model_version}"].'
            )
        )

    def _refusal(self, failure: CallFailedError) -> SetupError:
        """The error for an endpoint that refuses whatever it is asked."""
        remedy = "Check model and base_url."
        if failure.status in (401, 402) or failure.status == 429:
            remedy = (
                f"Check the key in {self.endpoint.api_key_env or 'api_key_env'} and its credit."
            )
        return SetupError(
            f"{self.endpoint.model_version}: {self.endpoint.shown_url} refuses, got "
            f"{failure.reason}. {remedy}"
        )

    def _origin(self, request: AnswerRequest) -> AnswerOrigin:
        sampling = request.sampling.as_identity()
        return AnswerOrigin(
            provider=self.endpoint.provider,
            model=self.endpoint.model,
            model_version=self.endpoint.model_version,
            set_name=request.set_name,
            label=request.label,
            purpose=request.purpose,
            run_index=request.run_index,
            prompt_sha256=request.prompt_sha256,
            sampling=sampling if isinstance(sampling, dict) else {},
        )


async def _finish(round_: _Round, work: Sequence[Coroutine[None, None, None]]) -> None:
    """Waits for all workers, even when one fails or the run is interrupted: calls in flight are
    paid, and their answers are to be written.

    Raises:
        BaseException: what made the round stop.
    """
    done = asyncio.gather(*work, return_exceptions=True)
    try:
        await asyncio.shield(done)
    except asyncio.CancelledError as interruption:
        round_.stop_for(interruption)
        await done
    if round_.stop is not None:
        raise round_.stop


def _client(endpoint: Endpoint, environ: Mapping[str, str]) -> "openai.AsyncOpenAI":
    """A client that retries nothing by itself; the package is loaded when it is first needed."""
    import openai  # noqa: PLC0415 - slow to load, and only needed for a call

    return openai.AsyncOpenAI(
        api_key=endpoint.key_from(environ),
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=endpoint.timeout_s,
    )

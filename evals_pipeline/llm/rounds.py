"""One round of asking: workers take questions one after the other until none is left, or a stop.

Before each question: the key's lock, a second look into the record, room in the budget. After each:
its model is compared with the pin, and it is written at once, while the same worker asks its next
question; no worker is ever two answers ahead of the disk. Calls in flight when the round has to
stop (budget, another model, Ctrl-C) are waited for, because they are paid.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.answers import Answer, AnswerOrigin
from evals_pipeline.llm.asking import Asker
from evals_pipeline.llm.budget import Budget, BudgetError, Spending
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.estimate import spending_of
from evals_pipeline.llm.failures import CallFailedError
from evals_pipeline.llm.pin_mismatches import PinMismatch, PinMismatches
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import AnswerRequest

_LOG = logging.getLogger(__name__)
BUDGET_POLL_S = 0.02
START_SPACING_S = 0.004
"""Between the starts of two workers, about what one call costs this process.

Calls that start together are answered together, and then each of them waits while the answers of
all the others are worked on, in every round anew; one after the other they stay apart.
"""
LONGEST_START_S = 0.4
"""Until the last of very many workers has started."""
_ABOUT_THE_KEY = frozenset({401, 402, 429})


class PinError(SetupError):
    """Another model answered than the one that is pinned; nothing more was asked."""


def pin_refusal(endpoint: Endpoint, mismatch: PinMismatch) -> str:
    """Why nothing is asked where another model than the pinned one answered last."""
    return (
        f"{endpoint.model_version}: the pin is {endpoint.pin!r}, but on "
        f"{mismatch.at.date().isoformat()} {endpoint.shown_url} answered as "
        f"{mismatch.answered_by!r}; nothing was asked, so nothing was spent. "
        f"{_pin_remedy(endpoint, mismatch.answered_by)} If the provider has put it right, "
        'try again with "evals run --fresh".'
    )


def _pin_remedy(endpoint: Endpoint, answered_by: str) -> str:
    return (
        f"Make a model version of its own for {answered_by!r}, or, if it is the same model, set "
        f'provider_model = "{answered_by}" in [tool.evals.models."{endpoint.model_version}"].'
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSetting:
    """What a round works with; ``find`` looks for a recorded answer by key.

    ``mismatches`` remembers where another model than the pinned one answers.
    """

    endpoint: Endpoint
    record: AnswerRecord
    budget: Budget
    asker: Asker
    mismatches: PinMismatches
    find: Callable[[str], Answer | None]
    on_answer: Callable[[Answer], None]


class AskingRound:
    """Asks a number of distinct questions; ``answers`` holds what came, by key."""

    def __init__(self, missing: Mapping[str, AnswerRequest], setting: RoundSetting) -> None:
        self.answers: dict[str, Answer] = {}
        self._missing = missing
        self._todo = deque(missing.items())
        self._set = setting
        self._stop: BaseException | None = None
        self._n_new = 0

    async def run(self) -> None:
        """Asks everything.

        Raises:
            BudgetError: the next call would exceed the budget.
            PinError: another model answered than the pinned one.
            SetupError: the endpoint refuses whatever it is asked, or cannot be reached.
            OSError: an answer could not be written.
        """
        if self._set.mismatches.find(self._set.endpoint) or self._was_answered_by_another():
            await self._finish(self._work(at_most=1))
        await self._finish(self._work_together(self._set.endpoint.max_concurrency))

    def _was_answered_by_another(self) -> bool:
        """Whether an earlier run was stopped by the pin; then one question is asked on its own.

        Otherwise all workers start at once, and a wrong pin costs as many calls as are in flight.
        """
        files = (self._set.record.read(key) for key in self._missing)
        newest = (file.samples[-1] for file in files if file and file.samples)
        return any(
            sample.status is not ExtractionStatus.ERROR
            and sample.answered_by != self._set.endpoint.pin
            for sample in newest
        )

    async def _finish(self, work: Coroutine[None, None, None]) -> None:
        """Waits for the work to end, whatever happens meanwhile, then raises what stopped it."""
        done = asyncio.gather(work, return_exceptions=True)
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError as interruption:
            self._stop_for(interruption)
            if self._set.budget.n_in_flight:
                _LOG.warning(
                    "stopping: %s in flight, paid and so waited for; Ctrl-C again drops them",
                    counted(self._set.budget.n_in_flight, "call"),
                )
            await done
            raise  # before whatever else stopped the round: nothing is to be begun after it
        if isinstance(self._stop, BudgetError):
            raise self._used_up()  # said only now, when everything in flight is counted
        if self._stop is not None:
            raise self._stop

    def _stop_for(self, reason: BaseException) -> None:
        """Keeps every worker from its next question; the first reason is the one that is told."""
        if self._stop is None:
            self._stop = reason

    async def _work_together(self, n_workers: int) -> None:
        """Starts workers one after the other while there is something to ask; waits for them."""
        workers: list[asyncio.Task[None]] = []
        spacing_s = min(START_SPACING_S, LONGEST_START_S / n_workers)
        try:
            while self._todo and self._stop is None and len(workers) < n_workers:
                workers.append(asyncio.create_task(self._work()))
                await asyncio.sleep(spacing_s)
        except BaseException as error:
            self._stop_for(error)
            raise
        finally:
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, *, at_most: int | None = None) -> None:
        """Asks one question after the other; an answer is written while the next one is asked."""
        keeping: asyncio.Task[None] | None = None
        try:
            n_done = 0
            while self._todo and self._stop is None and n_done != at_most:
                key, request = self._todo.popleft()
                held = AsyncExitStack()
                answer = await self._answer(key, request, held)
                before, keeping = keeping, asyncio.create_task(self._keep(request, answer, held))
                if before is not None:
                    await before
                n_done += 1
            if keeping is not None:
                await keeping
        except BaseException as error:
            self._stop_for(error)
            if keeping is not None:
                await asyncio.gather(keeping, return_exceptions=True)
            raise

    async def _answer(
        self, key: str, request: AnswerRequest, held: AsyncExitStack
    ) -> Answer | None:
        """The recorded answer after all, or a new one; None when the round stops before it.

        The key's lock goes into ``held``, which ``_keep`` closes when the answer is written.
        """
        try:
            try:
                await held.enter_async_context(self._set.record.lock(key))
            except OSError as error:
                raise self._unwritable(error, "nothing more is asked") from error
            answer = self._set.find(key) or await self._ask(key, request)
        except BaseException:
            await held.aclose()
            raise
        if answer is not None and answer.is_new:
            try:
                self._check_pin(answer)
            except OSError as error:
                # What was noted of the pin is lost, the answer is not.
                self._stop_for(self._unwritable(error, "nothing more is asked"))
        return answer

    async def _keep(
        self, request: AnswerRequest, answer: Answer | None, held: AsyncExitStack
    ) -> None:
        """Writes a new answer and lets go of its key; only then is it told of."""
        async with held:
            if answer is None:
                return
            if answer.is_new:
                await self._write(request, answer)
                self._n_new += 1
        self.answers[answer.key] = answer
        self._set.on_answer(answer)

    async def _write(self, request: AnswerRequest, answer: Answer) -> None:
        record = self._set.record
        try:
            await asyncio.to_thread(record.add, self._origin(request), answer)
        except OSError as error:
            failure = self._unwritable(error, "it is lost, nothing more is asked")
            self._stop_for(failure)  # at once: this worker's next call may be out already
            raise failure from error

    def _unwritable(self, error: OSError, consequence: str) -> SetupError:
        return SetupError(
            f"{self._set.record.root}: an answer could not be written, got "
            f"{error.strerror or error}; {consequence}. Free the disk, or set storage to another "
            "folder."
        )

    async def _ask(self, key: str, request: AnswerRequest) -> Answer | None:
        """A new answer within the budget; None when the round stops before it is asked."""
        reservation = await self._reserve(request)
        if reservation is None:
            return None
        try:
            answer = await self._set.asker.ask(
                request,
                key=key,
                is_stopped=lambda: self._stop is not None,
                on_unmetered=lambda: self._set.budget.note_unmetered(reservation),
            )
        except CallFailedError as failure:
            self._set.budget.release(reservation)
            raise self._refusal(failure) from None
        if answer is None:
            self._set.budget.release(reservation)
            return None
        self._account(reservation, answer)
        return answer

    async def _reserve(self, request: AnswerRequest) -> Spending | None:
        """Room in the budget; waits while calls in flight may still leave some; None to stop."""
        budget = self._set.budget
        expected = Spending(tokens=0, usd=None)
        if budget.is_limited:
            expected = spending_of(
                request,
                endpoint=self._set.endpoint,
                prices=self._set.asker.prices,
                at=datetime.now(UTC),
            )
        while self._stop is None:
            is_last_word = not budget.n_in_flight
            reservation = budget.reserve(expected)
            if reservation is not None:
                return reservation
            if is_last_word:
                self._stop_for(BudgetError())
                return None
            await asyncio.sleep(BUDGET_POLL_S)
        return None

    def _used_up(self) -> BudgetError:
        n_left = len(self._missing) - len(self.answers)
        return BudgetError(
            f"{self._set.endpoint.model_version}: the budget leaves no room for the next call, "
            f"{self._set.budget.shown()}; {counted(self._n_new, 'answer')} asked and "
            f"recorded, {n_left} not asked. Raise budget_usd or budget_tokens, or run again with a "
            "new budget: it goes on from here."
        )

    def _account(self, reservation: Spending, answer: Answer) -> None:
        """Settles what a call took; a call that cost nothing gives its room back."""
        usage = answer.usage
        if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
            # Not the answer's own cost, which is unknown where earlier calls may be billed: those
            # are counted already, each as it failed.
            price = self._set.asker.prices.cost(self._set.endpoint, usage, at=answer.at)
            tokens = usage.input_tokens + usage.output_tokens
            self._set.budget.settle(reservation, Spending(tokens=tokens, usd=price.usd))
        elif answer.is_paid and answer.status is not ExtractionStatus.ERROR:
            self._set.budget.settle(reservation, None)
        else:
            self._set.budget.release(reservation)

    def _check_pin(self, answer: Answer) -> None:
        """Stops the round when a model answered that is not the pinned one."""
        endpoint = self._set.endpoint
        if answer.status is ExtractionStatus.ERROR:
            return
        if answer.answered_by == endpoint.pin:
            # Of answers in flight together, one from another model outweighs those of the pin.
            if self._stop is None:
                self._set.mismatches.clear(endpoint)
            return
        self._set.mismatches.note(
            endpoint, PinMismatch(answered_by=answer.answered_by, at=answer.at)
        )
        self._stop_for(
            PinError(
                f"{endpoint.model_version}: the pin is {endpoint.pin!r}, but {endpoint.shown_url} "
                f"answered as {answer.answered_by!r}; nothing more was asked, the answers already "
                f"paid are recorded and not used. {_pin_remedy(endpoint, answer.answered_by)}"
            )
        )

    def _refusal(self, failure: CallFailedError) -> SetupError:
        """The error for an endpoint that refuses whatever it is asked."""
        endpoint = self._set.endpoint
        remedy = "Check model and base_url."
        if failure.is_unreachable:
            n_left = len(self._missing) - len(self.answers)
            return SetupError(
                f"{endpoint.model_version}: {endpoint.shown_url} cannot be reached, "
                f"{failure.reason}; {counted(n_left, 'answer')} not recorded, to be asked. "
                "Start the server, or check base_url."
            )
        if failure.status in _ABOUT_THE_KEY:
            remedy = f"Check the key in {endpoint.api_key_env or 'api_key_env'}, and its credit."
        return SetupError(
            f"{endpoint.model_version}: {endpoint.shown_url} refuses, got {failure.reason}. "
            f"{remedy}"
        )

    def _origin(self, request: AnswerRequest) -> AnswerOrigin:
        endpoint = self._set.endpoint
        return AnswerOrigin(
            provider=endpoint.provider,
            model=endpoint.model,
            model_version=endpoint.model_version,
            set_name=request.set_name,
            label=request.label,
            purpose=request.purpose,
            run_index=request.run_index,
            prompt_sha256=request.prompt_sha256,
            sampling=request.sampling.as_identity(),
        )

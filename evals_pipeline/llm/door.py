"""The model door: questions in, answers out; recorded ones first, the others asked and paid once.

Nothing is asked that is recorded and good, and a killed run goes on where it was.
"""

import asyncio
import functools
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.llm.answers import Answer, IsUsable
from evals_pipeline.llm.asking import Asker, Stamp
from evals_pipeline.llm.budget import Budget
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.endpoint import Endpoint, Redactor
from evals_pipeline.llm.estimate import Estimate, estimate_calls
from evals_pipeline.llm.limits import traffic_of
from evals_pipeline.llm.pin_mismatches import PinMismatch, PinMismatches
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.llm.request import AnswerRequest, answer_key
from evals_pipeline.llm.retry import RetryPolicy
from evals_pipeline.llm.rounds import AskingRound, PinError, RoundSetting, pin_refusal

if TYPE_CHECKING:
    import openai

OnAnswer = Callable[[Answer], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingAgain:
    """When a question is asked although there is an answer, or a reason not to ask.

    ``asked`` are the keys that this command has asked for, shared by its doors: what came of one of
    them stands until the next command, good or not; None: every round tries again. ``insists``: ask
    although another model than the pinned one answered last, as a fresh sampling does; not where it
    has done so ``since`` the command began.
    """

    asked: set[str] | None = None
    insists: bool = False
    since: datetime | None = None


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
        again: When a question is asked again.
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
        again: AskingAgain | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.record = record
        self.budget = budget or Budget(usd=endpoint.budget_usd, tokens=endpoint.budget_tokens)
        self._prices = prices or PriceBook()
        self._stamp = stamp or Stamp()
        self._environ = os.environ if environ is None else environ
        self._policy = policy or RetryPolicy()
        self._again = again or AskingAgain()
        self._mismatches = PinMismatches(record.root)

    # --- before a run ---------------------------------------------------------------------------

    def key_of(self, request: AnswerRequest) -> str:
        """The key under which a question's answer is recorded."""
        return answer_key(request, provider=self.endpoint.provider, model=self.endpoint.model)

    def find(self, request: AnswerRequest, *, is_usable: IsUsable | None = None) -> Answer | None:
        """The recorded good answer to a question; None when it would have to be asked.

        An answer of which ``is_usable`` says no is not good.
        """
        return self._find(self.key_of(request), is_usable)

    def _find(self, key: str, is_usable: IsUsable | None = None) -> Answer | None:
        generation = self._stamp.generation or None
        pin = self.endpoint.pin
        found = self.record.find(key, pin=pin, generation=generation, is_usable=is_usable)
        if found is None and self._again.asked is not None and key in self._again.asked:
            return self._last_try(key)
        return found

    def _last_try(self, key: str) -> Answer | None:
        file = self.record.read(key)
        if file is None or not file.samples:
            return None
        last = file.samples[-1]
        is_foreign = last.status is not ExtractionStatus.ERROR and (
            last.answered_by != self.endpoint.pin
        )
        return None if is_foreign else last.as_recorded()

    def estimate(
        self,
        requests: Sequence[AnswerRequest],
        *,
        assumed: Sequence[AnswerRequest] = (),
        is_usable: IsUsable | None = None,
    ) -> Estimate:
        """What asking would take; makes no call and needs no key.

        ``assumed`` stand for questions that are not known yet: each of them counts as a call.
        """
        distinct = {self.key_of(request): request for request in requests}
        found = {key: self._find(key, is_usable) for key in distinct}
        taken = [
            answer.usage.output_tokens
            for answer in found.values()
            if answer and answer.usage and answer.usage.output_tokens is not None
        ]
        missing = [request for key, request in distinct.items() if found[key] is None]
        estimate = estimate_calls(
            [*missing, *assumed],
            n_recorded=len(distinct) - len(missing),
            endpoint=self.endpoint,
            prices=self._prices,
            at=datetime.now(UTC),
            mean_output_tokens=sum(taken) / len(taken) if taken else None,
        )
        mismatch = self._refusing_mismatch()
        if mismatch is None or not estimate.calls:
            return estimate
        refusal = f"none will be made: {pin_refusal(self.endpoint, mismatch)}"
        return replace(estimate, notes=(*estimate.notes, refusal))

    # --- asking ---------------------------------------------------------------------------------

    def ask_all(
        self,
        requests: Sequence[AnswerRequest],
        *,
        on_answer: OnAnswer | None = None,
        is_usable: IsUsable | None = None,
    ) -> list[Answer]:
        """``ask`` for callers outside an event loop.

        Raises:
            KeyboardInterrupt: Ctrl-C; what was in flight has been waited for and is recorded.
        """
        with _interruptions_end_the_round():
            return asyncio.run(self.ask(requests, on_answer=on_answer, is_usable=is_usable))

    async def ask(
        self,
        requests: Sequence[AnswerRequest],
        *,
        on_answer: OnAnswer | None = None,
        is_usable: IsUsable | None = None,
    ) -> list[Answer]:
        """One answer for each question, in their order.

        A question that fails gives an answer with status error. The same question twice is asked
        once. ``on_answer`` is told of each distinct answer as it comes. A recorded answer of which
        ``is_usable`` says no is asked for again.

        Raises:
            BudgetError: the next call would exceed the budget.
            PinError: another model answered than the pinned one, now or when it was asked last.
            SetupError: no key, or the endpoint refuses everything (key, model, credit).
        """
        keys = [self.key_of(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        answers: dict[str, Answer] = {}
        tell = on_answer or (lambda _: None)
        for key in distinct:
            recorded = self._find(key, is_usable)
            if recorded is not None:
                answers[key] = recorded
                tell(recorded)
        missing = {key: one for key, one in distinct.items() if key not in answers}
        if missing:
            self._check_ready(n_missing=len(missing), n_recorded=len(answers))
            answers |= await self._ask_missing(missing, tell, is_usable)
        return [answers[key] for key in keys]

    def _check_ready(self, *, n_missing: int, n_recorded: int) -> None:
        """Everything that can be refused before the first call is refused here."""
        self.endpoint.check_address()
        mismatch = self._refusing_mismatch()
        if mismatch is not None:
            raise PinError(pin_refusal(self.endpoint, mismatch))
        try:
            self.endpoint.key_from(self._environ)
        except SetupError as error:
            raise SetupError(
                f"{error} {n_recorded} of {n_recorded + n_missing} answers are recorded, "
                f"{n_missing} would have to be asked."
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

    def _refusing_mismatch(self) -> PinMismatch | None:
        """The answer of another model that keeps this door from asking."""
        found, again = self._mismatches.find(self.endpoint), self._again
        insists = again.insists or bool(self._stamp.generation)
        if found is None or not insists:
            return found
        return found if again.since is not None and found.at >= again.since else None

    async def _ask_missing(
        self, missing: Mapping[str, AnswerRequest], tell: OnAnswer, is_usable: IsUsable | None
    ) -> dict[str, Answer]:
        def kept(answer: Answer) -> None:
            if self._again.asked is not None:
                self._again.asked.add(answer.key)
            tell(answer)

        async with _client(self.endpoint, self._environ) as client:
            asker = Asker(
                endpoint=self.endpoint,
                client=client,
                traffic=traffic_of(self.endpoint),
                prices=self._prices,
                redact=Redactor([self.endpoint.key_from(self._environ)]),
                policy=self._policy,
                stamp=self._stamp,
            )
            setting = RoundSetting(
                endpoint=self.endpoint,
                record=self.record,
                budget=self.budget,
                asker=asker,
                mismatches=self._mismatches,
                find=lambda key: self._find(key, is_usable),
                on_answer=kept,
            )
            asking = AskingRound(missing, setting)
            await asking.run()
        return asking.answers


def _client(endpoint: Endpoint, environ: Mapping[str, str]) -> "openai.AsyncOpenAI":
    """A client that retries nothing by itself; the package is loaded when it is first needed."""
    import openai  # slow to load, and only needed for a call

    _spare_the_collector()
    address, _, query = endpoint.base_url.partition("?")
    return openai.AsyncOpenAI(
        api_key=endpoint.key_from(environ),
        base_url=address,
        default_query=dict(parse_qsl(query, keep_blank_values=True)),
        max_retries=0,
        timeout=endpoint.timeout_s,
        http_client=openai.DefaultAsyncHttpxClient(
            # Without TLS nothing is to be verified, and the certificates need not be loaded.
            verify=not address.startswith("http://"),
            # A document goes to the address in the settings, and nowhere else.
            follow_redirects=False,
        ),
    )


@contextmanager
def _interruptions_end_the_round() -> Iterator[None]:
    """Lets asyncio see Ctrl-C, which then cancels the round in good order.

    It does so only over Python's own handler. Another one, such as Dagster's, would raise in the
    middle of the event loop, and with it go all answers in flight.
    """
    others = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread() and callable(others)
    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, others)


@functools.cache
def _spare_the_collector() -> None:
    """Takes what is loaded by now out of garbage collection, once in a process.

    The modules behind a client are some hundred thousand objects that live as long as the process;
    to look them all over takes as long as many calls, in the middle of a round.
    """
    gc.freeze()

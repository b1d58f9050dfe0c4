"""The money and the tokens that one run may spend; it stops before the call that would exceed it.

Calls run side by side, so each one reserves what it is expected to take before it starts and
settles for what it took. The expectation is the mean of what was settled so far, before that an
estimate; a call that takes more than expected may end above the limit, and is the last one.
``Budget`` is shared by everything that spends in the run, on any thread.
"""

import threading
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.errors import RefusedError


class BudgetError(RefusedError):
    """The budget of a run is used up; everything answered so far is in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Tokens and money; ``usd`` None where no price is known."""

    tokens: int
    usd: Decimal | None


class Budget:
    """Limits of one run; None is no limit.

    Args:
        usd: The most money to spend on new answers.
        tokens: The most tokens, input and output together.
    """

    def __init__(self, *, usd: Decimal | None = None, tokens: int | None = None) -> None:
        self.usd = usd
        self.tokens = tokens
        self._lock = threading.Lock()
        self._reserved: list[Spending] = []
        self._spent_tokens = 0
        self._spent_usd = Decimal(0)
        self._n_settled = 0
        self.n_unmetered = 0
        """Calls whose usage the provider did not state, counted at their estimate."""

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit to keep."""
        return self.usd is not None or self.tokens is not None

    @property
    def spent(self) -> Spending:
        """What was settled so far; money as far as it was priced."""
        with self._lock:
            return Spending(tokens=self._spent_tokens, usd=self._spent_usd)

    @property
    def n_in_flight(self) -> int:
        """Calls that reserved and have not settled."""
        with self._lock:
            return len(self._reserved)

    def reserve(self, estimate: Spending) -> Spending | None:
        """Room for one more call, or None when the budget has none for it at present."""
        with self._lock:
            wanted = self._expected(estimate)
            to_come = [*(self._larger(one, wanted) for one in self._reserved), wanted]
            tokens = sum(one.tokens for one in to_come) + self._spent_tokens
            usd = sum((one.usd or Decimal(0) for one in to_come), self._spent_usd)
            if self.tokens is not None and tokens > self.tokens:
                return None
            if self.usd is not None and usd > self.usd:
                return None
            self._reserved.append(wanted)
            return wanted

    def _expected(self, estimate: Spending) -> Spending:
        """The mean of what calls took so far, rounded up; the estimate for the first ones."""
        if not self._n_settled:
            return estimate
        tokens = -(-self._spent_tokens // self._n_settled)
        return Spending(tokens=tokens, usd=self._spent_usd / self._n_settled)

    def _larger(self, reserved: Spending, expected: Spending) -> Spending:
        """What a call in flight will take: its estimate, or what calls were found to take."""
        if not self._n_settled:
            return reserved
        return Spending(
            tokens=max(reserved.tokens, expected.tokens),
            usd=max(reserved.usd or Decimal(0), expected.usd or Decimal(0)),
        )

    def settle(self, reservation: Spending, taken: Spending | None) -> None:
        """Gives a reservation back for what the call took; None: not stated, so the estimate."""
        with self._lock:
            self._reserved.remove(reservation)
            if taken is None:
                self.n_unmetered += 1
                taken = reservation
            self._n_settled += 1
            self._spent_tokens += taken.tokens
            self._spent_usd += taken.usd or Decimal(0)

    def note_unmetered(self, reservation: Spending) -> None:
        """Counts a call that failed and may be billed all the same, for what it should take."""
        with self._lock:
            self.n_unmetered += 1
            self._n_settled += 1
            self._spent_tokens += reservation.tokens
            self._spent_usd += reservation.usd or Decimal(0)

    def release(self, reservation: Spending) -> None:
        """Gives a reservation back for a call that took nothing."""
        with self._lock:
            self._reserved.remove(reservation)

    def shown(self) -> str:
        """Spent and limit in words, for messages."""
        spent = self.spent
        parts = []
        if self.usd is not None:
            parts.append(f"{spent.usd:f} of {self.usd:f} USD")
        if self.tokens is not None:
            parts.append(f"{spent.tokens:,} of {self.tokens:,} tokens")
        return " and ".join(parts) or f"{spent.tokens:,} tokens"

"""A budget stops before the call that would exceed it, and what was paid for stays."""

from dataclasses import replace
from decimal import Decimal

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.settings import PriceOverride
from evals_pipeline.llm.budget import Budget, BudgetError, Spending
from evals_pipeline.llm.costs import PriceBook
from tests.llm.asks import door, questions
from tests.llm.loopback import completion, failure, loopback

# A call takes 100 + 20 tokens: 100 · 10 + 20 · 50 = 2,000 USD per million, so 0.002 USD.
PRICES = PriceBook({"tiny-1": PriceOverride(input=10, output=50)})


def ask(server, root, n, **changes):
    return door(server.url, root, prices=PRICES, **changes).ask_all(questions(n))


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    "budget", [{"budget_tokens": 1000}, {"budget_usd": Decimal("0.016")}], ids=["tokens", "usd"]
)
def test_a_run_stops_before_the_call_that_would_exceed_the_budget(budget, concurrency, tmp_path):
    # Eight calls are 960 tokens and 0.016 USD; a ninth would be too many.
    with loopback(lambda call: completion(delay_s=0.01)) as server:
        with pytest.raises(BudgetError, match=r"8 answers asked and recorded, 12 not asked"):
            ask(server, tmp_path, 20, max_concurrency=concurrency, **budget)

        assert len(server.calls) == 8
        ask(server, tmp_path, 8, **budget)  # recorded, so that no budget is needed
        assert len(server.calls) == 8
        with pytest.raises(BudgetError):
            ask(server, tmp_path, 20, **budget)
        assert len(server.calls) == 16  # a new run has a new budget and goes on


def test_a_budget_without_room_for_one_call_makes_none(tmp_path):
    with loopback(lambda call: completion()) as server:
        with pytest.raises(BudgetError, match="0 of 3 tokens"):
            ask(server, tmp_path, 2, budget_tokens=3)

        assert not server.calls


def test_a_money_budget_needs_a_price(tmp_path):
    with loopback(lambda call: completion()) as server:
        with pytest.raises(SetupError, match="price of tiny-1"):
            door(server.url, tmp_path, budget_usd=Decimal(1)).ask_all(questions(1))

        assert not server.calls


def test_failures_that_cost_nothing_use_nothing_up(tmp_path):
    with loopback(lambda call: failure(400, "too long")) as server:
        answers = ask(server, tmp_path, 5, budget_tokens=200, structured="text")

        assert len(server.calls) == 5
    assert {answer.cost.usd for answer in answers} == {Decimal(0)}


def test_unstated_usage_counts_at_its_estimate(tmp_path):
    budget = Budget(tokens=10_000)
    with loopback(lambda call: completion(usage=None)) as server:
        ask(server, tmp_path, 3, budget=budget)

    assert budget.n_unmetered == 3
    assert budget.spent.tokens > 0


def test_reservations_of_calls_in_flight_count():
    budget = Budget(tokens=100)
    first = budget.reserve(Spending(tokens=60, usd=None))

    assert first is not None
    assert budget.reserve(Spending(tokens=60, usd=None)) is None
    budget.settle(first, Spending(tokens=20, usd=None))
    second = budget.reserve(Spending(tokens=999, usd=None))  # by now 20 are expected
    assert second == Spending(tokens=20, usd=Decimal(0))
    budget.release(second)
    assert budget.spent.tokens == 20


@pytest.mark.parametrize("known", [True, False])
def test_calls_that_broke_off_count_as_much_as_others(tmp_path, known):
    def script(call):
        whole = completion()  # of 120 tokens
        return whole if call.number % 3 == 2 else replace(whole, cut_at=20)

    prices = {"prices": PRICES} if known else {}
    with loopback(script) as server:
        asked = door(server.url, tmp_path, budget_tokens=1000, max_concurrency=1, **prices)
        with pytest.raises(BudgetError):
            asked.ask_all(questions(10))

        # Eight whole calls would fill it; one that broke off counts as its estimate, which is less.
        assert 8 <= len(server.calls) <= 12

"""Prices: cached input apart and not twice, unknown unknown, the table's version kept."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from evals_pipeline.core.run_records import Usage
from evals_pipeline.core.settings import PriceOverride
from evals_pipeline.llm.costs import PriceBook, table_version
from evals_pipeline.llm.endpoint import OPENAI_URL
from tests.llm.asks import endpoint

AT = datetime(2026, 1, 2, tzinfo=UTC)
USED = Usage(input_tokens=1000, cached_input_tokens=400, output_tokens=100)


def cost(override, usage=USED):
    book = PriceBook({"tiny-1": override})
    return book.cost(endpoint("http://127.0.0.1:1/v1"), usage, at=AT)


def test_cached_input_is_priced_apart_and_not_twice():
    # (600 · 2 + 400 · 0.5 + 100 · 8) / 10^6 = 2200 / 10^6
    found = cost(PriceOverride(input=2, cached_input="0.5", output=8))

    assert found.usd == Decimal("0.0022")
    assert found.price_table is not None
    assert found.price_table.startswith("settings ")


def test_an_override_that_leaves_a_price_out_leaves_the_cost_unknown():
    assert cost(PriceOverride(input=2, output=8)).usd is None
    uncached = Usage(input_tokens=1000, output_tokens=100)
    assert cost(PriceOverride(input=2, output=8), uncached).usd == Decimal("0.0028")
    assert cost(PriceOverride(output=8)).usd is None


def test_a_changed_override_is_another_table():
    cheap, dear = PriceOverride(input=1, output=1), PriceOverride(input=2, output=1)

    assert cost(cheap).price_table == cost(PriceOverride(input="1.0", output=1)).price_table
    assert cost(cheap).price_table != cost(dear).price_table


@pytest.mark.parametrize("usage", [None, Usage(input_tokens=5), Usage(output_tokens=5)])
def test_usage_that_is_not_stated_has_no_cost(usage):
    assert cost(PriceOverride(input=2, cached_input=1, output=8), usage).usd is None


def test_the_table_prices_a_model_at_its_own_provider():
    known = endpoint(OPENAI_URL, model="gpt-4o-2024-08-06", pin="gpt-4o-2024-08-06")
    found = PriceBook().cost(known, USED, at=AT)

    # 2.50 USD input, 1.25 USD cached, 10 USD output per million tokens.
    assert found.usd == Decimal("0.003")
    assert found.price_table == table_version()


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("http://127.0.0.1:9/v1", "gpt-4o-2024-08-06"),
        ("https://gateway.example/v1", "gpt-4o-2024-08-06"),
        (OPENAI_URL, "nobody-knows-this"),
    ],
)
def test_who_is_not_in_the_table_has_no_price(url, model):
    stranger = endpoint(url, model=model, pin=model)

    assert PriceBook().cost(stranger, USED, at=AT).usd is None
    assert not PriceBook().knows(stranger, at=AT)

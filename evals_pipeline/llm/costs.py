"""What answers cost, in US dollars, from the provider's own token counts.

Prices come from the table of the genai-prices package, or from overrides in the settings. Cached
input is priced apart and not twice. What is not known stays unknown: a model that the table does
not list, an address that belongs to no provider it knows, usage that was not returned.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.run_records import Cost, Usage
from evals_pipeline.core.settings import PriceOverride
from evals_pipeline.llm.endpoint import Endpoint

PER_MILLION = Decimal(1_000_000)


class PriceBook:
    """Prices of models; ``overrides`` are by the name that is asked for or that answers."""

    def __init__(self, overrides: Mapping[str, PriceOverride] | None = None) -> None:
        self._overrides = dict(overrides or {})

    def cost(self, endpoint: Endpoint, usage: Usage | None, *, at: datetime) -> Cost:
        """What one answer cost, with the version of the table that says so."""
        override = self._override_of(endpoint)
        if override is not None:
            return Cost(usd=_by_override(override, usage), price_table=_version_of(override))
        return Cost(usd=_by_table(endpoint, usage, at=at), price_table=table_version())

    def knows(self, endpoint: Endpoint, *, at: datetime) -> bool:
        """Whether plain input and output of a model have a price."""
        usage = Usage(input_tokens=1, cached_input_tokens=0, output_tokens=1)
        return self.cost(endpoint, usage, at=at).usd is not None

    def _override_of(self, endpoint: Endpoint) -> PriceOverride | None:
        for name in (endpoint.model_version, endpoint.pin, endpoint.model):
            if name in self._overrides:
                return self._overrides[name]
        return None


def table_version() -> str:
    """The name and version of the price table in use."""
    import genai_prices  # a large table, loaded by the first price only

    return f"genai-prices {genai_prices.__version__}"


def _version_of(override: PriceOverride) -> str:
    """Names an override by what it says, so that a later change of it shows."""
    prices = {
        name: None if price is None else format(price.normalize(), "f")
        for name, price in (
            ("input", override.input),
            ("cached_input", override.cached_input),
            ("output", override.output),
        )
    }
    return f"settings {digest_of(prices)[:12]}"


def _by_override(override: PriceOverride, usage: Usage | None) -> Decimal | None:
    """USD = (input − cached) · p_in + cached · p_cached + output · p_out, per million tokens."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cached_input_tokens or 0
    total = Decimal(0)
    for tokens, price in (
        (usage.input_tokens - cached, override.input),
        (cached, override.cached_input),
        (usage.output_tokens, override.output),
    ):
        if tokens and price is None:
            return None
        total += tokens * (price or Decimal(0)) / PER_MILLION
    return total


def _by_table(endpoint: Endpoint, usage: Usage | None, *, at: datetime) -> Decimal | None:
    """The table's price; only for an address that it knows to belong to a provider."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    import genai_prices  # a large table, loaded by the first price only

    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_input_tokens or 0,
    )
    try:
        price = genai_prices.calc_price(
            counted,
            endpoint.pin,
            provider_api_url=endpoint.base_url,
            genai_request_timestamp=at,
        )
    except (LookupError, ValueError):
        return None
    total: Decimal = price.total_price
    return total

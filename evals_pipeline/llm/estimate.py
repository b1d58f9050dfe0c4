"""What a run will take, before it takes it: calls, tokens, money.

No tokenizer is loaded, since every provider has its own. Input is taken as one token for four bytes
of UTF-8 plus four a message and 1,100 a picture; output as the mean of those answers of the same
run that are already recorded, else as 20 tokens for each leaf of the schema. A run shows the actual
figures when it ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from evals_pipeline.core import strict_json
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Usage
from evals_pipeline.llm.budget import Spending
from evals_pipeline.llm.costs import PriceBook
from evals_pipeline.llm.endpoint import Endpoint
from evals_pipeline.llm.request import AnswerRequest, ImagePart, Purpose

BYTES_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_IMAGE = 1100
TOKENS_PER_LEAF = 20
TOKENS_OF_FREE_TEXT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Planned questions split into recorded ones and calls, and what the calls will take.

    ``usd`` is None where the price of the model is unknown; with no call to make it is 0. Of the
    ``calls`` some may be ``assumed``: nobody knows yet whether they will be needed. ``is_bound``:
    no more calls than these will be made. ``set_name`` and ``model_version`` say what for, where
    that is one cell of a run.
    """

    planned: int
    recorded: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: Decimal | None
    purpose: Purpose = Purpose.EXTRACTION
    assumed: int = 0
    is_bound: bool = True
    notes: tuple[str, ...] = ()
    set_name: str | None = None
    model_version: str | None = None


def estimate_calls(
    requests: Sequence[AnswerRequest],
    *,
    n_recorded: int,
    endpoint: Endpoint,
    prices: PriceBook,
    at: datetime,
    mean_output_tokens: float | None = None,
) -> Estimate:
    """The estimate for the requests that have to be asked.

    Args:
        requests: The questions without a recorded answer.
        n_recorded: How many have one.
        endpoint: Whom they go to.
        prices: The prices to use.
        at: The moment that prices are taken for.
        mean_output_tokens: What recorded answers of the same kind took, where there are any.
    """
    tokens_in = sum(input_tokens(request) for request in requests)
    tokens_out = sum(output_tokens(request, mean=mean_output_tokens) for request in requests)
    usd = _usd(endpoint, tokens_in, tokens_out, prices=prices, at=at)
    notes = ["tokens are estimated from the length of the text"] if requests else []
    if requests and usd is None:
        notes.append(
            f"the price of {endpoint.pin} at {endpoint.shown_url} is unknown; state it under "
            f'[tool.evals.prices."{endpoint.pin}"]'
        )
    return Estimate(
        planned=len(requests) + n_recorded,
        recorded=n_recorded,
        calls=len(requests),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        usd=usd if requests else Decimal(0),
        notes=tuple(notes),
    )


def spending_of(
    request: AnswerRequest, *, endpoint: Endpoint, prices: PriceBook, at: datetime
) -> Spending:
    """What one call is expected to take, for the budget."""
    tokens_in, tokens_out = input_tokens(request), output_tokens(request, mean=None)
    return Spending(
        tokens=tokens_in + tokens_out,
        usd=_usd(endpoint, tokens_in, tokens_out, prices=prices, at=at),
    )


def _usd(
    endpoint: Endpoint, tokens_in: int, tokens_out: int, *, prices: PriceBook, at: datetime
) -> Decimal | None:
    usage = Usage(input_tokens=tokens_in, cached_input_tokens=0, output_tokens=tokens_out)
    return prices.cost(endpoint, usage, at=at).usd


def input_tokens(request: AnswerRequest) -> int:
    """About how many tokens a request has."""
    n_bytes = sum(len(message.text.encode()) for message in request.messages)
    if request.schema is not None:
        n_bytes += len(strict_json.dumps(dict(request.schema)).encode())
    n_images = sum(
        isinstance(part, ImagePart) for message in request.messages for part in message.parts
    )
    return (
        -(-n_bytes // BYTES_PER_TOKEN)
        + TOKENS_PER_MESSAGE * len(request.messages)
        + TOKENS_PER_IMAGE * n_images
    )


def output_tokens(request: AnswerRequest, *, mean: float | None) -> int:
    """About how many tokens the answer has, within the limit that the request sets."""
    if mean is not None:
        expected = round(mean)
    elif request.schema is None:
        expected = TOKENS_OF_FREE_TEXT
    else:
        expected = TOKENS_PER_LEAF * n_leaves(request.schema)
    limit = request.sampling.max_output_tokens
    return expected if limit is None else min(expected, limit)


def n_leaves(schema: Mapping[str, JsonValue]) -> int:
    """How many single values a schema describes; a list counts as five of its item.

    >>> n_leaves({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}})
    2
    """
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(properties, dict):
        return sum(n_leaves(one) for one in properties.values() if isinstance(one, dict))
    return 5 * n_leaves(items) if isinstance(items, dict) else 1

"""What the answers behind a figure cost, summed from the extractions themselves."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCost:
    """The cost of some answers when they were first paid for; from the record they cost nothing.

    ``n_metered`` answers came from something that counts tokens or money (code and predictions do
    not), ``n_priced`` of them have a known price. ``usd`` sums those; None where none has one, or
    where all that is known is that calls failed for nothing: that says nothing of the others.
    """

    n_answers: int = 0
    n_metered: int = 0
    n_priced: int = 0
    n_new: int = 0
    usd: Decimal | None = None
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    n_retries: int = 0
    price_tables: tuple[str, ...] = ()
    provider_models: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every metered answer has a known price, so that the sum is the whole."""
        return self.n_metered == self.n_priced


def cost_of(extractions: Iterable[Extraction]) -> AnswerCost:
    """The sum over some extractions, in bounded memory."""
    n = metered = priced = failed = new = retries = tokens_in = cached = tokens_out = 0
    usd = Decimal(0)
    tables: set[str] = set()
    models: set[str] = set()
    for one in extractions:
        n += 1
        origin = one.provenance
        retries += origin.retries
        if origin.provider_model is not None:
            models.add(origin.provider_model)
        if origin.usage is not None:
            tokens_in += origin.usage.input_tokens or 0
            cached += origin.usage.cached_input_tokens or 0
            tokens_out += origin.usage.output_tokens or 0
        metered += origin.cost is not None or origin.usage is not None
        if origin.cost is not None:
            new += origin.cost.is_new
            if origin.cost.usd is not None:
                priced, usd = priced + 1, usd + origin.cost.usd
                failed += one.status is ExtractionStatus.ERROR and origin.usage is None
            if origin.cost.price_table is not None:
                tables.add(origin.cost.price_table)
    return AnswerCost(
        n_answers=n,
        n_metered=metered,
        n_priced=priced,
        n_new=new,
        usd=usd if priced > failed or priced == metered > 0 else None,
        input_tokens=tokens_in,
        cached_input_tokens=cached,
        output_tokens=tokens_out,
        n_retries=retries,
        price_tables=tuple(sorted(tables)),
        provider_models=tuple(sorted(models)),
    )

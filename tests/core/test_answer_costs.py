from dataclasses import replace
from decimal import Decimal

from evals_pipeline.core.answer_costs import AnswerCost, cost_of
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Cost, Extraction, Provenance, Usage


def answer(usd: str | None = None, *, tokens: int | None = None, is_new: bool = True, **origin):
    cost = None
    if usd is not None or tokens is not None:
        amount = None if usd is None else Decimal(usd)
        cost = Cost(usd=amount, price_table="table 1", is_new=is_new)
    usage = None if tokens is None else Usage(input_tokens=tokens, output_tokens=1)
    return Extraction(
        fixture_id="d",
        run_index=0,
        status=ExtractionStatus.OK,
        provenance=Provenance(extractor="e", cost=cost, usage=usage, **origin),
    )


def test_the_sum_is_exact_and_says_how_much_of_it_is_known() -> None:
    found = cost_of(
        [
            answer("0.1", tokens=10, provider_model="acme-1"),
            answer("0.2", tokens=20, is_new=False, retries=2),
            answer(None, tokens=5),
            answer(),
        ]
    )
    assert found == AnswerCost(
        n_answers=4,
        n_metered=3,
        n_priced=2,
        n_new=2,
        usd=Decimal("0.3"),
        input_tokens=35,
        output_tokens=3,
        n_retries=2,
        price_tables=("table 1",),
        provider_models=("acme-1",),
    )
    assert not found.is_complete


def test_an_unknown_price_is_not_free() -> None:
    assert cost_of([answer(None, tokens=5)]).usd is None
    assert not cost_of([answer(None, tokens=5)]).is_complete


def test_calls_that_failed_for_nothing_do_not_make_an_unknown_sum_look_like_nought() -> None:
    failed = replace(answer("0"), status=ExtractionStatus.ERROR)
    assert cost_of([answer(None, tokens=5), failed]).usd is None
    assert cost_of([answer("0.5", tokens=5), failed]).usd == Decimal("0.5")
    # One's own server has a price, and it is 0; calls that all failed for nothing cost nothing.
    assert cost_of([answer("0", tokens=5), answer(None, tokens=5)]).usd == 0
    assert cost_of([failed]).usd == 0


def test_code_and_files_cost_nothing_that_is_counted() -> None:
    found = cost_of([answer(), answer()])
    assert (found.n_answers, found.n_metered, found.usd, found.is_complete) == (2, 0, None, True)
    assert cost_of([]) == AnswerCost()

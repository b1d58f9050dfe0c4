from dataclasses import replace
from decimal import Decimal

from evals_pipeline.core.run_records import Cost
from evals_pipeline.store import CostEntry


def test_costs_only_grow_and_keep_only_what_was_paid(store, key, digests, stamp):
    paid = CostEntry(
        purpose="extraction",
        label="a",
        answer_key="k",
        provider_model="m",
        usage=None,
        cost=Cost(usd=Decimal("0.10"), price_table="t"),
    )
    unknown = replace(paid, label="b", cost=Cost(usd=None, price_table=None))
    recorded = replace(paid, label="c", cost=Cost(usd=Decimal(1), price_table="t", is_new=False))
    assert store.write_costs(key, [paid, recorded, unknown], digests, stamp) == 2
    assert store.write_costs(key, [recorded], digests, stamp) == 0
    later = replace(stamp, run_id="run-2")
    assert store.write_costs(key, [paid], digests, later) == 1
    spent = list(store.iter_costs("invoices"))
    assert [(one.entry, one.run_id, one.key) for one in spent] == [
        (paid, "run-1", key),
        (unknown, "run-1", key),
        (paid, "run-2", key),
    ]
    assert spent[0].recorded_at == stamp.at
    assert list(store.iter_costs("other")) == []

"""The gate that the product exists for: 40 documents, 5 runs, a hint that mends one date of two.

Of 200 answers a field has right, before and after:

    invoice_number  196 196    invoice_date  182 196    due_date  192 176
    po_number       174 174    total         199 199

Three documents lose their due date in all five runs, one of them has none and one is invented;
a fourth loses it in one run.
"""

from dataclasses import replace
from decimal import Decimal

from evals_pipeline.baseline.compare import GateRules, compare
from evals_pipeline.baseline.record import make_baseline
from evals_pipeline.core.figures import GateReport, Miss
from tests.scored import Picture, measurement, policy

DOCUMENTS = tuple(f"acme-{number:02}" for number in range(40))
DATED = ("acme-03", "acme-17")
UNDATED = "acme-29"
FOURTH = "acme-31"


def _row(n_right: int) -> dict[str, str]:
    """The right answers fill the documents one after the other, five runs each."""
    return {
        name: "".join("1" if 5 * place + run < n_right else "0" for run in range(5))
        for place, name in enumerate(DOCUMENTS)
    }


_DUE_BEFORE = _row(192) | {UNDATED: "nnnnn"}
_BROKEN = {name: "00000" for name in DATED} | {UNDATED: "iiiii", FOURTH: "11110"}
BEFORE: Picture = {
    "invoice_number": _row(196),
    "invoice_date": _row(182),
    "due_date": _DUE_BEFORE,
    "po_number": _row(174),
    "total": _row(199),
}
AFTER: Picture = dict(BEFORE) | {
    "invoice_date": _row(196),
    "due_date": _DUE_BEFORE | _BROKEN,
}


def gate_report() -> GateReport:
    """The gate over that change, with dates as people would see them."""
    rules = GateRules(policy=policy())
    report = compare(measurement(AFTER), make_baseline(measurement(BEFORE), policy=policy()), rules)
    rows = tuple(
        replace(row, misses=tuple(_dated(miss) for miss in row.misses)) for row in report.fields
    )
    return replace(
        report,
        fields=rows,
        baseline_source="4c81bae (HEAD, the change is not committed)",
        cost_usd=Decimal("0.443"),
        baseline_cost_usd=Decimal("0.412"),
        hints=("the prompt changed in 2 places since 4c81bae",),
    )


def _dated(miss: Miss) -> Miss:
    if miss.want is None:
        return miss
    return replace(miss, want="2026-04-03", got="2026-03-04")

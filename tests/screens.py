"""The gate that the product exists for: 40 documents, 5 runs, a hint that mends one date of two.

Of 200 answers a field has right, before and after:

    invoice_number  196 196    invoice_date  182 196    due_date  192 176
    po_number       174 174    total         199 199

Three documents lose their due date in all five runs, one of them has none and one is invented;
a fourth loses it in one run.
"""

from tests.scored import Picture

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

"""The extractor ``invoice-rules``: reads invoices by their labels and layout, without a model.

It states values as they stand in the document and grades each by the rule that found it. It is
deterministic, needs no key and no network, and is no match for a model on a layout that it does
not know: that is what a golden set is there to show.
"""

from collections.abc import Mapping
from types import MappingProxyType

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import FieldValue
from evals_pipeline.extract.invoice_layouts.dates import find_due_date, find_invoice_date
from evals_pipeline.extract.invoice_layouts.notation import Notation
from evals_pipeline.extract.invoice_layouts.page import Finding
from evals_pipeline.extract.invoice_layouts.parties import find_parties
from evals_pipeline.extract.invoice_layouts.references import find_iban, find_reference
from evals_pipeline.extract.invoice_layouts.sheet import Sheet
from evals_pipeline.extract.invoice_layouts.totals import find_currency, find_totals
from evals_pipeline.extract.protocol import Draft, SourceDocument

SOURCE_TYPE = "INVOICE"

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "number": "invoice_number",
        "invoice_id": "invoice_number",
        "issue_date": "invoice_date",
        "date": "invoice_date",
        "payment_due_date": "due_date",
        "order_reference": "po_number",
        "order_number": "po_number",
        "purchase_order": "po_number",
        "seller": "supplier",
        "vendor": "supplier",
        "seller_vat": "supplier_vat",
        "vendor_vat": "supplier_vat",
        "buyer": "customer",
        "customer_vat": "buyer_vat",
        "subtotal": "net_total",
        "net_amount": "net_total",
        "tax_amount": "tax_total",
        "vat_total": "tax_total",
        "gross_total": "total",
        "total_amount": "total",
        "amount_due": "payable",
        "line_items": "lines",
        "items": "lines",
    }
)
"""Other names under which a set may ask for a value, each with ours."""


class InvoiceRulesExtractor:
    """Invoices in ten languages by rules; see ``invoice_layouts`` for the rules."""

    extractor_id = "invoice-rules"
    version = "1"
    output = OutputKind.FIELDS
    must_not: frozenset[str] = frozenset()

    def accepts(self, source_type: str) -> bool:
        """Whether it reads this source type: invoices, which credit notes and reminders are too."""
        return source_type == SOURCE_TYPE

    def extract(self, document: SourceDocument) -> Draft:
        """The values that the rules find; a value that is not there is stated as null.

        Where the document names the fields that the set asks for, exactly those are stated that
        the rules know, under the names asked for. A document without text (a scan) is an error.
        """
        if document.text is None or not document.text.strip():
            reason = f"no text to read in a document of type {document.media_type}"
            return Draft(status=ExtractionStatus.ERROR, reason=reason)
        found = _found(Sheet(document.text, Notation(document.locale)))
        asked = document.field_names or tuple(found)
        return Draft(
            fields={
                name: found[ALIASES.get(name, name)]
                for name in asked
                if ALIASES.get(name, name) in found
            }
        )


def _found(sheet: Sheet) -> dict[str, FieldValue]:
    """Every value that the rules know, by our names."""
    parties = find_parties(sheet)
    sums = find_totals(sheet)
    single: dict[str, Finding | None] = {
        "invoice_number": find_reference(sheet, "invoice_number"),
        "invoice_date": find_invoice_date(sheet),
        "due_date": find_due_date(sheet),
        "po_number": find_reference(sheet, "po_number"),
        "buyer_reference": find_reference(sheet, "buyer_reference"),
        "supplier": parties.supplier,
        "supplier_vat": parties.supplier_vat,
        "customer": parties.customer,
        "buyer_vat": parties.buyer_vat,
        "net_total": sums.get("net_total"),
        "tax_total": sums.get("tax_total"),
        "total": sums.get("total"),
        "payable": sums.get("payable"),
        "prepaid": sums.get("prepaid"),
        "currency": find_currency(sheet, sums),
        "iban": find_iban(sheet),
    }
    return {name: _value(finding) for name, finding in single.items()} | {"lines": _lines(sheet)}


def _value(finding: Finding | None) -> FieldValue:
    if finding is None:
        return FieldValue(value=None, presence=Presence.NULL)
    return FieldValue(
        value=finding.text,
        presence=Presence.VALUE,
        confidence=finding.confidence,
        note=finding.rule,
    )


def _lines(sheet: Sheet) -> FieldValue:
    table = sheet.items
    if not table.items:
        return FieldValue(value=None, presence=Presence.NULL)
    rows: list[JsonValue] = [
        {
            "description": item.description,
            "quantity": item.quantity,
            "unit_price": item.unit_price,
            "amount": item.amount,
        }
        for item in table.items
    ]
    return FieldValue(value=rows, presence=Presence.VALUE, confidence=table.confidence)

"""Who sends the invoice and who is to pay it, with their tax numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evals_pipeline.extract.invoice_layouts.labels import is_title
from evals_pipeline.extract.invoice_layouts.page import Finding, Line, Segment, best
from evals_pipeline.extract.invoice_layouts.sheet import Place, Sheet

_LEGAL_FORM = (
    r"Ltd|Limited|LLP|LLC|plc|PLC|Inc|Corp|Co|GmbH(?: \+ Co\. ?KG| & Co\. ?KG)?|AG|KG|OHG|UG|e\.K|"
    r"SARL|SAS|SA|S\.A|S\.L|S\.r\.l|S\.p\.A|B\.V|N\.V|BV|NV|AB|HB|KB|ApS|A/S|AS|Oy"
)
_COMPANY = re.compile(
    rf"^(?P<name>[^\W\d_][^·|:]{{1,60}}?[ ,](?:{_LEGAL_FORM})\b\.?)(?=$|[\s,·|])", re.IGNORECASE
)
_SENDER_LINE = re.compile(r"^(?P<name>[^·|]{3,60}?)\s*[·|•]\s*[^·|]+[·|•]\s*\d{4,6}\s")
_ADDRESS_OF_MAIL = re.compile(r"\s*<[^>]*>\s*$")
_VAT = re.compile(r"(?<!\w)[A-Z]{2}[ ]?[A-Z]?\d[\dA-Z.]*(?:[ ]\d[\dA-Z.]*)*(?![a-z])")
_TOWN = re.compile(r"\d{4,}|[A-Z]\d{1,2} ?\d[A-Z]{2}")
_HEAD_LINES = 14
_BLOCK_LINES = 6
_SENDER, _COMPANY_IN_HEAD, _LABELLED, _FIRST_LINE, _SECOND_BLOCK = 0.9, 0.85, 0.8, 0.6, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """What was found of both sides; each may be None."""

    supplier: Finding | None
    customer: Finding | None
    supplier_vat: Finding | None
    buyer_vat: Finding | None


def find_parties(sheet: Sheet) -> Parties:
    """Both sides of the invoice; the buyer's block is found first and kept out of the seller's."""
    labelled = best(list(_labelled(sheet, "customer")))
    supplier = best(list(_suppliers(sheet, labelled)))
    customer = labelled or _second_block(sheet, supplier)
    supplier_vat, buyer_vat = _tax_numbers(sheet, customer)
    return Parties(
        supplier=supplier, customer=customer, supplier_vat=supplier_vat, buyer_vat=buyer_vat
    )


def _labelled(sheet: Sheet, name: str) -> Iterator[Finding]:
    for place in sheet.places(name):
        text = _name_at(place)
        if text is not None:
            yield Finding(
                text=text,
                confidence=place.confidence,
                rule=f"{name} {place.rule}",
                line=place.line.number,
            )


def _name_at(place: Place) -> str | None:
    """The name at a place: the first segment, without the mail address behind it.

    Words that run on from a label without a colon are a sentence or a longer name, not a value.
    """
    if not place.label.is_leading:
        return None
    stretch = place.text
    if place.is_beside:
        if place.runs_on and not place.label.has_colon:
            return None
        stretch = place.runs_on or stretch
    name = _ADDRESS_OF_MAIL.sub("", re.split(r"\s{2,}", stretch.strip(" \u00a0:-"))[0])
    has_letters = sum(char.isalpha() for char in name) >= 2
    return name.strip(" \"'") if has_letters and "@" not in name else None


def _suppliers(sheet: Sheet, customer: Finding | None) -> Iterator[Finding]:
    yield from (
        Finding(text=one.text, confidence=_LABELLED, rule=one.rule, line=one.line)
        for one in _labelled(sheet, "supplier")
    )
    first: Finding | None = None
    for line in _head(sheet):
        for segment in line.segments:
            text = _before_labels(sheet, line, segment)
            if not text or (customer is not None and customer.text in text):
                continue
            sender = _SENDER_LINE.match(line.text)
            company = _COMPANY.match(text)
            if sender is not None:
                yield _finding(sender.group("name"), _SENDER, "sender line", line.number)
            if company is not None and not re.search(r"\d{4}", company.group("name")):
                rule = "company in the head"
                yield _finding(company.group("name"), _COMPANY_IN_HEAD, rule, line.number)
            if first is None and _may_be_name(text, sheet):
                first = _finding(text, _FIRST_LINE, "first line of the document", line.number)
    if first is not None:
        yield first


def _head(sheet: Sheet) -> list[Line]:
    """The first written lines of the document, line items left out."""
    written = [
        line
        for line in sheet.lines[: _HEAD_LINES * 2]
        if not line.is_blank and line.number not in sheet.items.lines
    ]
    return written[:_HEAD_LINES]


def _before_labels(sheet: Sheet, line: Line, segment: Segment) -> str:
    """What a segment says before the first label in it, since columns may have run together.

    Labels of the parties themselves may be part of a name ("My Supplier Ltd") and cut nothing.
    """
    starts = [
        one.start
        for one in sheet.labels[line.number]
        if not one.names & {"supplier", "customer"} and segment.start <= one.start < segment.end
    ]
    end = min(starts, default=segment.end)
    return line.text[segment.start : end].strip()


def _may_be_name(text: str, sheet: Sheet) -> bool:
    letters = sum(char.isalpha() for char in text)
    has_date = any(True for _ in sheet.notation.dates(text))
    return (
        letters >= 5
        and letters * 2 > len(text)
        and not has_date
        and not is_title(text, sheet.notation.language)
    )


def _second_block(sheet: Sheet, supplier: Finding | None) -> Finding | None:
    """Without a label: the first line of an address in the left column below the supplier's."""
    start = 0 if supplier is None else supplier.line + 1
    for line in sheet.lines[start : start + _HEAD_LINES]:
        if line.is_blank or line.number in sheet.items.lines:
            continue
        text = _before_labels(sheet, line, line.segments[0])
        follows = sheet.lines[line.number + 1 : line.number + 5]
        has_town = any(_TOWN.search(one.text) for one in follows)
        is_new_block = line.number == 0 or sheet.lines[line.number - 1].is_blank
        after_sender = supplier is not None and supplier.rule == "sender line"
        if (is_new_block or after_sender) and has_town and _may_be_name(text, sheet):
            return _finding(text, _SECOND_BLOCK, "second block of the document", line.number)
    return None


def _tax_numbers(sheet: Sheet, customer: Finding | None) -> tuple[Finding | None, Finding | None]:
    """The seller's and the buyer's number; the buyer's stands below the buyer's name."""
    sellers: list[Finding] = []
    buyers: list[Finding] = []
    for place in sheet.places("vat"):
        match = _VAT.search(place.text)
        if match is None:
            continue
        is_buyers = _stands_under(sheet, place, customer) and (sellers or _has_more(sheet, place))
        finding = Finding(
            text=match.group().rstrip(". "),
            confidence=round(place.confidence - 0.05, 2),
            rule=f"tax number {place.rule}",
            line=place.line.number,
        )
        (buyers if is_buyers else sellers).append(finding)
    if not buyers:
        buyers = [one for one in sellers[1:] if one.text != sellers[0].text]
    return (sellers[0] if sellers else None), (buyers[0] if buyers else None)


def _stands_under(sheet: Sheet, place: Place, customer: Finding | None) -> bool:
    if customer is None or not 0 < place.line.number - customer.line <= _BLOCK_LINES:
        return False
    column = max(0, sheet.lines[customer.line].text.find(customer.text))
    segment = place.line.segment_at(place.label.start)
    return segment is not None and abs(segment.start - column) <= 12


def _has_more(sheet: Sheet, place: Place) -> bool:
    """Whether another tax number stands elsewhere, so that this one need not be the seller's."""
    return any(
        other.line.number != place.line.number and _VAT.search(other.text)
        for other in sheet.places("vat")
    )


def _finding(text: str, confidence: float, rule: str, line: int) -> Finding:
    return Finding(text=text.strip(), confidence=confidence, rule=rule, line=line)

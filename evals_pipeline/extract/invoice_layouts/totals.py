"""The sums of an invoice: net, tax, gross, payable, prepaid, and the currency they are in."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product

from evals_pipeline.extract.invoice_layouts.notation import (
    Amount,
    currency_in,
    has_decimals,
    is_money,
)
from evals_pipeline.extract.invoice_layouts.page import Finding, best
from evals_pipeline.extract.invoice_layouts.sheet import Place, Sheet

_SUMS = ("net_total", "tax_total", "total")
_ADDS_UP = 0.15
_NO_CENTS = 0.2
_FROM_PAYABLE = 0.1
_CENT = Decimal("0.01")
_TRIED = 12


def find_totals(sheet: Sheet) -> Mapping[str, Finding]:
    """The sums that were found, by name; net, tax and gross chosen so that they add up if any do.

    A document that names no gross amount but one to pay states its gross amount there.
    """
    found = {name: _candidates(sheet, name) for name in (*_SUMS, "payable", "prepaid")}
    if not found["total"]:
        found["total"] = [_lowered(one, _FROM_PAYABLE) for one in found["payable"]]
    chosen = _that_add_up(sheet, [found[name] for name in _SUMS])
    sums: dict[str, Finding] = {}
    for number, name in enumerate(_SUMS):
        finding = chosen[number] if chosen else best(found[name])
        if finding is not None:
            sums[name] = finding
    for name in ("payable", "prepaid"):
        finding = best(found[name])
        if finding is not None:
            sums[name] = finding
    return sums


def find_currency(sheet: Sheet, sums: Mapping[str, Finding]) -> Finding | None:
    """The currency that stands at the sums, else the first one in the document."""
    for place in sheet.places("currency"):
        named = currency_in(place.text)
        if named is not None:
            return _currency(named, place.confidence, "currency beside its label", place)
    for number in _lines_of_sums(sheet, sums):
        named = currency_in(sheet.lines[number].text)
        if named is not None:
            return Finding(text=named, confidence=0.9, rule="currency at a sum", line=number)
    for line in sheet.lines:
        if any(True for _ in sheet.notation.amounts(line.text)):
            named = currency_in(line.text)
            if named is not None:
                return Finding(
                    text=named, confidence=0.6, rule="currency of an amount", line=line.number
                )
    return None


def _lines_of_sums(sheet: Sheet, sums: Mapping[str, Finding]) -> Iterator[int]:
    """The lines of the sums that were found, then those of their labels."""
    for name in ("total", "payable", "net_total"):
        if name in sums:
            yield sums[name].line
            yield from (label.line for label in sheet.labelled(name))


def _candidates(sheet: Sheet, name: str) -> list[Finding]:
    findings = []
    for place in sheet.places(name):
        amount = _amount_at(place, sheet)
        if amount is not None and is_money(amount.text):
            doubt = 0 if has_decimals(amount.text) else _NO_CENTS
            findings.append(
                Finding(
                    text=amount.text,
                    confidence=round(place.confidence - doubt, 2),
                    rule=f"{name.replace('_', ' ')} {place.rule}",
                    line=place.line.number,
                )
            )
    return findings


def _amount_at(place: Place, sheet: Sheet) -> Amount | None:
    """The last amount of a place: rates and counts stand before it."""
    amounts = sheet.notation.amounts(place.line.text, from_=place.start, to=place.end)
    return amounts[-1] if amounts else None


def _that_add_up(sheet: Sheet, columns: Sequence[list[Finding]]) -> tuple[Finding, ...] | None:
    """The surest net, tax and gross with net + tax = gross, None where none add up."""
    tried = [
        sorted(column, key=lambda one: (-one.confidence, one.line))[:_TRIED] for column in columns
    ]
    best_triple: tuple[Finding, ...] | None = None
    for triple in product(*tried):
        net, tax, gross = (sheet.notation.value(one.text) for one in triple)
        if net is None or tax is None or gross is None or abs(net + tax - gross) > _CENT:
            continue
        if best_triple is None or _weight(triple) > _weight(best_triple):
            best_triple = triple
    if best_triple is None:
        return None
    return tuple(_lowered(one, -_ADDS_UP) for one in best_triple)


def _weight(triple: Sequence[Finding]) -> float:
    return sum(one.confidence for one in triple)


def _lowered(finding: Finding, by: float) -> Finding:
    return Finding(
        text=finding.text,
        confidence=round(min(0.99, max(0.05, finding.confidence - by)), 2),
        rule=finding.rule,
        line=finding.line,
    )


def _currency(text: str, confidence: float, rule: str, place: Place) -> Finding:
    return Finding(text=text, confidence=confidence, rule=rule, line=place.line.number)

"""The date of issue and the date of payment of an invoice, among all its other dates."""

import re
from collections.abc import Iterator

from evals_pipeline.extract.invoice_layouts.page import Finding, best
from evals_pipeline.extract.invoice_layouts.sheet import Place, Sheet

_WITH_NUMBER, _PLACE_AND_DATE, _FIRST_DATE = 0.8, 0.7, 0.4
_PLACE = re.compile(r"\s*(?:[^\W\d_][^\d]{0,30},\s*)?(?:den\s|le\s)?\s*")
_HEAD_LINES = 30
_WORDS_BETWEEN = 4
_CLAIMED = frozenset({"due_date", "other", "buyer_reference", "po_number"})


def find_due_date(sheet: Sheet) -> Finding | None:
    """The day on which payment is due, None where only terms or nothing is stated."""
    return best(list(_labelled(sheet, "due_date")))


def find_invoice_date(sheet: Sheet) -> Finding | None:
    """The day of issue: by its label, beside the number, in the letter's head, else the first."""
    labelled = list(_labelled(sheet, "invoice_date"))
    return best([*labelled, *_beside_number(sheet), *_unlabelled(sheet)])


def _labelled(sheet: Sheet, name: str) -> Iterator[Finding]:
    for place in sheet.places(name):
        match = next(sheet.notation.dates(place.line.text, from_=place.start, to=place.end), None)
        if match is None or _strays(place, match.start()):
            continue
        yield Finding(
            text=match.group(),
            confidence=place.confidence,
            rule=f"{name.replace('_', ' ')} {place.rule}",
            line=place.line.number,
        )


def _strays(place: Place, start: int) -> bool:
    """Whether too many words lie between the label and the date for the one to name the other."""
    return len(place.line.text[place.start : start].split()) > _WORDS_BETWEEN


def _beside_number(sheet: Sheet) -> Iterator[Finding]:
    """A date on the line of the invoice number: "Fattura n. 118/2026 del 12/03/2026"."""
    for label in sheet.labelled("invoice_number"):
        line = sheet.lines[label.line]
        for match in sheet.notation.dates(line.text, from_=label.end):
            if not any(label.end <= other.start for other in sheet.labels[line.number]):
                yield Finding(
                    text=match.group(),
                    confidence=_WITH_NUMBER,
                    rule="date beside the invoice number",
                    line=line.number,
                )
            break


def _unlabelled(sheet: Sheet) -> Iterator[Finding]:
    """Dates in the head of the document that no label of another date claims."""
    for line in sheet.lines[:_HEAD_LINES]:
        if line.number in sheet.items.lines:
            continue
        for match in sheet.notation.dates(line.text):
            before = [one for one in sheet.labels[line.number] if one.start < match.start()]
            if before and before[-1].names & _CLAIMED:
                continue
            segment = line.segment_at(match.start())
            around = "" if segment is None else segment.text.replace(match.group(), "")
            is_letter_head = re.fullmatch(
                r"\s*(?:[^\W\d_][^\d]{0,30},\s*)?(?:den\s|le\s)?\s*", around
            )
            yield Finding(
                text=match.group(),
                confidence=_PLACE_AND_DATE if is_letter_head else _FIRST_DATE,
                rule="place and date" if is_letter_head else "first date of the document",
                line=line.number,
            )

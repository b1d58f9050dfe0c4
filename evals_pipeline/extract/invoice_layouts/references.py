"""The numbers by which an invoice is known: its own, the buyer's order and reference, the IBAN."""

import re
from collections.abc import Iterator

from evals_pipeline.extract.invoice_layouts.page import Finding, best
from evals_pipeline.extract.invoice_layouts.sheet import Place, Sheet

_LEAD = " \u00a0.:#°º№-–\t"
_TRAIL = ".,;:)("
_PREFIX = re.compile(r"[A-ZÄÖÅÆØ]{1,5}")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z\d]){11,30}(?![a-z])")
_MAY_BE_WORDS = frozenset({"buyer_reference"})
_UNPROVEN = 0.3
_SEEN_ALONE = 0.8


def find_reference(sheet: Sheet, name: str) -> Finding | None:
    """The reference beside or below the labels of ``name``; it has a digit and is no date."""
    return best(list(_references(sheet, name)))


def find_iban(sheet: Sheet) -> Finding | None:
    """The account for payment: what its label names, else any IBAN whose check digits hold."""
    findings = []
    for place in sheet.places("iban"):
        match = _IBAN.search(place.text)
        if match is not None:
            text, is_valid = _longest_valid(match.group())
            doubt = 0 if is_valid else _UNPROVEN
            findings.append(_finding(place, text, place.confidence - doubt, "account"))
        elif place.label.has_colon and re.search(r"\d{4}", stretch := _stretch_of(place)):
            findings.append(_finding(place, stretch, place.confidence - _UNPROVEN, "account"))
    for line in sheet.lines:
        for match in _IBAN.finditer(line.text):
            text, is_valid = _longest_valid(match.group())
            if is_valid:
                findings.append(
                    Finding(text=text, confidence=_SEEN_ALONE, rule="valid IBAN", line=line.number)
                )
    return best(findings)


def _references(sheet: Sheet, name: str) -> Iterator[Finding]:
    for place in sheet.places(name):
        token = _reference_in(place, sheet)
        if token is None and name in _MAY_BE_WORDS and place.label.has_colon and place.is_beside:
            token = _stretch_of(place) or None
        if token is not None:
            yield _finding(place, token, place.confidence, name.replace("_", " "))


def _finding(place: Place, text: str, confidence: float, what: str) -> Finding:
    return Finding(
        text=text,
        confidence=round(confidence, 2),
        rule=f"{what} {place.rule}",
        line=place.line.number,
    )


def _reference_in(place: Place, sheet: Sheet) -> str | None:
    """The first word with a digit, with a short prefix ("BC 26-0388") or a part behind a slash."""
    stretch = _stretch_of(place)
    words = stretch.split()
    if not words:
        return None
    in_parts = re.match(r"\S*\d\S* / \S*\d\S*", stretch)
    if in_parts is not None:
        return in_parts.group().rstrip(_TRAIL)
    if len(words) > 1 and _PREFIX.fullmatch(words[0]) and re.match(r"\d", words[1]):
        return " ".join(words[:2]).rstrip(_TRAIL)
    token = words[0].rstrip(_TRAIL).lstrip("(")
    if not re.search(r"\d", token) or any(
        stretch.startswith(date.group()) for date in sheet.notation.dates(stretch)
    ):
        return None
    return token


def _stretch_of(place: Place) -> str:
    """What stands at a place up to a gap, without the punctuation of its label."""
    return re.split(r"\s{2,}", place.text.strip(_LEAD))[0]


def _longest_valid(text: str) -> tuple[str, bool]:
    """The IBAN at the start of a match that may have run into the next word, and its proof."""
    words = text.split(" ")
    for count in range(len(words), 0, -1):
        head = " ".join(words[:count])
        if _check_digits_hold(head.replace(" ", "")):
            return head, True
    return text, False


def _check_digits_hold(iban: str) -> bool:
    """ISO 13616: moved behind the rest and read as base 36, the number leaves 1 modulo 97."""
    if not 15 <= len(iban) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1

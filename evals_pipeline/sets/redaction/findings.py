"""What detectors find in a passage, and how findings that overlap are settled."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Masked(StrEnum):
    """What our own detectors mask; a labeller's terms may have kinds of their own."""

    IBAN = "IBAN"
    CARD = "CARD"
    EMAIL = "EMAIL"
    ACCOUNT = "ACCOUNT"
    PHONE = "PHONE"
    NAME = "NAME"
    ADDRESS = "ADDRESS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A value to be masked at ``start:end`` of a passage.

    ``normal`` is the value in one spelling, so that all its spellings get one placeholder.
    ``is_term``: a labeller gave it, no detector knows it.
    """

    kind: str
    start: int
    end: int
    normal: str
    is_term: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookalike:
    """A number that could be taken for something to be masked and was left, with the reason."""

    start: int
    end: int
    reason: str


def settled(findings: Iterable[Finding], text: str) -> list[Finding]:
    """Findings that no longer overlap, in the order of the text.

    The order given is the precedence. Of a finding that overlaps an earlier one what sticks out is
    kept, as long as it says something, because a half-masked value is not masked.
    """
    kept: list[Finding] = []
    is_covered = bytearray(len(text))
    for finding in findings:
        for start, end in _uncovered(finding, is_covered):
            if any(char.isalnum() for char in text[start:end]):
                kept.append(replace(finding, start=start, end=end))
                is_covered[start:end] = b"\x01" * (end - start)
    return sorted(kept, key=lambda finding: finding.start)


def _uncovered(finding: Finding, is_covered: bytearray) -> list[tuple[int, int]]:
    """The ranges of a finding that no earlier one covers."""
    ranges: list[tuple[int, int]] = []
    start = finding.start
    for position in range(finding.start, finding.end + 1):
        if position == finding.end or is_covered[position]:
            if start < position:
                ranges.append((start, position))
            start = position + 1
    return ranges

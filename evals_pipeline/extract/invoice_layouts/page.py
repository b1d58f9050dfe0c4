"""A document's text as lines and, where columns survived, as segments of lines."""

import re
from dataclasses import dataclass

_SEGMENT = re.compile(r"\S+(?:[ \u00a0\u202f]\S+)*")
_STRAY_EDGE = re.compile(r"^[ ]*[|~_][ ]{1,3}(?=\S)|(?<! )[ ]+(?:[|\\'.,]|\.:)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a line without a gap of two spaces; ``start`` and ``end`` are columns."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the document; ``number`` counts from 0, blank lines included."""

    number: int
    text: str
    segments: tuple[Segment, ...]

    @property
    def is_blank(self) -> bool:
        """True when nothing stands on the line."""
        return not self.segments

    def segment_at(self, column: int) -> Segment | None:
        """The segment that covers a column, or None where there is a gap."""
        return next((one for one in self.segments if one.start <= column < one.end), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A value as it stands in the document, how sure the rule is, and which rule found it."""

    text: str
    confidence: float
    rule: str
    line: int


def read_lines(text: str) -> tuple[Line, ...]:
    """The lines of a text, a page break being a line break; specks at the edges are dropped.

    >>> [segment.text for segment in read_lines("Date   4 March 2026")[0].segments]
    ['Date', '4 March 2026']
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    parted = unified.replace("\t", "    ")  # a tab parts cells, wherever it would stop
    return tuple(_line(number, raw) for number, raw in enumerate(parted.split("\n")))


def _line(number: int, raw: str) -> Line:
    text = _STRAY_EDGE.sub(lambda speck: " " * len(speck.group()), raw).rstrip()
    found = _SEGMENT.finditer(text)
    segments = tuple(Segment(text=one.group(), start=one.start(), end=one.end()) for one in found)
    return Line(number=number, text=text, segments=segments)


def next_written(lines: tuple[Line, ...], after: int, *, within: int = 2) -> Line | None:
    """The next line that is not blank, at most ``within`` lines further down."""
    below = lines[after + 1 : after + 1 + within]
    return next((line for line in below if not line.is_blank), None)


def best(findings: list[Finding]) -> Finding | None:
    """The surest finding, the earliest of equals; None when there is none."""
    return min(findings, key=lambda one: (-one.confidence, one.line), default=None)

"""A document prepared for the rules: lines, the labels on them, the places they point to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from evals_pipeline.extract.invoice_layouts.labels import Label, labels_on
from evals_pipeline.extract.invoice_layouts.line_items import ItemTable, find_items
from evals_pipeline.extract.invoice_layouts.notation import Notation
from evals_pipeline.extract.invoice_layouts.page import Line, Segment, next_written, read_lines

_BESIDE_COLON, _BESIDE, _BELOW = 0.95, 0.9, 0.85
_WEAK, _INSIDE = 0.15, 0.1
_RATE = re.compile(r"\d+(?:[.,]\d+)?\s?%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a label's value may stand: a stretch of a line, with how sure the way there is."""

    label: Label
    line: Line
    start: int
    end: int
    confidence: float
    rule: str

    @property
    def is_beside(self) -> bool:
        """Whether it is the stretch behind the label on the label's own line."""
        return self.line.number == self.label.line

    @property
    def runs_on(self) -> str:
        """What follows the label without a gap on its own line, other labels included."""
        segment = self.line.segment_at(self.label.start) if self.is_beside else None
        return "" if segment is None else self.line.text[self.label.end : segment.end].strip()

    @property
    def text(self) -> str:
        """What stands there."""
        return self.line.text[self.start : self.end]


@dataclass(frozen=True)
class Sheet:
    """One document as the rules see it."""

    text: str
    notation: Notation

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All lines, blank ones included."""
        return read_lines(self.text)

    @cached_property
    def items(self) -> ItemTable:
        """The line items with the lines that they take up."""
        return find_items(self.lines, self.notation)

    @cached_property
    def labels(self) -> tuple[tuple[Label, ...], ...]:
        """The labels by line; none on the lines of the items, whose heads name columns."""
        language = self.notation.language
        return tuple(
            () if line.number in self.items.lines else tuple(labels_on(line, language))
            for line in self.lines
        )

    def labelled(self, name: str) -> Iterator[Label]:
        """The labels of a value from top to bottom."""
        return (label for on_line in self.labels for label in on_line if name in label.names)

    def places(self, name: str) -> Iterator[Place]:
        """Where the values of a name may stand: beside its labels, and below them."""
        for label in self.labelled(name):
            yield from self._places(label)

    def _places(self, label: Label) -> Iterator[Place]:
        line = self.lines[label.line]
        following = [one.start for one in self.labels[label.line] if one.start >= label.end]
        end = min(following, default=len(line.text))
        doubt = (_WEAK if label.is_weak else 0) + (0 if label.is_leading else _INSIDE)
        beside = _BESIDE_COLON if label.has_colon else _BESIDE
        yield Place(
            label=label,
            line=line,
            start=label.end,
            end=end,
            confidence=round(beside - doubt, 2),
            rule="beside its label",
        )
        below = self._below(label)
        if below is not None:
            below_line, start, stop = below
            yield Place(
                label=label,
                line=below_line,
                start=start,
                end=stop,
                confidence=round(_BELOW - doubt, 2),
                rule="below its label",
            )

    def _below(self, label: Label) -> tuple[Line, int, int] | None:
        """The cell of the next written line in the label's column, unless it has labels itself."""
        line = self.lines[label.line]
        segment = line.segment_at(label.start)
        below = next_written(self.lines, label.line)
        if segment is None or below is None:
            return None
        if re.search(r"\d", _RATE.sub("", line.text[label.end : segment.end])):
            return None
        cell = _cell_under(line, segment, below)
        if cell is None or any(
            cell.start <= one.start < cell.end for one in self.labels[below.number]
        ):
            return None
        return below, cell.start, cell.end


def _cell_under(line: Line, segment: Segment, below: Line) -> Segment | None:
    """The cell of one line under a cell of the line above: by count where both have as many."""
    if len(line.segments) == len(below.segments) > 1:
        return below.segments[line.segments.index(segment)]
    right = min((one.start for one in line.segments if one.start > segment.start), default=None)
    stop = len(below.text) if right is None else right
    return next((one for one in below.segments if segment.start - 2 <= one.start < stop), None)

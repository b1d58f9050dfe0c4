"""Lines of a document around the places of values, cut so that the marks can be seen."""

from bisect import bisect_right
from collections.abc import Sequence

from evals_pipeline.judge.places import Place
from evals_pipeline.report.html.page import Excerpt, Side, TextMark

_LONGEST_LINE = 160
_AROUND = 70
_WIDEST = 58
_LEAST_AROUND = 8


def excerpts(text: str, places: Sequence[tuple[Place, Side]]) -> tuple[Excerpt, ...]:
    """The lines around each place, one line before and after; places close by share an excerpt.

    Of a line that is far too long only the part around the place is shown.
    """
    windows: list[tuple[int, int, list[tuple[Place, Side]]]] = []
    for place, side in sorted(places, key=lambda found: found[0].start):
        start, end = _window(text, place)
        if windows and start <= windows[-1][1]:
            first, last, marked = windows[-1]
            windows[-1] = (first, max(last, end), [*marked, (place, side)])
        else:
            windows.append((start, end, [(place, side)]))
    return tuple(_excerpt(text, start, end, marked) for start, end, marked in windows)


def _window(text: str, place: Place) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, place.start) + 1
    line_end = _end_of_line(text, place.end)
    before = text.rfind("\n", 0, max(line_start - 1, 0)) + 1
    after = _end_of_line(text, min(line_end + 1, len(text)))
    start, end = (before, after) if line_start else (line_start, after)
    if any(len(line) > _LONGEST_LINE for line in text[start:end].split("\n")):
        return max(line_start, place.start - _AROUND), min(line_end, place.end + _AROUND)
    return start, end


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _excerpt(text: str, start: int, end: int, marked: Sequence[tuple[Place, Side]]) -> Excerpt:
    """The lines from ``start`` to ``end``, cut to the columns around the marks where they are wide.

    Business documents stand in columns, so a whole line would hide the mark beyond the edge.
    """
    while start < end and text[start] == "\n":
        start += 1
    lines = text[start:end].rstrip().split("\n")
    starts = [start]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    placed = [_at(place, side, starts) for place, side in marked]
    first, last = _columns(lines, placed)
    parts, marks, length = [], list[TextMark](), 0
    for number, line in enumerate(lines):
        shown = line[first:last]
        head = "…" if line[:first].strip() else ""
        for row, begin, stop, side in placed:
            low, high = max(begin, first), min(stop, last, len(line))
            at = length + len(head) + low - first
            if row == number and low < high and (not marks or at >= marks[-1].end):
                marks.append(TextMark(start=at, end=at + high - low, side=side))
        tail = "…" if len(line.rstrip()) > last else ""
        parts.append(f"{head}{shown if tail else shown.rstrip()}{tail}")
        length += len(parts[-1]) + 1
    line_number = text.count("\n", 0, start) + 1
    return Excerpt(text="\n".join(parts), line=line_number, marks=tuple(marks))


def _at(place: Place, side: Side, starts: Sequence[int]) -> tuple[int, int, int, Side]:
    """The row of a place within the lines, and its columns; a place over two lines ends on one."""
    row = bisect_right(starts, place.start) - 1
    return row, place.start - starts[row], min(place.end, starts[row + 1] - 1) - starts[row], side


def _columns(lines: Sequence[str], placed: Sequence[tuple[int, int, int, Side]]) -> tuple[int, int]:
    """The columns to show: all where they fit, else as many as fit around the marks."""
    widest = max(map(len, lines))
    indent = _indent(lines, 0, widest)
    if widest - indent <= _WIDEST:
        return indent, widest
    low, high = min(mark[1] for mark in placed), max(mark[2] for mark in placed)
    spare = max(_WIDEST - (high - low), 2 * _LEAST_AROUND)
    first = min(max(low - spare * 2 // 3, indent), max(widest - _WIDEST, 0))
    last = max(first + _WIDEST, high + _LEAST_AROUND)
    return _indent(lines, first, last), last


def _indent(lines: Sequence[str], first: int, last: int) -> int:
    """The first column from ``first`` on in which any line holds a sign."""
    shown = (line[first:last] for line in lines)
    return first + min((len(cut) - len(cut.lstrip()) for cut in shown if cut.strip()), default=0)

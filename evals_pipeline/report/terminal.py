"""Terminal output: tables that fit, and the same as plain text for pipes, logs and tests."""

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

COMPACT = (0, 1, 0, 0)
"""The padding of a table that has to be narrow."""

_UNBOUNDED = 10_000


class Fitting:
    """The first of several tables that fits the width it is shown in, else the first in paragraphs.

    A table that is too wide loses letters of its columns, the first one, the names, before all.
    Give the fullest table first, and tables with fewer columns after it. The cells are texts.
    """

    def __init__(self, *tables: Table) -> None:
        self._tables = tables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in self._tables:
            if fits(console, table, options.max_width):
                yield table
                return
        yield from _paragraphs(self._tables[0])


def fits(console: Console, table: Table, width: int) -> bool:
    """Whether a width breaks no word of a table and no line of a column that is not to be wrapped.

    The columns that may be wrapped are given their widths: the widest are narrowed first, and none
    beyond its longest word, which rich would break while there is room elsewhere.
    """
    for column in table.columns:
        column.width = None
    unbounded = console.options.update(max_width=_UNBOUNDED)
    ranges = [_range(console, unbounded, column) for column in table.columns]
    everything = Measurement.get(console, unbounded, table).maximum
    beside = everything - sum(one.maximum for one in ranges)
    if everything <= width:
        return True
    for level in range(width, 0, -1):
        widths = [max(one.minimum, min(one.maximum, level)) for one in ranges]
        if beside + sum(widths) <= width:
            for column, wide in zip(table.columns, widths, strict=True):
                column.width = wide
            return True
    return False


def _range(console: Console, options: ConsoleOptions, column: Column) -> Measurement:
    """How narrow a column may be and how wide it would be, without its padding."""
    shown = (column.header, *column.cells, column.footer)
    measured = [Measurement.get(console, options, cell) for cell in shown if cell]
    widest = max((one.maximum for one in measured), default=0)
    longest_word = max((one.minimum for one in measured), default=0)
    return Measurement(widest if column.no_wrap else longest_word, widest)


def _paragraphs(table: Table) -> Iterator[RenderableType]:
    """A row below the other: its name, then what the other columns say of it in one sentence."""
    titles = [str(column.header) for column in table.columns]
    yield Text(f"{titles[0]}:")
    rows = zip(*(column.cells for column in table.columns), strict=True)
    for row, (name, *cells) in zip(table.rows, rows, strict=True):
        yield from _paragraph(name, titles[1:], cells, style=str(row.style or ""))
    if table.show_footer:
        name, *footers = (column.footer for column in table.columns)
        yield from _paragraph(name, titles[1:], footers)


def _paragraph(
    name: RenderableType, titles: list[str], cells: list[RenderableType], *, style: str = ""
) -> Iterator[RenderableType]:
    said = [(title, " ".join(str(cell).split())) for title, cell in zip(titles, cells, strict=True)]
    sentence = ", ".join(f"{title} {cell}".lstrip() for title, cell in said if cell)
    yield Text(str(name), style=style)
    yield Padding(Text(sentence, style=style), (0, 0, 0, 2))


def as_text(renderable: RenderableType, *, width: int) -> str:
    """What a terminal of that width would show, without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"

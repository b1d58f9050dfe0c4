"""Terminal output: tables that fit, and the same as plain text for pipes, logs and tests."""

from io import StringIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table

_UNBOUNDED = 10_000


class Fitting:
    """The first of several tables that fits the width it is shown in, the last where none does.

    A table that is too wide loses letters of its columns, the first one, the names, before all.
    Give the fullest table first, and tables with fewer columns after it.
    """

    def __init__(self, *tables: Table) -> None:
        self._tables = tables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unbounded = options.update(max_width=_UNBOUNDED)
        for table in self._tables[:-1]:
            if Measurement.get(console, unbounded, table).maximum <= options.max_width:
                yield table
                return
        yield self._tables[-1]


def as_text(renderable: RenderableType, *, width: int) -> str:
    """What a terminal of that width would show, without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"

"""How commands speak: tables on standard output, progress and notes on standard error.

Colour only on a terminal, and never alone: every coloured word also says what it means.
"""

import errno
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.json_interface import versioned
from evals_pipeline.core.visible import visible_block

PIPED_WIDTH = 120


def console() -> Any:
    """A rich console on standard output: plain and of a fixed width when piped."""
    from rich.console import Console

    class PipedConsole(Console):
        def on_broken_pipe(self) -> None:
            # Rich would end the program with 1 here, which is a red gate.
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    width = None if sys.stdout.isatty() else print_width()
    return PipedConsole(width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """For printing a result whose exit status is a verdict: a closed pipe ends the printing alone.

    ``evals gate | head -1`` ends as ``evals gate`` does.
    """
    try:
        yield
    except BrokenPipeError:
        silence_output()


def silence_output() -> None:
    """Sends what is still printed nowhere, since whoever read standard output went away."""
    out, err = sys.stdout.fileno(), sys.stderr.fileno()
    streams = (out, err) if os.path.sameopenfile(out, err) else (out,)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)


def print_width() -> int:
    """The width of text that is piped or written to a file: COLUMNS, else 120."""
    stated = os.environ.get("COLUMNS", "")
    return int(stated) if stated.isdecimal() and int(stated) > 0 else PIPED_WIDTH


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """A plain table that fits the terminal; ``right`` names the right-aligned columns.

    Those, the columns in ``whole`` and the first one, the names, are never broken over lines. Where
    words would have to be broken, every row becomes a paragraph: its name, then a line a column.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from evals_pipeline.report.terminal import fits

    screen = console()
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(
            Text(column),
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column in right or column in whole or column == columns[0],
        )
    for row in rows:
        table.add_row(*(Text(visible_block(cell)) for cell in row))
    if fits(screen, table, screen.width):
        screen.print(table)
    else:
        screen.print(*_paragraphs(columns, rows, title=title), sep="\n")


def _paragraphs(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None
) -> Iterator[Any]:
    """The table's rows one below the other, for a terminal that is too narrow for its columns."""
    from rich.table import Table
    from rich.text import Text

    if title:
        yield Text(title, style="italic")
    for name, *cells in rows:
        yield Text(f"\n{columns[0]} {visible_block(name)}", style="bold")
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for column, cell in zip(columns[1:], cells, strict=True):
            if cell:
                grid.add_row(Text(f"  {column}"), Text(visible_block(cell)))
        yield grid


def print_json(value: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """A document, or a list of them, as strict, sorted JSON: each with the interface's version."""
    documents = versioned(value) if isinstance(value, Mapping) else [versioned(v) for v in value]
    click.echo(strict_json.dumps(documents, indent=2))


def say(text: str) -> None:
    """A note for the person at the terminal, on standard error, so that pipes stay clean."""
    click.echo(visible_block(text), err=True)


def write_output(text: str, output: Path | None) -> None:
    """Writes a rendering to a file, or to standard output when no file is named."""
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as error:
        message = (
            f"{output}: cannot be written ({error.strerror}). "
            "Choose another --output, or free the disk."
        )
        raise EvalsError(message) from error
    say(f"wrote {output}")


def _no_progress(done: int, planned: int) -> None:
    del done, planned


@contextmanager
def progress(label: str, total: int) -> Iterator[Any]:
    """A progress bar with an estimate on a terminal; silent when standard error is piped.

    Yields a function to call with (done, planned).
    """
    if not sys.stderr.isatty() or total == 0:
        yield _no_progress
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)

        def update(done: int, planned: int) -> None:
            bar.update(task, completed=done, total=planned)

        yield update

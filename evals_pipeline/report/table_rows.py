"""Tables of a wanted and a given side laid over one another, cell by cell, for the eye."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_LONGEST = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row of a table on both sides, cell by cell; None where the side has no such row."""

    want: tuple[str, ...] | None
    got: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Two tables laid over one another; rows of one side only come where they stand there."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def laid_over(want: str | None, got: str | None) -> Table | None:
    """The canonical texts of two tables as one; None where one of them is no table of objects.

    Rows are paired by how many of their cells are equal, the likest first. The judge pairs by the
    set's key columns; this is for the eye and decides nothing.
    """
    wanted, given = _rows_in(want), _rows_in(got)
    if wanted is None or given is None or not wanted + given:
        return None
    columns = tuple(dict.fromkeys(name for row in wanted + given for name in row))
    left = [_cells(row, columns) for row in wanted]
    right = [_cells(row, columns) for row in given]
    partner = _paired(left, right, n_same=_n_same)
    rows = [
        TableRow(want=cells, got=right[partner[place]] if place in partner else None)
        for place, cells in enumerate(left)
    ]
    extra = set(range(len(right))) - set(partner.values())
    rows += [TableRow(want=None, got=right[place]) for place in sorted(extra)]
    return Table(columns=columns, rows=tuple(rows))


def _rows_in(text: str | None) -> list[dict[str, object]] | None:
    if text is None:
        return []
    if not text.startswith("[{") or len(text) > _LONGEST:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    is_table = isinstance(value, list) and all(isinstance(row, dict) for row in value)
    return value if is_table else None


def _cells(row: dict[str, object], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple("" if row.get(name) is None else str(row[name]) for name in columns)


def _n_same(left: Sequence[str], right: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(left, right, strict=True) if a)


def _paired(
    left: Sequence[tuple[str, ...]],
    right: Sequence[tuple[str, ...]],
    *,
    n_same: Callable[[Sequence[str], Sequence[str]], int],
) -> dict[int, int]:
    """Greedy one-to-one, most equal cells first, then in the order of both sides."""
    found = sorted(
        ((n_same(a, b), -x, -y) for x, a in enumerate(left) for y, b in enumerate(right)),
        reverse=True,
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for n, x, y in found:
        if n and -x not in partner and -y not in taken:
            partner[-x] = -y
            taken.add(-y)
    return partner


def differing_cells(table: Table) -> Iterator[tuple[str, str, str]]:
    """Every cell that differs: its place, what is wanted, and what is given.

    >>> [cell for cell in differing_cells(laid_over('[{"a": "1", "b": "2"}]', '[{"a": "1"}]'))]
    [('row 1 b', '2', 'null')]
    """
    for number, row in enumerate(table.rows, start=1):
        if row.want is None:
            yield "extra row", "no row", ", ".join(cell for cell in row.got or () if cell)
        elif row.got is None:
            yield f"row {number}", ", ".join(cell for cell in row.want if cell), "no row"
        else:
            cells = zip(table.columns, row.want, row.got, strict=True)
            for column, want, got in cells:
                if want != got:
                    yield f"row {number} {column}", want or "null", got or "null"

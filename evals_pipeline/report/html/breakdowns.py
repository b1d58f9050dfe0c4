"""A golden set's figures broken down: by run, and by slice of its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evals_pipeline.report.html.page import GoldenModel
from evals_pipeline.report.numbers import UNMEASURED, share_text

_MUCH_LOWER = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One field's share in every run, and their spread."""

    field: str
    shares: tuple[float | None, ...]
    spread: float | None


def run_rows(model: GoldenModel) -> tuple[RunRow, ...]:
    """Every field over the runs, the widest spread first; none for fewer than two runs."""
    if len(model.figures.run_indices) < 2:
        return ()
    rows = [
        RunRow(field=one.field, shares=one.accuracy_by_run, spread=_spread(one.accuracy_by_run))
        for one in model.figures.fields
    ]
    return tuple(sorted(rows, key=lambda row: -(row.spread or 0.0)))


def _spread(shares: Sequence[float | None]) -> float | None:
    measured = [share for share in shares if share is not None]
    return max(measured) - min(measured) if len(measured) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """One slice: its share of right values over all fields, and per field."""

    name: str
    n_documents: int
    overall: float | None
    cells: tuple[tuple[str, bool], ...]


def slice_rows(model: GoldenModel) -> tuple[SliceRow, ...]:
    """Slices by how far they fall behind, the worst first.

    A cell is marked low where it is a tenth or more below its field's accuracy.
    """
    figures = model.figures
    overall = {one.field: one.accuracy for one in figures.fields}
    n_runs = max(len(figures.run_indices), 1)
    grouped: dict[str, dict[str, tuple[int, int]]] = {}
    for one in figures.slices:
        grouped.setdefault(one.slice, {})[one.field] = (one.correct, one.n)
    rows = [_slice_row(name, cells, overall, n_runs) for name, cells in grouped.items()]
    return tuple(sorted(rows, key=lambda row: (row.overall is None, row.overall or 0.0, row.name)))


def _slice_row(
    name: str,
    cells: Mapping[str, tuple[int, int]],
    overall: Mapping[str, float | None],
    n_runs: int,
) -> SliceRow:
    correct = sum(right for right, _ in cells.values())
    n = sum(of for _, of in cells.values())
    return SliceRow(
        name=name,
        n_documents=max((of for _, of in cells.values()), default=0) // n_runs,
        overall=correct / n if n else None,
        cells=tuple(_slice_cell(cells.get(field), share) for field, share in overall.items()),
    )


def _slice_cell(cell: tuple[int, int] | None, usual: float | None) -> tuple[str, bool]:
    if cell is None or not cell[1]:
        return UNMEASURED, False
    share = cell[0] / cell[1]
    return share_text(share), usual is not None and usual - share >= _MUCH_LOWER

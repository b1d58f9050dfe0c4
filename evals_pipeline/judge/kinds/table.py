"""Tables (line items): rows paired by their key columns, then judged cell by cell.

The pairing is the assignment with the greatest total likeness of the key columns; the other
columns only break ties between equal keys, so that a wrong amount does not move a row. Rows whose
keys have little in common stay apart: one is missing, the other invented. A key column that is
blank in both rows says nothing about whether they are the same one and is left out of the average;
where all are blank, the keys are equal. Without key columns all columns are the key. A table is
correct when every cell is, and no row is missing or left over.

A row without any value is passed over; an empty table is absence; a single object is one row.
Columns that the schema does not name are not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evals_pipeline.core.counts import counted
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.strict_json import dumps
from evals_pipeline.judge.kinds.pairing import Pairing, in_order, pair_up
from evals_pipeline.judge.kinds.protocol import (
    Canonical,
    CellMatch,
    Comparison,
    KindContext,
    Reading,
)
from evals_pipeline.judge.kinds.text import similarity_of

_LEAST_KEY = 0.5
"""Average likeness of the key columns with a value from which two rows can be the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows that hold a value: a reading for each column of the schema, and one text each."""

    readings: tuple[Mapping[str, Reading], ...]
    texts: tuple[str, ...]


class TableKind:
    """Rows of named columns."""

    name = "table"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """A JSON array of the rows' canonical cells, sorted unless their order counts."""
        steps: tuple[str, ...] = ()
        if isinstance(value, dict):
            value, steps = [value], ("a single object counts as a table of one row",)
        if not isinstance(value, list | tuple):
            return Canonical(text=None, problem=f"{str(value)[:40]} is not a list of rows")
        rows = [row for row in value if row]
        if not all(isinstance(row, dict) for row in rows):
            return Canonical(text=None, problem="a row is not an object of columns")
        read = [_read_row(row, context) for row in rows if isinstance(row, dict)]
        kept = [row for row in read if any(cell.form is not None for cell in row.values())]
        if len(kept) < len(value):
            steps += (f"{counted(len(value) - len(kept), 'row')} without a value passed over",)
        texts = [dumps({name: cell.answer for name, cell in row.items()}) for row in kept]
        shown = texts if context.spec.ordered else sorted(texts)
        return Canonical(
            text=f"[{', '.join(shown)}]",
            steps=steps,
            payload=Rows(readings=tuple(kept), texts=tuple(texts)),
        )

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Equal when every cell is correct and no row is missing or left over."""
        assert isinstance(want.payload, Rows)
        assert isinstance(got.payload, Rows)
        pairing = _pair_rows(want.payload, got.payload, context)
        cells = tuple(_cells(want.payload.readings, got.payload.readings, pairing, context))
        wrong = [cell for cell in cells if not cell.outcome.is_correct]
        if not wrong:
            return Comparison(is_equal=True, reason="every cell is equal", cells=cells)
        reason = f"{len(wrong)} of {len(cells)} cells are not right"
        if not pairing.is_complete:
            reason += "; too many rows to pair all that are not equal"
        return Comparison(is_equal=False, reason=reason, cells=cells)


def _read_row(row: Mapping[str, JsonValue], context: KindContext) -> Mapping[str, Reading]:
    """A reading for every column of the schema; a key that is missing is absent."""
    return {name: reader.read(row.get(name)) for name, reader in context.parts.items()}


def _pair_rows(want: Rows, got: Rows, context: KindContext) -> Pairing:
    if context.spec.ordered:
        return in_order(len(want.readings), len(got.readings))
    columns = tuple(context.parts)
    keys = context.spec.key or columns
    others = [name for name in columns if name not in keys]

    def likeness(row: int, column: int) -> float:
        expected, actual = want.readings[row], got.readings[column]
        key = _key_likeness(expected, actual, keys, context)
        rest = sum(_is_right(expected[name], actual[name], name, context) for name in others)
        # The rest together weighs less than any step that a key's likeness can take and matter.
        return key + 1e-4 * rest / max(len(others), 1)

    return pair_up(
        want.texts,
        got.texts,
        likeness,
        least=_LEAST_KEY,
        keys=(_key_texts(want, keys), _key_texts(got, keys)),
    )


def _key_likeness(
    want: Mapping[str, Reading],
    got: Mapping[str, Reading],
    keys: Sequence[str],
    context: KindContext,
) -> float:
    """The mean over the key columns with a value in either row; 1 where none has one."""
    told = [name for name in keys if not (want[name].form is None and got[name].form is None)]
    if not told:
        return 1.0
    return sum(_likeness(want[name], got[name], name, context) for name in told) / len(told)


def _key_texts(rows: Rows, keys: Sequence[str]) -> list[str]:
    return [dumps([row[name].answer for name in keys]) for row in rows.readings]


def _is_right(want: Reading, got: Reading, name: str, context: KindContext) -> bool:
    return context.parts[name].judge(want, got).outcome.is_correct


def _likeness(want: Reading, got: Reading, name: str, context: KindContext) -> float:
    """1 for a cell that is right, else how similar the canonical texts are, below 1."""
    if _is_right(want, got, name, context):
        return 1.0
    if want.text is None or got.text is None:
        return 0.0
    return 0.9 * similarity_of(want.text, got.text)


def _cells(
    want: Sequence[Mapping[str, Reading]],
    got: Sequence[Mapping[str, Reading]],
    pairing: Pairing,
    context: KindContext,
) -> list[CellMatch]:
    cells: list[CellMatch] = []
    for row, column in pairing.pairs:
        for name, reader in context.parts.items():
            verdict = reader.judge(want[row][name], got[column][name])
            cells.append(
                CellMatch(
                    row=row,
                    column=name,
                    outcome=verdict.outcome,
                    want=want[row][name].answer,
                    got=verdict.got.answer,
                    reason=verdict.reason,
                )
            )
    for row in pairing.only_want:
        cells += _lone_cells(row, want[row], FieldOutcome.MISSED)
    for position in pairing.only_got:
        cells += _lone_cells(None, got[position], FieldOutcome.INVENTED)
    return cells


def _lone_cells(
    row: int | None, cells: Mapping[str, Reading], outcome: FieldOutcome
) -> list[CellMatch]:
    """The cells of a row without a counterpart; those without a value are no mistakes."""
    is_missed = outcome is FieldOutcome.MISSED
    return [
        CellMatch(
            row=row,
            column=name,
            outcome=outcome,
            want=cell.answer if is_missed else None,
            got=None if is_missed else cell.answer,
        )
        for name, cell in cells.items()
        if cell.form is not None
    ]

"""Lists: every item once, in any order, or in order where the schema says ``ordered``.

A repeated item counts as often as it stands there. Items that are null or blank hold no value and
are passed over; a single value that is not in a list is a list of one. An empty list is absence.
"""

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
    PartReader,
    Reading,
)
from evals_pipeline.judge.kinds.reader import ITEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items that hold a value, in the order given."""

    readings: tuple[Reading, ...]


class ListKind:
    """Several values of one kind."""

    name = "list"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """A JSON array of the items' canonical texts, sorted unless their order counts."""
        steps: tuple[str, ...] = ()
        if isinstance(value, dict):
            return Canonical(text=None, problem="an object is not a list")
        if not isinstance(value, list | tuple):
            value, steps = [value], ("a single value counts as a list of one",)
        read = [context.parts[ITEM].read(item) for item in value]
        kept = tuple(reading for reading in read if reading.form is not None)
        if len(kept) < len(read):
            steps += (f"{counted(len(read) - len(kept), 'item')} without a value passed over",)
        answers = [reading.answer for reading in kept]
        if not context.spec.ordered:
            answers.sort()
        return Canonical(text=dumps(answers), steps=steps, payload=Items(readings=kept))

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Equal when every item has its counterpart and none is left over."""
        assert isinstance(want.payload, Items)
        assert isinstance(got.payload, Items)
        reader, expected, actual = context.parts[ITEM], want.payload.readings, got.payload.readings
        if context.spec.ordered:
            pairing = in_order(len(expected), len(actual))
        else:
            pairing = _in_any_order(expected, actual, reader)
        cells = _cells(expected, actual, pairing, reader)
        wrong = [cell for cell in cells if not cell.outcome.is_correct]
        reason = f"{len(wrong)} of {len(cells)} items are not right" if wrong else None
        if not pairing.is_complete:
            reason = f"{reason}; too many items to pair all that are not equal"
        return Comparison(is_equal=not wrong, reason=reason, cells=cells)


def _in_any_order(
    want: tuple[Reading, ...], got: tuple[Reading, ...], reader: PartReader
) -> Pairing:
    def likeness(row: int, column: int) -> float:
        return float(reader.judge(want[row], got[column]).outcome.is_correct)

    return pair_up(
        [reading.answer for reading in want],
        [reading.answer for reading in got],
        likeness,
        least=1.0,
    )


def _cells(
    want: tuple[Reading, ...], got: tuple[Reading, ...], pairing: Pairing, reader: PartReader
) -> tuple[CellMatch, ...]:
    cells = [_cell(row, want[row], got[column], reader) for row, column in pairing.pairs]
    cells += [
        CellMatch(row=row, column="", outcome=FieldOutcome.MISSED, want=want[row].answer, got=None)
        for row in pairing.only_want
    ]
    cells += [
        CellMatch(
            row=None, column="", outcome=FieldOutcome.INVENTED, want=None, got=got[column].answer
        )
        for column in pairing.only_got
    ]
    return tuple(cells)


def _cell(row: int, want: Reading, got: Reading, reader: PartReader) -> CellMatch:
    verdict = reader.judge(want, got)
    return CellMatch(
        row=row,
        column="",
        outcome=verdict.outcome,
        want=want.answer,
        got=verdict.got.answer,
        reason=verdict.reason,
    )

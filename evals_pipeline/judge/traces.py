"""The steps of a comparison as lines that a person reads, from both values to the outcome."""

from collections.abc import Iterator, Sequence

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.judge.kinds.protocol import CellMatch, Reading, Verdict

MOST_CELLS = 40
"""Wrong cells that a trace lists; the rest is counted."""

_LONGEST = 300


def trace_of(readings: Sequence[Reading], verdict: Verdict, matched: int | None) -> tuple[str, ...]:
    """How the label's readings and the extracted value were read, and what decided.

    Args:
        readings: The accepted readings of the label.
        verdict: The outcome against the best of them.
        matched: The position of the reading that matched, from 0; None where none did.
    """
    lines: list[str] = []
    for number, reading in enumerate(readings):
        if matched is None or matched == number:
            side = "want" if len(readings) == 1 else f"want {number + 1} of {len(readings)}"
            lines += _side_lines(side, reading)
    lines += _side_lines("got", verdict.got)
    lines += _cell_lines(verdict.cells)
    lines.append(_verdict_line(verdict))
    return tuple(lines)


def _side_lines(side: str, reading: Reading) -> Iterator[str]:
    if reading.form is None:
        yield f"{side}: absent"
        return
    raw = _short(reading.raw)
    if reading.form.text is None:
        yield f"{side}: {raw}"
    elif reading.raw.strip('"') == reading.form.text:
        yield f"{side}: {_short(reading.form.text)}"
    else:
        yield f"{side}: {raw} is {_short(reading.form.text)}"
    for step in reading.form.steps:
        yield f"{side}: {_short(step)}"
    if reading.form.problem:
        yield f"{side}: {_short(reading.form.problem)}"


def _cell_lines(cells: Sequence[CellMatch]) -> Iterator[str]:
    wrong = [cell for cell in cells if not cell.outcome.is_correct]
    for cell in wrong[:MOST_CELLS]:
        place = "extra row" if cell.row is None else f"row {cell.row + 1}"
        if not cell.column:
            place = place.replace("row", "item")
        name = f"{place}, {cell.column}" if cell.column else place
        why = f": {cell.reason}" if cell.reason else ""
        want, got = _short(cell.want or "null"), _short(cell.got or "null")
        yield f"{name}: {cell.outcome.value}, want {want}, got {got}{why}"
    if len(wrong) > MOST_CELLS:
        yield f"and {len(wrong) - MOST_CELLS} more"


def _verdict_line(verdict: Verdict) -> str:
    match verdict.outcome:
        case FieldOutcome.MISSED:
            return "missed: a value is labelled, none was extracted"
        case FieldOutcome.INVENTED:
            return "invented: the label says absent, a value was extracted"
        case FieldOutcome.CORRECT_NULL:
            return "correct: absent on both sides"
        case FieldOutcome.UNREADABLE:
            return f"unreadable: {_short(verdict.reason or 'no canonical form')}"
        case outcome:
            why = f": {_short(verdict.reason)}" if verdict.reason else ""
            return f"{outcome.value}{why}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

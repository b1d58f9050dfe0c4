"""Compares values of one field under one convention; every distinct pair of them once."""

from collections.abc import Sequence
from typing import NamedTuple

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.judge.kinds.protocol import CellMatch, Reading, Side, Verdict
from evals_pipeline.judge.kinds.reader import ValueReader, make_reader, raw_text
from evals_pipeline.judge.traces import trace_of

_SPELLED_ABSENCE = frozenset({"n/a", "na", "none", "null", "nil", "-", "--", "not available"})


class FieldComparison(NamedTuple):
    """One extracted value against the accepted readings of its label.

    ``want`` and ``got`` are canonical texts, None where absent; a value without a canonical form
    shows as it was given. ``answer`` is what disagreement compares. ``reading`` is the position,
    from 0, of the accepted reading that matched. ``cells`` are the judged cells of a table or items
    of a list, empty for other kinds. How the two were read is not kept, as hardly anybody asks:
    ``trace`` reads ``label`` and ``value`` again, by ``sides``.
    """

    outcome: FieldOutcome
    want: str | None
    got: str | None
    want_raw: str
    got_raw: str
    answer: str
    reading: int | None
    note: str | None
    cells: tuple[CellMatch, ...]
    label: Sequence[JsonValue]
    value: JsonValue
    sides: "Sides"

    @property
    def is_right(self) -> bool:
        """True for the two outcomes that count as right."""
        return self.outcome in _RIGHT

    @property
    def trace(self) -> tuple[str, ...]:
        """How both sides were read and what decided, a line each."""
        wants = self.sides.read_label(self.label)
        verdicts = self.sides.judge(wants, self.sides.read_value(self.value))
        return trace_of(wants, verdicts[_best_of(verdicts)], self.reading)


class Sides:
    """What reads the labels and the extracted values of one field under one convention."""

    def __init__(self, spec: FieldSpec, convention: SourceConvention) -> None:
        self.labels: ValueReader = make_reader(spec, convention, Side.LABEL)
        self.extracted: ValueReader = make_reader(spec, convention, Side.EXTRACTED)

    # Neither reads from its cache: what is kept is the comparison, and its sides are hardly met in
    # another one.
    def read_label(self, label: Sequence[JsonValue]) -> list[Reading]:
        """The accepted readings of a label."""
        read = self.labels.read_anew
        return [read(reading) for reading in label]

    def read_value(self, value: JsonValue) -> Reading:
        """An extracted value."""
        return self.extracted.read_anew(value)

    def judge(self, wants: Sequence[Reading], got: Reading) -> list[Verdict]:
        """The verdict against each of the label's readings."""
        return [self.extracted.judge(want, got) for want in wants]


class FieldComparer:
    """Compares the values of one field under one convention; keeps what it has compared."""

    def __init__(self, spec: FieldSpec, convention: SourceConvention) -> None:
        self.spec = spec
        self.sides = Sides(spec, convention)
        self._compared: dict[object, FieldComparison] = {}

    def compare(self, label: Sequence[JsonValue], value: JsonValue) -> FieldComparison:
        """``value`` against the accepted readings of ``label``, worked out at most once."""
        only = label[0] if len(label) == 1 else None
        key = (
            only if type(only) is str else _keys(label),
            value if type(value) is str else _key(value),
        )
        comparison = self._compared.get(key)
        if comparison is None:
            comparison = self._compared[key] = _compare(label, value, self.sides)
        return comparison

    @property
    def n_kept(self) -> int:
        """How many canonical forms and comparisons are kept."""
        return len(self._compared) + self.sides.labels.n_kept + self.sides.extracted.n_kept


def _compare(label: Sequence[JsonValue], value: JsonValue, sides: Sides) -> FieldComparison:
    if len(label) > 1:
        return _judged(label, value, sides, sides.read_label(label), sides.read_value(value))
    want_raw, want_form = raw_text(label[0]), sides.labels.form_of(label[0])
    got_raw, text = raw_text(value), want_form and want_form.text
    # Written exactly as the label is, it reads as the label does; else it is read on its own.
    is_same = text is not None and want_raw == got_raw
    got_form = want_form if is_same else sides.extracted.form_of(value)
    if text is not None and got_form is not None and text == got_form.text:
        # What the judge would say too; most values end here, and need no verdict to be written.
        return FieldComparison(
            FieldOutcome.CORRECT, text, text, want_raw, got_raw, text, 0, None, (),
            label, value, sides,
        )  # fmt: skip
    wants, got = [Reading(want_raw, want_form)], Reading(got_raw, got_form)
    return _judged(label, value, sides, wants, got)


def _judged(
    label: Sequence[JsonValue],
    value: JsonValue,
    sides: Sides,
    wants: Sequence[Reading],
    got: Reading,
) -> FieldComparison:
    verdicts = sides.judge(wants, got)
    best = _best_of(verdicts)
    verdict = verdicts[best]
    is_right = verdict.outcome in _RIGHT
    return FieldComparison(
        outcome=verdict.outcome,
        want=_either([wants[best]] if is_right else wants),
        got=_shown(verdict.got),
        want_raw=wants[0].raw if len(wants) == 1 else raw_text({"any": list(label)}),
        got_raw=got.raw,
        answer=verdict.got.answer,
        reading=best if is_right else None,
        note=None if is_right else _note(verdict, got),
        cells=verdict.cells,
        label=label,
        value=value,
        sides=sides,
    )


def _either(readings: Sequence[Reading]) -> str | None:
    if len(readings) == 1:
        return _shown(readings[0])
    return " | ".join(_shown(reading) or "null" for reading in readings)


_RIGHT = frozenset({FieldOutcome.CORRECT, FieldOutcome.CORRECT_NULL})
_RANKS = {
    FieldOutcome.CORRECT: 0,
    FieldOutcome.CORRECT_NULL: 0,
    FieldOutcome.WRONG: 1,
    FieldOutcome.UNREADABLE: 1,
    FieldOutcome.MISSED: 2,
    FieldOutcome.INVENTED: 3,
}


def _best_of(verdicts: Sequence[Verdict]) -> int:
    return min(range(len(verdicts)), key=lambda position: _rank(verdicts[position]))


def _rank(verdict: Verdict) -> tuple[int, int]:
    """The best verdict first: right, else against a reading with a value, with fewest bad cells.

    The first reading of equal rank decides.
    """
    n_wrong = sum(1 for cell in verdict.cells if not cell.outcome.is_correct)
    return _RANKS[verdict.outcome], n_wrong


def _shown(reading: Reading) -> str | None:
    raw, form = reading
    if form is None:
        return None
    return raw.strip('"') if form.text is None else form.text


def _note(verdict: Verdict, got: Reading) -> str | None:
    if got.raw[1:-1].strip().casefold() in _SPELLED_ABSENCE:
        return "a word for absence is a value here; absent is null, a missing key or a blank"
    return verdict.reason if verdict.outcome is FieldOutcome.UNREADABLE else None


def _key(value: JsonValue) -> object:
    """Equal for values that are the same JSON, type and digits included."""
    if value is None or type(value) is str:
        return value
    return type(value), raw_text(value)


def _keys(readings: Sequence[JsonValue]) -> tuple[object, ...]:
    return (len(readings), *map(_key, readings))

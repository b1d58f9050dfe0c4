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
    from 0, of the accepted reading that matched.
    """

    outcome: FieldOutcome
    want: str | None
    got: str | None
    want_raw: str
    got_raw: str | None
    answer: str
    reading: int | None
    note: str | None
    readings: tuple[Reading, ...]
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        """True for the two outcomes that count as right."""
        return self.outcome in _RIGHT

    @property
    def cells(self) -> tuple[CellMatch, ...]:
        """The judged cells of a table or items of a list; empty for other kinds."""
        return self.verdict.cells

    @property
    def trace(self) -> tuple[str, ...]:
        """How both sides were read and what decided, a line each."""
        return trace_of(self.readings, self.verdict, self.reading)


class FieldComparer:
    """Compares the values of one field under one convention; keeps what it has compared."""

    def __init__(self, spec: FieldSpec, convention: SourceConvention) -> None:
        self.spec = spec
        self.labels: ValueReader = make_reader(spec, convention, Side.LABEL)
        self.extracted: ValueReader = make_reader(spec, convention, Side.EXTRACTED)
        self._compared: dict[object, FieldComparison] = {}

    def compare(self, readings: Sequence[JsonValue], value: JsonValue) -> FieldComparison:
        """The comparison of ``value`` with the accepted ``readings``, worked out at most once."""
        label = readings[0] if len(readings) == 1 else None
        key = (
            label if type(label) is str else _keys(readings),
            value if type(value) is str else _key(value),
        )
        comparison = self._compared.get(key)
        if comparison is None:
            comparison = self._compared[key] = self._compare(readings, value)
        return comparison

    @property
    def n_kept(self) -> int:
        """How many canonical forms and comparisons are kept."""
        return len(self._compared) + self.labels.n_kept + self.extracted.n_kept

    def _compare(self, readings: Sequence[JsonValue], value: JsonValue) -> FieldComparison:
        # What is kept is the comparison; its two sides are hardly met in another one.
        got = self.extracted.read_anew(value)
        if len(readings) == 1:
            want = self.labels.read_anew(readings[0])
            verdict = self.extracted.judge(want, got)
            return _comparison((want,), verdict, 0, want=_shown(want), want_raw=want.raw, got=got)
        wants = tuple(map(self.labels.read_anew, readings))
        verdicts = [self.extracted.judge(want, got) for want in wants]
        best = min(range(len(verdicts)), key=lambda position: _rank(verdicts[position]))
        shown = [wants[best]] if verdicts[best].outcome.is_correct else wants
        return _comparison(
            wants,
            verdicts[best],
            best,
            want=_shown(shown[0])
            if len(shown) == 1
            else " | ".join(_shown(want) or "null" for want in shown),
            want_raw=raw_text({"any": list(readings)}),
            got=got,
        )


def _comparison(
    readings: tuple[Reading, ...],
    verdict: Verdict,
    best: int,
    *,
    want: str | None,
    want_raw: str,
    got: Reading,
) -> FieldComparison:
    counted = verdict.got
    is_right = verdict.outcome in _RIGHT
    return FieldComparison(
        outcome=verdict.outcome,
        want=want,
        got=_shown(counted),
        want_raw=want_raw,
        got_raw=got.raw,
        answer=counted.answer,
        reading=best if is_right else None,
        note=None if is_right else _note(verdict, got),
        readings=readings,
        verdict=verdict,
    )


_RIGHT = frozenset({FieldOutcome.CORRECT, FieldOutcome.CORRECT_NULL})
_RANKS = {
    FieldOutcome.CORRECT: 0,
    FieldOutcome.CORRECT_NULL: 0,
    FieldOutcome.WRONG: 1,
    FieldOutcome.UNREADABLE: 1,
    FieldOutcome.MISSED: 2,
    FieldOutcome.INVENTED: 3,
}


def _rank(verdict: Verdict) -> tuple[int, int]:
    """The best verdict first: right, else against a reading with a value, with fewest bad cells.

    The first reading of equal rank decides.
    """
    n_wrong = sum(1 for cell in verdict.cells if not cell.outcome.is_correct)
    return _RANKS[verdict.outcome], n_wrong


def _shown(reading: Reading) -> str | None:
    if reading.form is None or reading.form.text is not None:
        return reading.text
    return reading.raw.strip('"')


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

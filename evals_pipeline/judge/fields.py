"""Judges field values against labels: one outcome per field, document and run, with its trace.

Every distinct value is read once per field and convention, every distinct pair judged once; traces
are written only when somebody looks at them. So a million comparisons take seconds, and a thousand
misses still say why.
"""

from collections.abc import Sequence
from typing import NamedTuple

from evals_pipeline.core.absence import presence_of
from evals_pipeline.core.outcomes import ExtractionStatus, FieldOutcome, Presence
from evals_pipeline.core.records import (
    Extraction,
    FieldMatch,
    FieldSpec,
    FieldValue,
    GoldenDocument,
    JsonValue,
    SourceConvention,
)
from evals_pipeline.judge.kinds.protocol import CellMatch, Reading, Side, Verdict
from evals_pipeline.judge.kinds.reader import ValueReader, make_reader, raw_text
from evals_pipeline.judge.lookback import DocumentText
from evals_pipeline.judge.traces import trace_of

_MOST_KEPT = 200_000
"""Canonical forms and comparisons that one judge keeps, about 200 MB; past that it starts again."""

_CHECKED_EVERY = 10_000
_KEY_MISSING = FieldValue(value=None, presence=Presence.KEY_MISSING)
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
        got = self.extracted.read(value)
        if len(readings) == 1:
            want = self.labels.read(readings[0])
            verdict = self.extracted.judge(want, got)
            return _comparison((want,), verdict, 0, want=_shown(want), want_raw=want.raw, got=got)
        wants = tuple(map(self.labels.read, readings))
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


class FieldJudge:
    """Judges documents; one object for a whole set, so that what was read once stays read."""

    def __init__(self) -> None:
        self._comparers: dict[tuple[int, SourceConvention], FieldComparer] = {}
        self._of_fields: dict[
            tuple[int, SourceConvention], tuple[Sequence[FieldSpec], list[FieldComparer]]
        ] = {}
        self._n_until_check = _CHECKED_EVERY

    def comparer(self, spec: FieldSpec, convention: SourceConvention) -> FieldComparer:
        """What compares one field's values under one convention.

        Raises:
            UnknownNameError: No kind has the name that the field states.
            InputError: The declared locale does not exist.
        """
        # By identity, because a spec holds mappings; the comparer keeps the spec alive.
        key = (id(spec), convention)
        comparer = self._comparers.get(key)
        if comparer is None:
            comparer = self._comparers[key] = FieldComparer(spec, convention)
        self._bound_memory(1)
        return comparer

    def _bound_memory(self, n_compared: int) -> None:
        self._n_until_check -= n_compared
        if self._n_until_check > 0:
            return
        self._n_until_check = _CHECKED_EVERY
        if sum(comparer.n_kept for comparer in self._comparers.values()) > _MOST_KEPT:
            self._comparers.clear()
            self._of_fields.clear()

    def compare(
        self,
        spec: FieldSpec,
        readings: Sequence[JsonValue],
        got: FieldValue | None,
        *,
        convention: SourceConvention,
    ) -> FieldComparison:
        """One extracted value against the accepted readings of its label; None: no such key."""
        return self.comparer(spec, convention).compare(readings, (got or _KEY_MISSING).value)

    def judge_document(
        self,
        fields: Sequence[FieldSpec],
        document: GoldenDocument,
        extraction: Extraction,
        *,
        text: str | None = None,
        with_trace: bool = True,
    ) -> list[FieldMatch]:
        """Every field of one document in one run, in the order of ``fields``.

        Args:
            fields: The set's schema.
            document: The labels and the conventions of the document's source.
            extraction: What was extracted; a status other than ok makes every field an error.
            text: The document's text, for looking back whether a missed value stands in it.
            with_trace: Whether misses carry their trace; what is correct carries none.
        """
        comparers = self._comparers_of(fields, document.convention)
        if extraction.status is not ExtractionStatus.OK:
            return [_error(comparer, document, extraction) for comparer in comparers]
        looked_in = DocumentText(text) if text is not None else None
        return [
            _match(
                comparer,
                document,
                extraction,
                text=looked_in,
                with_trace=with_trace,
            )
            for comparer in comparers
        ]

    def _comparers_of(
        self, fields: Sequence[FieldSpec], convention: SourceConvention
    ) -> list[FieldComparer]:
        self._bound_memory(len(fields))
        key = (id(fields), convention)
        kept = self._of_fields.get(key)
        if kept is None:
            kept = fields, [self.comparer(spec, convention) for spec in fields]
            self._of_fields[key] = kept
        return kept[1]


def _match(
    comparer: FieldComparer,
    document: GoldenDocument,
    extraction: Extraction,
    *,
    text: DocumentText | None,
    with_trace: bool,
) -> FieldMatch:
    name = comparer.spec.name
    got = extraction.fields.get(name, _KEY_MISSING)
    comparison = comparer.compare(document.labels[name], got.value)
    presence = got.presence
    if presence is Presence.VALUE and comparison.verdict.got.form is None:
        presence = presence_of(got.value)
    is_miss = comparison.outcome not in _RIGHT
    return FieldMatch(
        fixture_id=document.fixture.fixture_id,
        document=document.fixture.name,
        run_index=extraction.run_index,
        field=name,
        kind=comparer.spec.kind,
        outcome=comparison.outcome,
        want=comparison.want,
        got=comparison.got,
        want_raw=comparison.want_raw,
        got_raw=None if presence is Presence.KEY_MISSING else comparison.got_raw,
        presence=presence,
        answer=comparison.answer,
        confidence=got.confidence,
        reading=comparison.reading,
        trace=comparison.trace if with_trace and is_miss else (),
        in_document=_look_back(comparer, comparison, text) if text and is_miss else None,
        note=comparison.note or got.note,
    )


def _look_back(
    comparer: FieldComparer, comparison: FieldComparison, text: DocumentText
) -> bool | None:
    """Whether the value in question stands in the document: the extracted one, else the label's."""
    got = comparison.verdict.got
    if got.form is not None:
        return text.holds(got, comparer.extracted)
    return text.holds(comparison.readings[0], comparer.extracted)


def _error(comparer: FieldComparer, document: GoldenDocument, extraction: Extraction) -> FieldMatch:
    name = comparer.spec.name
    # The label alone: what the value would have been compared with.
    label = comparer.compare(document.labels[name], None)
    return FieldMatch(
        fixture_id=document.fixture.fixture_id,
        document=document.fixture.name,
        run_index=extraction.run_index,
        field=name,
        kind=comparer.spec.kind,
        outcome=FieldOutcome.ERROR,
        want=label.want,
        got=None,
        want_raw=label.want_raw,
        got_raw=None,
        presence=None,
        answer=None,
        note=f"{extraction.status.value}: {extraction.reason or 'no reason was given'}",
    )


_SHARED = FieldJudge()


def judge_document(
    fields: Sequence[FieldSpec],
    document: GoldenDocument,
    extraction: Extraction,
    *,
    text: str | None = None,
    with_trace: bool = True,
    judge: FieldJudge | None = None,
) -> list[FieldMatch]:
    """Every field of one document in one run; see ``FieldJudge.judge_document``."""
    return (judge or _SHARED).judge_document(
        fields, document, extraction, text=text, with_trace=with_trace
    )


def compare_values(
    spec: FieldSpec,
    want_readings: Sequence[JsonValue],
    got: FieldValue | None,
    *,
    convention: SourceConvention,
    judge: FieldJudge | None = None,
) -> FieldComparison:
    """One extracted value against its label's accepted readings; see ``FieldJudge.compare``."""
    return (judge or _SHARED).compare(spec, want_readings, got, convention=convention)

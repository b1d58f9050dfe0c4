"""Judges field values against labels: one outcome per field, document and run, with its trace.

Every distinct value is read once per field and convention, every distinct pair judged once; traces
are written only when somebody looks at them. So a million comparisons take seconds, and a thousand
misses still say why.
"""

from collections.abc import Sequence

from evals_pipeline.core.absence import presence_of
from evals_pipeline.core.outcomes import ExtractionStatus, FieldOutcome, Presence
from evals_pipeline.core.records import FieldSpec, GoldenDocument, JsonValue, SourceConvention
from evals_pipeline.core.run_records import Extraction, FieldMatch, FieldValue
from evals_pipeline.judge.comparing import FieldComparer, FieldComparison
from evals_pipeline.judge.lookback import DocumentText

MOST_KEPT = 200_000
"""Canonical forms and comparisons that one judge keeps, about 200 MB; past that it starts again."""

_KEY_MISSING = FieldValue(value=None, presence=Presence.KEY_MISSING)


class FieldJudge:
    """Judges documents; one object for a whole set, so that what was read once stays read."""

    def __init__(self, *, most_kept: int = MOST_KEPT) -> None:
        self._most_kept = most_kept
        self._checked_every = max(1, most_kept // 20)
        self._n_until_check = self._checked_every
        self._comparers: dict[tuple[int, SourceConvention], FieldComparer] = {}
        self._of_fields: dict[
            tuple[int, SourceConvention], tuple[Sequence[FieldSpec], list[FieldComparer]]
        ] = {}

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

    @property
    def n_kept(self) -> int:
        """How many canonical forms and comparisons are kept."""
        return sum(comparer.n_kept for comparer in self._comparers.values())

    def _bound_memory(self, n_compared: int) -> None:
        self._n_until_check -= n_compared
        if self._n_until_check > 0:
            return
        self._n_until_check = self._checked_every
        if self.n_kept > self._most_kept:
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
    spec, fixture = comparer.spec, document.fixture
    name = spec.name
    got = extraction.fields.get(name, _KEY_MISSING)
    comparison = comparer.compare(document.labels[name], got.value)
    presence = got.presence
    if presence is Presence.VALUE and not comparison.answer:
        presence = presence_of(got.value)
    is_miss = comparison.reading is None
    got_raw = None if presence is Presence.KEY_MISSING else comparison.got_raw
    trace = comparison.trace if with_trace and is_miss else ()
    in_document = _look_back(comparer, comparison, text) if text and is_miss else None
    # By position, because to name seventeen values takes as long again as to make the record.
    return FieldMatch(
        fixture.fixture_id, fixture.name, extraction.run_index, name, spec.kind,
        comparison.outcome, comparison.want, comparison.got, comparison.want_raw, got_raw,
        presence, comparison.answer, got.confidence, comparison.reading, trace, in_document,
        comparison.note or got.note,
    )  # fmt: skip


def _look_back(
    comparer: FieldComparer, comparison: FieldComparison, text: DocumentText
) -> bool | None:
    """Whether the value in question stands in the document: the extracted one, else the label's."""
    sides = comparer.sides
    got = sides.read_value(comparison.value)
    looked_for = got if got.form is not None else sides.read_label(comparison.label)[0]
    return text.holds(looked_for, sides.extracted)


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

"""Counts one field over documents and runs, holding one cell per document and none per match.

A set of 100,000 documents has millions of matches; they stream through here, and what stays is
three small numbers and one answer per document, besides the misses, which are kept on purpose.
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from evals_pipeline.core.absence import is_absent
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ConfidencePair, DocumentTally, Miss
from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.label_history import corrections_of, labeller_of
from evals_pipeline.core.outcomes import FieldOutcome, Presence
from evals_pipeline.core.records import FieldSpec, GoldenDocument, JsonValue
from evals_pipeline.core.run_records import FieldMatch
from evals_pipeline.core.strict_json import dumps

LABEL_DIGEST_LENGTH = 16
_LONG_ANSWER = 48
_NOT_STORED = "nothing is stored for this document in this run"


class LabelPresence(StrEnum):
    """Whether a label states a value, an absence, or accepts both."""

    VALUE = "value"
    ABSENT = "absent"
    EITHER = "either"


def label_presence(readings: Sequence[JsonValue]) -> LabelPresence:
    """What a label's accepted readings say of the field being there."""
    absences = [is_absent(reading) for reading in readings]
    if all(absences):
        return LabelPresence.ABSENT
    return LabelPresence.EITHER if any(absences) else LabelPresence.VALUE


def label_digest(readings: Sequence[JsonValue]) -> str:
    """What a baseline keeps of a label, so that a later gate sees that it changed."""
    return digest_of(list(readings))[:LABEL_DIGEST_LENGTH]


class FieldTally:
    """The counts of one field; ``add`` each match once, in any order, then ``close``."""

    def __init__(self, spec: FieldSpec, documents: Sequence[GoldenDocument], n_runs: int) -> None:
        self.spec = spec
        self.n_runs = n_runs
        self.outcomes: Counter[FieldOutcome] = Counter()
        self.correct_by_run = [0] * n_runs
        self.misses: list[Miss] = []
        self.value_correct = 0
        self.n_left_out = 0
        self.presence = [label_presence(document.labels[spec.name]) for document in documents]
        self._documents = documents
        self._correct = array("I", [0]) * len(documents)
        self._valid = array("I", [0]) * len(documents)
        self._answers: list[str | bytes | None] = [None] * len(documents)
        self._differs = bytearray(len(documents))
        self._seen = bytearray(len(documents) * n_runs)
        self._confidences = array("d")
        self._confident_and_right = bytearray()

    def add(self, match: FieldMatch, *, document: int, run: int) -> None:
        """Counts one match; ``document`` and ``run`` are positions, not ids."""
        cell = document * self.n_runs + run
        if self._seen[cell]:
            raise RefusedError(
                f"{match.field} of {match.document} is judged twice in run {match.run_index}; "
                "expected once. Judge the run again."
            )
        self._seen[cell] = 1
        self.outcomes[match.outcome] += 1
        is_correct = match.outcome.is_correct
        if is_correct:
            self._correct[document] += 1
            self.correct_by_run[run] += 1
            self.value_correct += self.presence[document] is LabelPresence.VALUE
        else:
            self.misses.append(_miss(match, self._documents[document]))
        if match.answer is not None:
            self._compare(match.answer, document)
            self._note_confidence(match, is_correct=is_correct)

    def close(self, run_indices: Sequence[int]) -> None:
        """Counts every planned document and run that no match came for as an error."""
        position = self._seen.find(0)
        while position >= 0:
            document, run = divmod(position, self.n_runs)
            self.outcomes[FieldOutcome.ERROR] += 1
            self.misses.append(self._unstored(document, run_indices[run]))
            position = self._seen.find(0, position + 1)
        self.misses.sort(key=lambda miss: (miss.document, miss.fixture_id, miss.run_index))

    def correct_of(self, documents: Sequence[int]) -> int:
        """How many matches of these documents were correct, over all runs."""
        return sum(map(self._correct.__getitem__, documents))

    @property
    def correct(self) -> int:
        """How many matches were correct, over all documents and runs."""
        return sum(self.correct_by_run)

    @property
    def n(self) -> int:
        """The planned documents times the runs."""
        return len(self._documents) * self.n_runs

    @property
    def n_compared(self) -> int:
        """Documents with at least two valid runs, which is what can disagree."""
        return sum(1 for valid in self._valid if valid > 1)

    @property
    def n_disagreeing(self) -> int:
        """Documents whose valid runs do not all give the same canonical answer."""
        return sum(self._differs)

    def n_labelled(self, presence: LabelPresence) -> int:
        """How many matches were planned on labels that state a value, an absence, or either."""
        return sum(1 for found in self.presence if found is presence) * self.n_runs

    def lone_wrong_document(self) -> GoldenDocument | None:
        """The one document that holds every miss and is wrong in each of its valid runs.

        None when misses lie on several documents, or come and go on one; runs without an
        extraction say nothing about the label and are left aside. None too for a single miss: one
        answer that is wrong once is no reason to doubt what a person read.
        """
        misses = [miss for miss in self.misses if miss.outcome is not FieldOutcome.ERROR]
        wrong = {miss.fixture_id for miss in misses}
        if len(wrong) != 1 or len(misses) == 1 or len(self._documents) == 1:
            return None
        place = next(
            place
            for place, document in enumerate(self._documents)
            if document.fixture.fixture_id in wrong
        )
        return self._documents[place] if not self._correct[place] else None

    def document_tallies(self) -> tuple[DocumentTally, ...]:
        """Per document, how often the field was right, in the order of the set."""
        absent = label_digest((None,))  # most labels that repeat are absences
        return tuple(
            DocumentTally(
                fixture_id=document.fixture.fixture_id,
                document=document.fixture.name,
                correct=correct,
                n=self.n_runs,
                gold_digest=absent if readings == (None,) else label_digest(readings),
            )
            for document, readings, correct in zip(
                self._documents, self._readings(), self._correct, strict=True
            )
        )

    def confidence_pairs(self) -> Iterator[ConfidencePair]:
        """Stated confidences with whether the answer was right, in the order they came."""
        for confidence, is_correct in zip(
            self._confidences, self._confident_and_right, strict=True
        ):
            yield ConfidencePair(confidence=confidence, is_correct=bool(is_correct))

    def _unstored(self, document: int, run_index: int) -> Miss:
        fixture = self._documents[document].fixture
        reading = self._documents[document].labels[self.spec.name][0]
        labeller = labeller_of(self._documents[document], self.spec.name)
        return Miss(
            fixture_id=fixture.fixture_id,
            document=fixture.name,
            run_index=run_index,
            want=reading if reading is None or isinstance(reading, str) else dumps(reading),
            got=None,
            outcome=FieldOutcome.ERROR,
            note=_NOT_STORED,
            labelled_by=labeller.by,
            labelled_at=labeller.at,
            corrections=corrections_of(self._documents[document], self.spec.name),
        )

    def _readings(self) -> Iterator[tuple[JsonValue, ...]]:
        return (document.labels[self.spec.name] for document in self._documents)

    def _compare(self, answer: str, document: int) -> None:
        key = _answer_key(answer)
        if not self._valid[document]:
            self._answers[document] = key
        elif key != self._answers[document]:
            self._differs[document] = 1
        self._valid[document] += 1

    def _note_confidence(self, match: FieldMatch, *, is_correct: bool) -> None:
        if match.confidence is not None:
            self._confidences.append(match.confidence)
            self._confident_and_right.append(is_correct)
        elif match.presence is not Presence.KEY_MISSING:
            self.n_left_out += 1


def _answer_key(answer: str) -> str | bytes:
    """The answer, or its digest where a table or a long text would be held a million times."""
    if len(answer) <= _LONG_ANSWER:
        return answer
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).digest()


def _miss(match: FieldMatch, document: GoldenDocument) -> Miss:
    labeller = labeller_of(document, match.field)
    return Miss(
        fixture_id=document.fixture.fixture_id,
        document=document.fixture.name,
        run_index=match.run_index,
        want=match.want,
        got=match.got,
        outcome=match.outcome,
        trace=match.trace,
        in_document=match.in_document,
        note=match.note,
        labelled_by=labeller.by,
        labelled_at=labeller.at,
        corrections=corrections_of(document, match.field),
    )

"""Outputs of any system, read from a JSONL file of any size.

Opening reads the file once, line by line, and keeps where each answer stands; the answers
themselves are read when asked for, one at a time. A file may hold several runs and several models.
Every line that cannot serve is reported with its number, all at once. What the model said inside a
sound line is not the file's fault: that becomes the status of its extraction.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.answer_text import early_end
from evals_pipeline.core.errors import InputError, RefusedError, did_you_mean
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.core.records import Fixture, JsonValue
from evals_pipeline.core.run_records import Extraction
from evals_pipeline.extract.drafts import draft_from_text, draft_from_value
from evals_pipeline.extract.prediction_index import MAX_LINE_BYTES, LineFaults, PredictionIndex
from evals_pipeline.extract.prediction_lines import problems_of, provenance_of
from evals_pipeline.extract.protocol import Draft
from evals_pipeline.extract.references import FixtureReferences
from evals_pipeline.extract.run import stamp

NO_PREDICTION = "no prediction for this document in the file"


class PredictionFile:
    """A predictions file whose lines are sound; ``bind`` ties it to the documents of a set."""

    def __init__(self, index: PredictionIndex) -> None:
        self._index = index

    @classmethod
    def open(cls, path: Path) -> "PredictionFile":
        """Reads the file once and indexes it.

        Raises:
            InputError: The file cannot be read, holds no prediction, or has faulty lines; all of
                them, up to a hundred, with their numbers.
        """
        return cls(PredictionIndex.of(path))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._index.path

    @property
    def sha256(self) -> str:
        """The digest of the file's bytes as they were when it was opened."""
        return self._index.sha256

    def models(self) -> tuple[str | None, ...]:
        """The models of the file, sorted; None stands for lines that name none."""
        return tuple(sorted(self._index.lines, key=lambda model: (model is not None, model or "")))

    def runs(self, model: str | None = None) -> tuple[int, ...]:
        """The run indices of a model, sorted; see ``bind`` for which lines are a model's."""
        return tuple(sorted(self._index.lines[self._choice(model)]))

    def bind(
        self,
        fixtures: Sequence[Fixture],
        *,
        output: OutputKind,
        field_names: Sequence[str] = (),
        model: str | None = None,
    ) -> "BoundPredictions":
        """The predictions of one model for the documents of one set.

        Args:
            fixtures: All documents of the set.
            output: Whether the set wants claims or fields.
            field_names: The fields of the set's schema.
            model: Whose lines; may be left out when the file holds one model. Lines that name no
                model serve any.

        Raises:
            InputError: A line refers to no document, to several, to one that another line of the
                same run already answers, or gives claims to a set of fields or the reverse.
            RefusedError: The file holds several models and none of them was chosen, or another.
        """
        faults = LineFaults(self.path)
        references = FixtureReferences(fixtures)
        places: dict[int, dict[str, int]] = {}
        for run_index, answers in self._index.lines[self._choice(model)].items():
            by_fixture = places.setdefault(run_index, {})
            for reference, number in answers.items():
                form = self._index.form(number)
                if not form.fits(output):
                    problem = f"gives {form.value}, but the set wants {output.value}"
                    faults.add(number, problem, "Point the set at a file of its kind.")
                fixture_id, problem_and_remedy = references.resolve(reference)
                if fixture_id is None:
                    faults.add(number, *problem_and_remedy)
                elif (first := by_fixture.setdefault(fixture_id, number)) != number:
                    faults.add_second(number, reference, first=first)
        faults.raise_if_any()
        return BoundPredictions(self._index, places, output=output, field_names=tuple(field_names))

    def _choice(self, model: str | None) -> str | None:
        """The key in the index under which a model's lines stand."""
        lines = self._index.lines
        if model in lines:
            return model
        if model is None and len(lines) == 1:
            return next(iter(lines))
        named = sorted(name for name in lines if name is not None)
        if model is None:
            raise RefusedError(
                f"{self.path}: holds the predictions of {len(lines)} models "
                f"({', '.join(named)}). Say which one is meant."
            )
        if None in lines:
            return None
        raise RefusedError(
            f"{self.path}: holds no prediction of model {model!r}. {did_you_mean(model, named)}"
        )


class BoundPredictions:
    """One model's predictions for one set, made by ``PredictionFile.bind``."""

    def __init__(
        self,
        index: PredictionIndex,
        places: Mapping[int, Mapping[str, int]],
        *,
        output: OutputKind,
        field_names: tuple[str, ...],
    ) -> None:
        self._index = index
        self._places = places
        self._output = output
        self._field_names = field_names

    def runs(self) -> tuple[int, ...]:
        """The run indices that the file has for this model, sorted."""
        return tuple(sorted(self._places))

    def extraction(self, fixture: Fixture, run_index: int) -> Extraction:
        """What the file says of a document in a run; never raises for what a model said.

        A document without a line is an ``error`` with a reason, so that it stays in the count.
        """
        number = self._places.get(run_index, {}).get(fixture.fixture_id)
        line: dict[str, JsonValue] = {}
        if number is None:
            draft = Draft(status=ExtractionStatus.ERROR, reason=NO_PREDICTION)
        else:
            draft, line = self._draft(number)
        return stamp(
            draft,
            fixture_id=fixture.fixture_id,
            run_index=run_index,
            required_fields=self._field_names,
            provenance=provenance_of(line, extractor=f"predictions:{self._index.path.name}"),
        )

    def _draft(self, number: int) -> tuple[Draft, dict[str, JsonValue]]:
        """What a line says, with the line itself; the line is empty when strict JSON refuses it."""
        where = f"line {number}"
        try:
            raw = self._index.line(number)
            line = strict_json.loads(raw, where=where, max_bytes=MAX_LINE_BYTES)
        except OSError as error:
            reason = f"the predictions file can no longer be read ({error.strerror})"
            return Draft(status=ExtractionStatus.ERROR, reason=reason), {}
        except InputError as refusal:
            problems = "; ".join(fault.problem for fault in refusal.faults)
            return Draft(status=ExtractionStatus.UNPARSABLE, reason=f"{where}: {problems}"), {}
        if not isinstance(line, dict) or problems_of(line):
            reason = f"{where} is not what it was when the file was opened"
            return Draft(status=ExtractionStatus.ERROR, reason=reason), {}
        return self._draft_of(line), line

    def _draft_of(self, line: dict[str, JsonValue]) -> Draft:
        raw, status = line.get("raw"), line.get("status")
        finish_reason, reason = line.get("finish_reason"), line.get("reason")
        finish_reason = finish_reason if isinstance(finish_reason, str) else None
        if isinstance(status, str):
            stated = reason if isinstance(reason, str) else "stated by the predictions file"
            return Draft(status=ExtractionStatus(status), reason=stated)
        if isinstance(raw, str):
            return draft_from_text(
                raw,
                finish_reason=finish_reason,
                output=self._output,
                field_names=self._field_names,
            )
        cut = early_end(finish_reason)
        if cut is not None:
            return Draft(status=cut.status, reason=cut.reason)
        return draft_from_value(
            line.get(self._output.value), output=self._output, field_names=self._field_names
        )

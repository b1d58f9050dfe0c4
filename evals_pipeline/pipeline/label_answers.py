"""What a labeller types, read at once by the judge's own kinds, and what the label then stores.

A label is written for people in one notation (ISO dates, plain decimals); a labeller reads a
document in another. So an answer is read both ways. Where the two differ, as for 4.820 in a German
document, nobody guesses: the answer comes back as a choice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from evals_pipeline.core.counts import counted
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.judge.kinds.money import Amount
from evals_pipeline.judge.kinds.notation import plain_text
from evals_pipeline.judge.kinds.protocol import Reading, Side
from evals_pipeline.judge.kinds.reader import ValueReader, make_reader
from evals_pipeline.judge.lookback import DocumentText

ABSENT = "absent"
ALTERNATIVE = "||"
CELL = "|"
_QUOTES = ('"', "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that can be stored.

    ``value`` is what the label holds, ``shown`` how it reads, ``steps`` why. ``line`` is where it
    stands in the document, ``is_found`` None where that cannot be said.
    """

    value: JsonValue
    shown: str
    steps: tuple[str, ...] = ()
    is_found: bool | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An answer that reads in two ways; the document's own notation comes first."""

    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """An answer that the field's kind cannot read, with the reason."""

    problem: str


class AnswerReader:
    """Reads answers for the fields of one document.

    Args:
        convention: The document's notation.
        text: What the document says, for looking values up in it; None for a picture.
    """

    def __init__(self, convention: SourceConvention, text: str | None) -> None:
        self._convention = convention
        self._whole = DocumentText(text) if text else None
        self._lines = [DocumentText(line) for line in text.split("\n")] if text else []

    def read_typed(self, spec: FieldSpec, typed: str) -> Answer | Choice | Unread:
        """An answer as typed: a value, ``absent``, or several accepted readings, ``a || b``.

        A value in quotes is taken letter by letter, so that ``"absent"`` is a word.
        """
        parts = [part.strip() for part in typed.split(ALTERNATIVE)]
        if not all(parts):
            return Unread(problem=f"nothing stands on one side of {ALTERNATIVE}")
        found = [self._read_one(spec, _typed_value(part)) for part in parts]
        return _together(found)

    def read_json(self, spec: FieldSpec, value: JsonValue) -> Answer | Choice | Unread:
        """An answer from a file: as a label states it, ``{"any": [...]}`` included."""
        if isinstance(value, dict) and value.keys() == {"any"} and isinstance(value["any"], list):
            return _together([self._read_one(spec, one) for one in value["any"]])
        return self._read_one(spec, value)

    def read_cells(self, spec: FieldSpec, typed: str) -> dict[str, JsonValue] | Unread:
        """A row of a table as typed, ``Paper | 12 | 4.50``; an empty cell is absent."""
        separator = "\t" if "\t" in typed else CELL
        cells = [cell.strip() for cell in typed.split(separator)]
        names = [column.name for column in spec.columns]
        if len(cells) != len(names):
            wanted = f" {CELL} ".join(names)
            return Unread(problem=f"{len(cells)} cells, expected {len(names)}: {wanted}")
        row: dict[str, JsonValue] = {}
        for column, cell in zip(spec.columns, cells, strict=True):
            if not cell:
                row[column.name] = None
                continue
            answer = self.read_typed(column, cell)
            if isinstance(answer, Choice):
                both = " or ".join(option.shown for option in answer.options)
                return Unread(problem=f"{column.name}: {cell} is {both}; write it so")
            if isinstance(answer, Unread):
                return Unread(problem=f"{column.name}: {answer.problem}")
            row[column.name] = answer.value
        return row

    def as_it_is(self, spec: FieldSpec, typed: str) -> Answer:
        """A value letter by letter, although no kind reads it: only the same letters equal it."""
        problem = make_reader(spec, self._convention, Side.LABEL).read(typed).form
        steps = (problem.problem,) if problem and problem.problem else ()
        return Answer(value=typed, shown=typed, steps=steps)

    def shown(self, spec: FieldSpec, value: JsonValue) -> str:
        """How a stored value reads, for a review."""
        answer = self.read_json(spec, value)
        return answer.shown if isinstance(answer, Answer) else str(value)

    def _read_one(self, spec: FieldSpec, value: JsonValue) -> Answer | Choice | Unread:
        if value is None:
            return Answer(value=None, shown=ABSENT)
        if spec.kind == "list" and isinstance(value, list):
            return self._read_items(spec, value)
        if spec.kind == "table" and isinstance(value, list):
            return self._read_rows(spec, value)
        as_label = make_reader(spec, self._convention, Side.LABEL)
        as_document = make_reader(spec, self._convention, Side.EXTRACTED)
        candidates = (as_document.read(value), as_label.read(value))
        options = {one.text: one for one in candidates if one.text is not None}
        if not options:
            form = candidates[0].form
            return Unread(problem=(form.problem if form else None) or "no value in it")
        answers = tuple(
            self._answer(spec, value, reading, as_label, as_document)
            for reading in options.values()
        )
        return answers[0] if len(answers) == 1 else Choice(options=answers)

    def _answer(
        self,
        spec: FieldSpec,
        value: JsonValue,
        reading: Reading,
        as_label: ValueReader,
        as_document: ValueReader,
    ) -> Answer:
        stored = next(
            one
            for one in (*_stored_forms(spec, reading, self._convention), value)
            # What is stored has to read as what the labeller was shown.
            if as_label.read(one).text == reading.text or one is value
        )
        is_found = self._whole.holds(reading, as_document) if self._whole else None
        line = None
        if is_found:
            lines = enumerate(self._lines, start=1)
            line = next((n for n, text in lines if text.holds(reading, as_document)), None)
        form = reading.form
        return Answer(
            value=stored,
            shown=reading.text or str(value),
            steps=form.steps if form else (),
            is_found=is_found,
            line=line,
        )

    def _read_items(self, spec: FieldSpec, value: list[JsonValue]) -> Answer | Choice | Unread:
        item = spec.item or FieldSpec(name="item", kind="text")
        stored: list[JsonValue] = []
        for number, one in enumerate(value, start=1):
            answer = self._read_one(item, one)
            if not isinstance(answer, Answer):
                return _inside(answer, f"item {number}")
            stored.append(answer.value)
        return Answer(
            value=stored or None, shown=counted(len(stored), "item") if stored else ABSENT
        )

    def _read_rows(self, spec: FieldSpec, value: list[JsonValue]) -> Answer | Choice | Unread:
        columns = {column.name: column for column in spec.columns}
        rows: list[JsonValue] = []
        for number, row in enumerate(value, start=1):
            if not isinstance(row, dict) or row.keys() != columns.keys():
                wanted = ", ".join(columns)
                return Unread(problem=f"row {number}: expected the columns {wanted}")
            cells: dict[str, JsonValue] = {}
            for name, cell in row.items():
                answer = self.read_json(columns[name], cell)
                if not isinstance(answer, Answer):
                    return _inside(answer, f"row {number}, {name}")
                cells[name] = answer.value
            rows.append(cells)
        return Answer(value=rows or None, shown=counted(len(rows), "row") if rows else ABSENT)


def _typed_value(part: str) -> str | None:
    if part.casefold() == ABSENT:
        return None
    is_quoted = len(part) > 1 and part[0] in _QUOTES and part[0] == part[-1]
    return part[1:-1] if is_quoted else part


def _together(found: Sequence[Answer | Choice | Unread]) -> Answer | Choice | Unread:
    """Several accepted readings as one answer; the first that cannot be read speaks for all."""
    answers: list[Answer] = []
    for one in found:
        if not isinstance(one, Answer):
            return one
        answers.append(one)
    if len(answers) == 1:
        return answers[0]
    return Answer(
        value={"any": [answer.value for answer in answers]},
        shown=" or ".join(answer.shown for answer in answers),
        steps=tuple(step for answer in answers for step in answer.steps),
        is_found=_any_found(answers),
        line=next((answer.line for answer in answers if answer.line), None),
    )


def _any_found(answers: Sequence[Answer]) -> bool | None:
    said = [answer.is_found for answer in answers if answer.is_found is not None]
    return any(said) if said else None


def _inside(answer: Choice | Unread, place: str) -> Unread:
    if isinstance(answer, Unread):
        return replace(answer, problem=f"{place}: {answer.problem}")
    both = " or ".join(option.shown for option in answer.options)
    return Unread(problem=f"{place} is {both}; write it so")


def _stored_forms(
    spec: FieldSpec, reading: Reading, convention: SourceConvention
) -> Iterator[JsonValue]:
    """How a label may hold a reading, the plainest first; none: as it was typed."""
    text = reading.text or ""
    payload = reading.form.payload if reading.form else None
    match spec.kind:
        case "money" if isinstance(payload, Amount):
            amount = text.partition(" ")[0]
            if Decimal(amount) != payload.value:
                amount = plain_text(payload.value)
            declared = (spec.currency or convention.currency or "").upper()
            if not payload.currencies or payload.currency == declared:
                yield amount
            elif payload.currency:
                yield f"{amount} {payload.currency}"
        case "date" | "number" | "percent" | "enum":
            yield text
        case "boolean":
            yield text == "true"
        case _:
            return

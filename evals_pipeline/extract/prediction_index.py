"""Where each answer of a predictions file stands; the file is read once and never held.

Memory grows with the number of lines (some 150 bytes each), not with their length.
"""

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.extract.prediction_lines import AnswerForm, problems_of

MAX_LINE_BYTES = strict_json.MAX_BYTES
MAX_FAULTS = 100
_FORMS = tuple(AnswerForm)
_ONE_OBJECT = "Write one JSON object a line."
_KEEP_ONE = "Keep one, or give the other its own run_index."


class LineFaults:
    """The first faults of a file, each with its line; beyond a hundred they are counted only."""

    def __init__(self, path: Path) -> None:
        self._where = str(path)
        self._faults: list[Fault] = []
        self._n_more = 0

    def add(self, line: int, problem: str, remedy: str) -> None:
        """Notes what is wrong in a line and what to do."""
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(Fault(where=self._where, problem=problem, remedy=remedy, line=line))
        else:
            self._n_more += 1

    def add_second(self, line: int, fixture: str, *, first: int) -> None:
        """Notes that a line answers what the line ``first`` has answered."""
        problem = f"fixture {fixture!r} is answered twice in this run, first on line {first}"
        self.add(line, problem, _KEEP_ONE)

    def raise_if_any(self) -> None:
        """Raises InputError with all faults in the order of their lines."""
        faults = sorted(self._faults, key=lambda fault: fault.line or 0)
        if self._n_more:
            faults.append(Fault(where=self._where, problem=f"{self._n_more} more lines at fault"))
        if faults:
            raise InputError(faults)


@dataclass(slots=True)
class PredictionIndex:
    """Offsets and references of a sound file.

    ``lines[model][run]`` maps a reference to its line number, from 1; the model None stands for
    lines that name none.
    """

    path: Path
    max_line_bytes: int = MAX_LINE_BYTES
    sha256: str = ""
    lines: dict[str | None, dict[int, dict[str, int]]] = field(default_factory=dict)
    _offsets: "array[int]" = field(default_factory=lambda: array("Q"))
    _forms: "array[int]" = field(default_factory=lambda: array("B"))
    _references: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> "PredictionIndex":
        """Reads the file from end to end.

        Args:
            path: The file.
            max_line_bytes: Longer lines are faults; what bounds the memory.

        Raises:
            InputError: It cannot be read, holds no prediction, or has faulty lines.
        """
        index, faults = cls(path=path, max_line_bytes=max_line_bytes), LineFaults(path)
        try:
            with path.open("rb") as stream:
                index._fill(stream, faults)
        except OSError as error:
            raise InputError.one(str(path), f"cannot be read ({error.strerror})") from error
        faults.raise_if_any()
        if not index.lines:
            raise InputError.one(str(path), "holds no prediction", remedy=_ONE_OBJECT)
        index._references.clear()
        return index

    def form(self, number: int) -> AnswerForm:
        """How a line gives its answer."""
        return _FORMS[self._forms[number - 1]]

    def line(self, number: int) -> bytes:
        """The bytes of a line, read from the file."""
        with self.path.open("rb") as stream:
            stream.seek(self._offsets[number - 1])
            return stream.readline(self.max_line_bytes)

    def _fill(self, stream: BinaryIO, faults: LineFaults) -> None:
        offset, hasher = 0, hashlib.sha256()
        while raw := stream.readline(self.max_line_bytes + 1):
            hasher.update(raw)
            start = offset
            offset += len(raw)
            number = len(self._offsets) + 1
            if len(raw) > self.max_line_bytes:
                for rest in _rest_of_line(stream, self.max_line_bytes):
                    hasher.update(rest)
                    offset += len(rest)
                faults.add(
                    number, f"longer than {self.max_line_bytes} bytes", "Shorten the answer."
                )
                raw = b""
            if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                start, raw = start + 3, raw[3:]
            self._offsets.append(start)
            self._forms.append(0)
            if raw.strip():
                self._enter(number, raw, faults)
        self.sha256 = hasher.hexdigest()

    def _enter(self, number: int, raw: bytes, faults: LineFaults) -> None:
        line = _loosely_read(raw)
        if isinstance(line, str):
            faults.add(number, line, _ONE_OBJECT)
            return
        problems = problems_of(line)
        for problem, remedy in problems:
            faults.add(number, problem, remedy)
        if problems:
            return
        first = self._add(number, line)
        if first != number:
            faults.add_second(number, str(line["fixture"]), first=first)

    def _add(self, number: int, line: Mapping[str, object]) -> int:
        """Enters a sound line; the number of the first line that answers the same."""
        model = line.get("model")
        run_index = line.get("run_index", 0)
        assert isinstance(run_index, int)
        assert model is None or isinstance(model, str)
        reference = str(line["fixture"])
        # The repeats of a document share one string; a big index is mostly references.
        reference = self._references.setdefault(reference, reference)
        self._forms[number - 1] = next(
            position for position, form in enumerate(_FORMS) if form.value in line
        )
        answers = self.lines.setdefault(model, {}).setdefault(run_index, {})
        return answers.setdefault(reference, number)


def _loosely_read(raw: bytes) -> dict[str, object] | str:
    """The line's object, or what is wrong with it.

    Loosely, because a NaN or a key twice inside an answer makes that answer unparsable when it is
    asked for, and not the whole file unreadable.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start} of the line"
    try:
        line = _loads(text)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at character {error.pos + 1}"
    except RecursionError:
        return "nested too deeply; a model's text as it came belongs under raw"
    return line if isinstance(line, dict) else "not a JSON object"


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses to turn thousands of digits into an int
        return json.loads(text, parse_int=lambda digits: int(digits[:20]))


def _rest_of_line(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """What is left of an overlong line, in pieces."""
    while rest := stream.readline(size):
        yield rest
        if rest.endswith(b"\n"):
            return

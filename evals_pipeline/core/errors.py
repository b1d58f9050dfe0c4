"""What can go wrong, as one tree; each error carries the exit status of the command line.

    EvalsError                exit 2
    ├── InputError            a file, label, suite or answer is faulty (all faults at once)
    ├── SetupError            settings, environment, a missing key or package
    │   └── NoProjectError    no folder with settings here or above
    ├── RefusedError          nothing to measure, or measuring would mislead; says what mends it
    ├── UnknownNameError      a set, model, extractor, field that does not exist; with near names
    └── GateFailedError       exit 1: a gate or --fail-on is red

A message reads ``where: what is wrong, got X; expected Y. What to do.``
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

EXIT_FINE = 0
EXIT_GATE_FAILED = 1
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130
"""What a shell makes of Ctrl-C; click's own 1 would read as a red gate."""

EXIT_CLOSED_PIPE = 141
"""128 and SIGPIPE: the reader of standard output went away before a verdict was known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong in one place of something that a person wrote.

    ``where`` is a path (relative to the project where it can be) with an inner
    place behind it, ``golden/invoices/labels/4c81.json: fields.due_date``.
    ``line`` counts from 1; None where the fault has no line.
    """

    where: str
    problem: str
    remedy: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        problem = self.problem.rstrip(".")
        problem = problem if problem.endswith("?") else f"{problem}."
        return f"{place}: {problem} {self.remedy}" if self.remedy else f"{place}: {problem}"


class EvalsError(Exception):
    """Root of every error that this package raises on purpose."""

    exit_status = EXIT_REFUSED


class InputError(EvalsError):
    """Something that a person or another tool wrote is faulty; holds every fault found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    @classmethod
    def one(
        cls, where: str, problem: str, *, remedy: str | None = None, line: int | None = None
    ) -> "InputError":
        """An error with a single fault."""
        return cls([Fault(where=where, problem=problem, remedy=remedy, line=line)])


class SetupError(EvalsError):
    """Settings, environment or installation keep the work from starting."""


class NoProjectError(SetupError):
    """There is no project here; some commands do without one."""


class RefusedError(EvalsError):
    """There is nothing to measure, or a figure would mislead; the message says what mends it."""


class UnknownNameError(EvalsError):
    """A name that nothing carries; the message offers the nearest one and the known ones."""

    def __init__(self, what: str, name: str, known: Sequence[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"{what} {name!r} does not exist. {did_you_mean(name, known)}".rstrip())


class GateFailedError(EvalsError):
    """A gate, or a --fail-on threshold, is red."""

    exit_status = EXIT_GATE_FAILED


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A sentence that offers the nearest known name, or lists them; empty when none is known.

    A name that differs in upper and lower case alone is the nearest.

    >>> did_you_mean("due_dat", ["due_date", "total"])
    'Did you mean "due_date"?'
    >>> did_you_mean("epistemic", ["EPISTEMIC", "ALEATORIC"])
    'Did you mean "EPISTEMIC"?'
    """
    folded = {one.casefold(): one for one in reversed(known)}
    lower = name.casefold()
    near = [folded[lower]] if lower in folded else get_close_matches(name, known, n=1, cutoff=0.6)
    near = near or [folded[one] for one in get_close_matches(lower, folded, n=1, cutoff=0.6)]
    if near:
        return f'Did you mean "{near[0]}"?'
    return f"Known: {', '.join(sorted(known))}." if known else ""

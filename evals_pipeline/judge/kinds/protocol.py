"""What a value kind is: one canonical form, and when two of them are equal.

The canonical form serves scoring, disagreement and gates alike, so that no two of them can differ
about what a value says. A kind registers under the entry point group ``evals_pipeline.kinds``, as a
class without arguments; a package of yours adds one without touching this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import FieldSpec, JsonValue


class Side(StrEnum):
    """Which side of a comparison a value stands on.

    A label is written for people in one notation, whatever the document's is: ISO dates and plain
    decimals. An extracted value is written as the document, or the model, writes it.
    """

    LABEL = "label"
    EXTRACTED = "extracted"


class Canonical(NamedTuple):
    """What a value says, whatever its notation.

    ``text`` None: the value has no canonical form, and ``problem`` says why. Two values of a kind
    whose texts are equal are equal. ``payload`` is the kind's own form of the value, which only
    that kind's ``equal`` looks at. ``steps`` say what was read or changed, in the reader's words;
    empty where the value already stood in its canonical form.
    """

    text: str | None
    steps: tuple[str, ...] = ()
    problem: str | None = None
    payload: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMatch:
    """One cell of a table, or one item of a list, judged.

    ``row`` counts from 0 in the label's order; None for a row that the label does not have.
    ``column`` is empty for an item of a list.
    """

    row: int | None
    column: str
    outcome: FieldOutcome
    want: str | None
    got: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Whether two canonical forms are equal, with what decided."""

    is_equal: bool
    reason: str | None = None
    cells: tuple[CellMatch, ...] = ()


EQUAL = Comparison(is_equal=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindContext:
    """Under which conventions one field's values are read.

    ``locale`` is an identifier that babel knows (``de_DE``), ``currency`` an ISO 4217 code; each is
    None where nothing declares it. ``parts`` reads what a list or a table is made of: ``item``, or
    each column by its name.
    """

    spec: FieldSpec
    side: Side
    locale: str | None = None
    currency: str | None = None
    formats: tuple[str, ...] = ()
    parts: Mapping[str, "PartReader"] = field(default_factory=dict)


@runtime_checkable
class Kind(Protocol):
    """A value kind; stateless."""

    name: str

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """What ``value`` says. Never raises for a value, however odd: text None and a problem.

        Called for values that are there; absence is decided before, in one place for all kinds.
        """
        ...

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Whether two forms are equal; called where both have a text and the texts differ."""
        ...


class PartReader(Protocol):
    """Reads and compares the items of a list, or the cells of a column."""

    def read(self, value: JsonValue) -> "Reading":
        """The value with its canonical form, from the cache where it was read before."""
        ...

    def judge(self, want: "Reading", got: "Reading") -> "Verdict":
        """The outcome of one value against one accepted reading."""
        ...


class Reading(NamedTuple):
    """A value as it came, with its canonical form.

    ``raw`` is the value as JSON text; ``form`` None: the value is absent.
    """

    raw: str
    form: Canonical | None

    @property
    def text(self) -> str | None:
        """The canonical text; None for an absent or an unreadable value."""
        return None if self.form is None else self.form.text

    @property
    def answer(self) -> str:
        """What disagreement compares: two values with equal answers say the same.

        Absent is the empty text, which no canonical form is; an unreadable value stands for itself.
        """
        if self.form is None:
            return ""
        return UNREAD + self.raw if self.form.text is None else self.form.text


UNREAD = "unread: "
"""Before the raw text of a value without a canonical form, where its canonical text would stand."""


class Verdict(NamedTuple):
    """The outcome of one value against one accepted reading, with what decided.

    ``got`` is the extracted value's reading as it counts: a value written exactly as the label is
    reads as the label does.
    """

    outcome: FieldOutcome
    got: Reading
    reason: str | None = None
    cells: tuple[CellMatch, ...] = ()

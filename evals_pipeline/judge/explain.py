"""Why two values are or are not equal: the judge itself, asked about one pair of them.

A request is one line of ``evals explain --batch``: ``kind``, ``golden`` and ``extracted``, and what
a field of a schema may state beside its kind. ``golden`` may be ``{"any": [...]}``; a request
without ``extracted`` asks about a missing key.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from evals_pipeline.core.edges import Count, EdgeModel, Exact, Flag, Text, validate
from evals_pipeline.core.outcomes import FieldOutcome, Presence
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.core.run_records import FieldValue
from evals_pipeline.judge.fields import FieldJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The outcome for one pair of values; ``want`` and ``got`` canonical, None where absent."""

    equal: bool
    outcome: FieldOutcome
    want: str | None
    got: str | None
    trace: tuple[str, ...]

    def as_json(self) -> dict[str, JsonValue]:
        """The keys that ``evals explain`` prints."""
        return {
            "equal": self.equal,
            "outcome": self.outcome.value,
            "want": self.want,
            "got": self.got,
            "trace": list(self.trace),
        }


def explain(
    spec: FieldSpec,
    golden: JsonValue,
    got: FieldValue | None,
    *,
    convention: SourceConvention,
    judge: FieldJudge | None = None,
) -> Explanation:
    """What the judge says of one value, with every step.

    Args:
        spec: How the field is compared.
        golden: The label; ``{"any": [...]}`` states several accepted readings.
        got: The extracted value; None for a missing key.
        convention: What the document's source states about its notation.
        judge: Keeps what it has read, for many explanations in a row.

    Raises:
        UnknownNameError: No kind has the name that ``spec`` states.
        InputError: The locale does not exist.
    """
    comparison = (judge or FieldJudge()).compare(
        spec, readings_of(golden), got, convention=convention
    )
    return Explanation(
        equal=comparison.outcome.is_correct,
        outcome=comparison.outcome,
        want=comparison.want,
        got=comparison.got,
        trace=comparison.trace,
    )


def explain_request(request: JsonValue, *, where: str = "explain") -> Explanation:
    """The explanation that one request asks for.

    Raises:
        InputError: Every fault of the request at once; ``where`` names it.
        UnknownNameError: No kind has the name that it states.
    """
    asked = validate(_Request, request, where=where)
    got = None
    if "extracted" in asked.model_fields_set:
        got = FieldValue(value=asked.extracted, presence=Presence.VALUE)
    convention = SourceConvention(
        locale=asked.locale, currency=asked.currency, formats=asked.formats
    )
    return explain(asked.spec("value"), asked.golden, got, convention=convention)


def readings_of(golden: JsonValue) -> tuple[JsonValue, ...]:
    """The accepted readings that a label states."""
    if isinstance(golden, dict) and set(golden) == {"any"} and isinstance(golden["any"], list):
        return tuple(golden["any"]) or (None,)
    return (golden,)


def _as_list(raw: object) -> object:
    return [raw] if isinstance(raw, str) else [] if raw is None else raw


def _as_vocabulary(raw: object) -> object:
    """``values`` as members with synonyms, or as a list of members."""
    if isinstance(raw, list):
        return {member: () for member in raw}
    return {} if raw is None else raw


def _as_part(raw: object) -> object:
    """A column or an item: an object like a request, or a kind's name alone."""
    return {"kind": raw} if isinstance(raw, str) else raw


Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_list)]


class _Part(EdgeModel):
    """What a schema may state of a field beside its name."""

    kind: Text
    threshold: Exact | None = Field(default=None, gt=0, le=1)
    values: Annotated[Mapping[str, Texts], BeforeValidator(_as_vocabulary)] = {}
    pivot: Count | None = Field(default=None, ge=1, le=9900)
    absolute_tolerance: Exact | None = Field(default=None, ge=0)
    relative_tolerance: Exact | None = Field(default=None, ge=0)
    credit_is_positive: Flag = False
    ordered: Flag = False
    key: Texts = ()
    item: Annotated["_Part | None", BeforeValidator(_as_part)] = None
    columns: Mapping[str, Annotated["_Part", BeforeValidator(_as_part)]] = {}
    locale: Text | None = None
    currency: Text | None = None
    formats: Texts = ()

    def spec(self, name: str) -> FieldSpec:
        """The field under ``name``."""
        return FieldSpec(
            name=name,
            kind=self.kind,
            threshold=None if self.threshold is None else float(self.threshold),
            formats=self.formats,
            locale=self.locale,
            currency=self.currency,
            absolute_tolerance=self.absolute_tolerance,
            relative_tolerance=self.relative_tolerance,
            pivot=self.pivot,
            credit_is_positive=self.credit_is_positive,
            values=dict(self.values),
            ordered=self.ordered,
            item=None if self.item is None else self.item.spec("item"),
            key=self.key,
            columns=tuple(part.spec(column) for column, part in self.columns.items()),
        )


class _Request(_Part):
    """One line of a batch."""

    golden: Any
    extracted: Any = None

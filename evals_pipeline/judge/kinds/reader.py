"""Reads values under one field's conventions, each distinct value once, and judges them.

A ``ValueReader`` is what stands between a value and its kind: the null policy, the cache, the rule
that a value written exactly as the label is reads as the label does. Items of a list and cells of a
table go through the same ones, so that a table has no second opinion about a date.
"""

from collections.abc import Mapping
from functools import cache
from json.encoder import encode_basestring

from babel.core import get_global

from evals_pipeline.core.absence import is_absent, is_blank
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.core.registry import Registry
from evals_pipeline.core.strict_json import dumps
from evals_pipeline.judge.kinds.notation import parse_locale
from evals_pipeline.judge.kinds.protocol import (
    Canonical,
    Kind,
    KindContext,
    Reading,
    Side,
    Verdict,
)

MOST_KEPT = 20_000
"""Canonical forms that one reader keeps; past that it starts again, so that memory is bounded."""

ITEM = "item"
_UNSTATED_ITEM = FieldSpec(name=ITEM, kind="text")


@cache
def kinds() -> Registry[type[Kind]]:
    """All value kinds that installed packages register.

    Raises:
        SetupError: A package's kind cannot be loaded.
    """
    registry: Registry[type[Kind]] = Registry("kind", "evals_pipeline.kinds")
    registry.load_entry_points()
    return registry


def raw_text(value: object) -> str:
    """A value as JSON text; what JSON cannot hold (a date, NaN) as its Python text."""
    if type(value) is str:
        return encode_basestring(value)
    try:
        return dumps(value)
    except (TypeError, ValueError):
        return str(value)


class ValueReader:
    """One side of one field: reads values into canonical forms and judges them."""

    def __init__(self, kind: Kind, context: KindContext) -> None:
        self.kind = kind
        self._canonical = kind.canonical
        self.context = context
        self._readings: dict[object, Reading] = {}

    def read(self, value: JsonValue) -> Reading:
        """The value with its canonical form."""
        # 1, 1.0 and True are equal keys in Python and different values here.
        key = value if type(value) is str else (type(value), raw_text(value))
        reading = self._readings.get(key)
        if reading is None:
            if len(self._readings) >= MOST_KEPT:
                self._readings.clear()
            reading = self._readings[key] = self.read_anew(value)
        return reading

    @property
    def n_kept(self) -> int:
        """How many readings are kept, those of the parts included."""
        parts = (part for part in self.context.parts.values() if isinstance(part, ValueReader))
        return len(self._readings) + sum(part.n_kept for part in parts)

    def read_anew(self, value: JsonValue) -> Reading:
        """The same, without the cache: for values that are hardly met twice."""
        return Reading(raw_text(value), self.form_of(value))

    def form_of(self, value: JsonValue) -> Canonical | None:
        """The canonical form alone; None for an absent value."""
        if is_blank(value) if type(value) is str else is_absent(value):
            return None
        return self._canonical(value, self.context)

    def judge(self, want: Reading, got: Reading) -> Verdict:
        """The outcome of ``got`` against one accepted reading of the label."""
        expected, actual = want.form, got.form
        if expected is None:
            outcome = FieldOutcome.CORRECT_NULL if actual is None else FieldOutcome.INVENTED
            return Verdict(outcome, got)
        if actual is None:
            return Verdict(FieldOutcome.MISSED, got)
        if want.raw == got.raw:
            return _identical(want, got)
        if actual.text is None or expected.text is None:
            return Verdict(FieldOutcome.UNREADABLE, got, _no_form(expected, actual))
        if expected.text == actual.text:
            return Verdict(FieldOutcome.CORRECT, got)
        comparison = self.kind.equal(expected, actual, self.context)
        return Verdict(
            outcome=FieldOutcome.CORRECT if comparison.is_equal else FieldOutcome.WRONG,
            got=got,
            reason=comparison.reason,
            cells=comparison.cells,
        )


def _identical(want: Reading, got: Reading) -> Verdict:
    """Written exactly as the label is: equal, even where neither can be read."""
    assert want.form is not None
    assert got.form is not None
    if want.text == got.text:
        return Verdict(FieldOutcome.CORRECT, got)
    return Verdict(
        outcome=FieldOutcome.CORRECT,
        got=Reading(raw=got.raw, form=want.form),
        reason="written exactly as the label is, so it reads as the label does",
    )


def _no_form(want: Canonical, got: Canonical) -> str:
    if want.text is None:
        return f"the label has no canonical form: {want.problem}"
    return f"no canonical form: {got.problem}"


def make_reader(spec: FieldSpec, convention: SourceConvention, side: Side) -> ValueReader:
    """A reader of one field on one side.

    Args:
        spec: The field; its own locale, currency and formats go before the source's.
        convention: What the document's source states.
        side: Whether labels or extracted values are read.

    Raises:
        UnknownNameError: No kind has the name that the field states.
        InputError: The locale or the currency does not exist.
    """
    kind = kinds().get(spec.kind)()
    locale = spec.locale or convention.locale
    own = SourceConvention(
        locale=str(parse_locale(locale)) if locale else None,
        currency=_currency(spec.currency or convention.currency),
        formats=spec.formats or convention.formats,
    )
    context = KindContext(
        spec=spec,
        side=side,
        locale=own.locale,
        currency=own.currency,
        formats=own.formats,
        parts=_parts(spec, own, side),
    )
    return ValueReader(kind, context)


def _currency(declared: str | None) -> str | None:
    """The declared currency's code; a symbol would stand in for values and equal none of them."""
    if declared is None:
        return None
    code = declared.strip().upper()
    if code not in get_global("all_currencies"):
        raise InputError.one(
            "currency",
            f"{declared!r} is not a currency",
            remedy="Write its ISO 4217 code, such as EUR.",
        )
    return code


def _parts(spec: FieldSpec, convention: SourceConvention, side: Side) -> Mapping[str, ValueReader]:
    parts = {column.name: make_reader(column, convention, side) for column in spec.columns}
    if not spec.columns:
        item = spec.item or (_UNSTATED_ITEM if spec.kind == "list" else None)
        if item is not None:
            parts[ITEM] = make_reader(item, convention, side)
    return parts

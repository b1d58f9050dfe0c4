"""Labelled values: are they of a form that the field's kind can hold, and are none missing?

Whether a value can be read (a date that is a date) is the judge's business; here only what would
make the label mean something else than its author thinks.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from evals_pipeline.core.errors import did_you_mean
from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.core.strict_yaml import YamlPath

NOT_LABELLED = "not labelled; expected a value or null"
ALTERNATIVES = "any"
_ABSENT: tuple[JsonValue, ...] = (None,)
_NUMERIC = frozenset({"money", "number", "percent"})
_AS_TEXT = frozenset({"date", "identifier", "text", "enum"})

Problem = tuple[YamlPath, str]
"""Where inside a field's value something is wrong, and what."""


def readings_of(value: JsonValue) -> tuple[JsonValue, ...]:
    """The accepted readings that a label states: one, or those of ``{"any": [...]}``."""
    if value is None:
        return _ABSENT
    if isinstance(value, dict) and value.keys() == {ALTERNATIVES}:
        alternatives = value[ALTERNATIVES]
        return tuple(alternatives) if isinstance(alternatives, list) else (alternatives,)
    return (value,)


def value_problems(spec: FieldSpec, value: JsonValue) -> Iterator[Problem]:
    """What is wrong with the label of a field, alternatives included."""
    if isinstance(value, dict) and ALTERNATIVES in value and spec.kind in _OURS:
        alternatives = value[ALTERNATIVES]
        if len(value) > 1 or not isinstance(alternatives, list) or not alternatives:
            yield (), 'alternatives are written {"any": [value, ...]}, with at least one value'
            return
        for i, alternative in enumerate(alternatives):
            for path, problem in _reading_problems(spec, alternative):
                yield (ALTERNATIVES, i, *path), problem
    else:
        yield from _reading_problems(spec, value)


def _reading_problems(spec: FieldSpec, value: JsonValue) -> Iterator[Problem]:
    if value is None or spec.kind not in _OURS:
        return
    if isinstance(value, str) and not value.strip():
        yield (), "blank; a field that the document does not state is null"
    elif spec.kind == "table":
        yield from _table_problems(spec, value)
    elif spec.kind == "list":
        yield from _list_problems(spec, value)
    elif isinstance(value, list | dict):
        yield (), f"a single value is expected of kind {spec.kind}"
    elif spec.kind in _AS_TEXT and not isinstance(value, str):
        yield (), f"must be text, so that nothing of it is lost; write it in quotes ({spec.kind})"
    elif spec.kind in _NUMERIC and isinstance(value, bool):
        yield (), f"true or false is no {spec.kind}"
    elif spec.kind == "boolean" and isinstance(value, int | Decimal) and value not in (True, False):
        yield (), "must be true or false"


_OURS = _NUMERIC | _AS_TEXT | {"boolean", "list", "table"}


def _list_problems(spec: FieldSpec, value: JsonValue) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield (), "a list is expected"
        return
    for i, item in enumerate(value):
        if item is None:
            yield (i,), "an item of a list cannot be null"
        elif spec.item is not None:
            for path, problem in _reading_problems(spec.item, item):
                yield (i, *path), problem


def _table_problems(spec: FieldSpec, value: JsonValue) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield (), "a list of rows is expected"
        return
    columns = {column.name: column for column in spec.columns}
    for i, row in enumerate(value):
        if isinstance(row, dict):
            yield from (((i, *path), problem) for path, problem in _row_problems(columns, row))
        else:
            yield (i,), "a row is expected, {column: value}"


def _row_problems(columns: Mapping[str, FieldSpec], row: dict[str, JsonValue]) -> Iterator[Problem]:
    yield from missing_and_unknown(columns, row)
    for name, column in columns.items():
        if name in row:
            for path, problem in _reading_problems(column, row[name]):
                yield (name, *path), problem


def missing_and_unknown(
    specs: Mapping[str, FieldSpec], values: Mapping[str, JsonValue]
) -> Iterator[Problem]:
    """Fields of the schema that a record does not state, and those that it states beyond it."""
    if values.keys() == specs.keys():
        return
    for name in specs:
        if name not in values:
            yield (name,), NOT_LABELLED
    for name in values:
        if name not in specs:
            yield (name,), f"no such field. {did_you_mean(name, [*specs])}"

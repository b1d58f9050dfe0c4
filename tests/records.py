"""Any record that the annotations allow, for property tests."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    bool: st.booleans(),
    int: st.integers(-(2**40), 2**40),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    Fraction: st.fractions(),
    date: st.dates(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    Path: st.sampled_from([Path("a/b.pdf"), Path("/c d/é")]),
    bytes: st.binary(max_size=8),
    NoneType: st.none(),
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT | _SCALARS[float] | _SCALARS[Decimal],
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(TEXT | st.sampled_from(["$decimal", "$object"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@cache
def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Every value that fits an annotation of a record."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if args := get_args(hint):
        return _composites_of(get_origin(hint), args)
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    return st.deferred(lambda: _records_of(hint))


def _composites_of(origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin is tuple and args[1:] == (Ellipsis,):
        return st.lists(values_of(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values_of, args))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(*map(values_of, args), max_size=2)
    if any(get_origin(arg) is list for arg in args):
        return JSON_VALUES
    return st.one_of(*map(values_of, args))


@cache
def _records_of(cls: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    return st.builds(cls, **{name: values_of(hint) for name, hint in hints.items()})

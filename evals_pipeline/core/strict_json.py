"""Strict JSON: reads what is JSON and nothing else, writes one text for one value.

The standard reader takes the last of two equal keys, NaN, Infinity, half a surrogate pair and
``1e999``; each of them is a fault here, because it would reach a figure as something that nobody
wrote. Fractions become Decimal, so that ``4820.10`` keeps both of its digits.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import pairwise
from json.encoder import encode_basestring
from math import isfinite

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.records import JsonValue

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 64
MAX_DIGITS = 1000
_MAX_EXPONENT = 308  # beyond it a binary double overflows, and a plain rendering fills the memory

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_NUMBER_LIKE = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|-?\d[\d.eE+-]*)', re.DOTALL)


class _RefusedError(Exception):
    """A value inside the text that is refused; becomes a fault where the text is known."""


def loads(text: str | bytes, *, where: str, max_bytes: int = MAX_BYTES) -> JsonValue:
    """The value that ``text`` states, numbers with a fraction or exponent as Decimal.

    Args:
        text: JSON in UTF-8; a byte order mark before it is passed over.
        where: What the text is, for messages.
        max_bytes: Longer texts are refused.

    Raises:
        InputError: The text is not JSON, or states what JSON cannot mean: a key twice, NaN, an
            infinity, half a surrogate pair, a number of more than 1000 digits or beyond the range
            of a double, nesting deeper than 64. ``where`` and the line stand in each fault.

    >>> loads('{"total": 4820.10}', where="answer")
    {'total': Decimal('4820.10')}
    """
    decoded = _decode(text, where=where, max_bytes=max_bytes)
    repeated: list[str] = []
    try:
        value: JsonValue = _decoder(repeated).decode(decoded)
    except json.JSONDecodeError as error:
        raise InputError.one(where, f"not JSON: {error.msg}", line=error.lineno) from error
    except _RefusedError as error:
        raise InputError.one(where, str(error), line=_refused_line(decoded)) from error
    except RecursionError as error:
        raise InputError.one(where, _TOO_DEEP) from error
    if repeated:
        raise InputError(_repeated_keys(decoded, where=where) or _unplaced(repeated, where=where))
    if decoded.count("[") + decoded.count("{") > MAX_DEPTH:
        _check_depth(value, where=where)
    if _SURROGATE_ESCAPE.search(decoded):
        _check_surrogates(value, where=where)
    return value


_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"


def _decode(text: str | bytes, *, where: str, max_bytes: int) -> str:
    if len(text) > max_bytes:
        raise InputError.one(where, f"longer than {max_bytes} bytes, got {len(text)}")
    if isinstance(text, bytes):
        try:
            return text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = text.count(b"\n", 0, error.start) + 1
            raise InputError.one(
                where, f"not UTF-8 at byte {error.start}", line=line, remedy="Save it as UTF-8."
            ) from error
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError.one(where, "holds half of a surrogate pair") from error
    return text.removeprefix("\ufeff")


def _decoder(repeated: list[str]) -> json.JSONDecoder:
    def pairs(items: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        value = dict(items)
        if len(value) != len(items):
            repeated.extend(key for key, _ in items)
        return value

    return json.JSONDecoder(
        object_pairs_hook=pairs,
        parse_float=_read_fraction,
        parse_int=_read_integer,
        parse_constant=_refuse_constant,
    )


def _read_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _RefusedError(f"a number of {len(digits)} digits; at most {MAX_DIGITS} are read")
    return int(digits)


def _read_fraction(digits: str) -> Decimal:
    if len(digits) > MAX_DIGITS:
        raise _RefusedError(f"a number of {len(digits)} digits; at most {MAX_DIGITS} are read")
    mantissa, _, exponent = digits.lower().partition("e")
    if len(exponent) > 6:
        raise _RefusedError(f"the number {digits[:40]} is not finite")
    number = Decimal(f"{mantissa}e{exponent or 0}") if exponent else Decimal(digits)
    if number and abs(number.adjusted()) > _MAX_EXPONENT:
        raise _RefusedError(f"the number {digits[:40]} is not finite")
    return number


def _refuse_constant(name: str) -> JsonValue:
    raise _RefusedError(f"{name} is not JSON")


def _refused_line(text: str) -> int | None:
    """The line of the first number that is refused."""
    for token in _NUMBER_LIKE.finditer(text):
        try:
            if token.group(1):
                _decoder([]).decode(token.group(1))
        except _RefusedError:
            return text.count("\n", 0, token.start()) + 1
        except json.JSONDecodeError:
            return None
    return None


def _children(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _check_depth(value: JsonValue, *, where: str) -> None:
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        if depth > MAX_DEPTH:
            raise InputError.one(where, _TOO_DEEP)
        level = [child for parent in level for child in _children(parent)]


def _check_surrogates(value: JsonValue, *, where: str) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        texts = list(item) if isinstance(item, dict) else [item] if isinstance(item, str) else []
        for text in texts:
            if any("\ud800" <= char <= "\udfff" for char in text):
                raise InputError.one(where, "holds half of a surrogate pair")
        pending.extend(_children(item))


def _repeated_keys(text: str, *, where: str) -> list[Fault]:
    """Finds keys that stand twice in one object of valid JSON, with their lines."""
    faults: list[Fault] = []
    scopes: list[dict[str, int]] = []
    for token, following in pairwise([*_TOKEN.finditer(text), None]):
        assert token is not None
        mark = token.group()
        if mark in "{[":
            scopes.append({})
        elif mark in "}]":
            scopes.pop()
        elif mark.startswith('"') and following is not None and following.group() == ":":
            key = json.loads(mark)
            line = text.count("\n", 0, token.start()) + 1
            if key in scopes[-1]:
                problem = f"duplicate key {key!r}, first on line {scopes[-1][key]}"
                faults.append(Fault(where=where, problem=problem, line=line))
            scopes[-1].setdefault(key, line)
    return faults


def _unplaced(keys: list[str], *, where: str) -> list[Fault]:
    return [Fault(where=where, problem=f"a key stands twice among {', '.join(keys[:10])}")]


def dumps(value: object, *, indent: int | None = None) -> str:
    """The one JSON text of ``value``: keys sorted, letters as they are, Decimal as its digits.

    Args:
        value: Mappings with text keys, lists, tuples, text, numbers, booleans and None.
        indent: Spaces per level; None writes one line.

    Raises:
        ValueError: A number is NaN or infinite, or a text holds half of a surrogate pair.
        TypeError: A value, or a key, has no form in JSON (a Fraction, a date, a number as key).

    >>> dumps({"b": Decimal("1.10"), "a": None})
    '{"a": null, "b": 1.10}'
    """
    parts: list[str] = []
    _write(value, parts.append, newline="\n" if indent is not None else None, step=indent or 0)
    text = "".join(parts)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half of a surrogate pair") from error
    return text


def _write(value: object, put: Callable[[str], None], *, newline: str | None, step: int) -> None:
    if isinstance(value, str):
        put(encode_basestring(value))
    elif value is None or isinstance(value, bool):
        put("null" if value is None else "true" if value else "false")
    elif isinstance(value, int):
        put(int.__repr__(value))
    elif isinstance(value, Decimal | float):
        put(_number_text(value))
    elif isinstance(value, Mapping):
        _write_object(value, put, newline=newline, step=step)
    elif isinstance(value, list | tuple):
        _write_array(value, put, newline=newline, step=step)
    else:
        raise TypeError(f"{type(value).__name__} has no form in JSON")


def _number_text(value: Decimal | float) -> str:
    if not (value.is_finite() if isinstance(value, Decimal) else isfinite(value)):
        raise ValueError(f"{value} is not a JSON number")
    return str(value) if isinstance(value, Decimal) else float.__repr__(value)


def _write_object(
    value: Mapping[object, object], put: Callable[[str], None], *, newline: str | None, step: int
) -> None:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"a key must be text, got {key!r}")
    inner = None if newline is None else newline + " " * step
    before = "" if inner is None else inner
    between = ", " if inner is None else "," + inner
    put("{")
    lead = before
    for name, item in sorted(value.items(), key=lambda pair: str(pair[0])):
        put(lead)
        lead = between
        put(encode_basestring(str(name)))
        put(": ")
        _write(item, put, newline=inner, step=step)
    put(f"{newline}}}" if newline is not None and value else "}")


def _write_array(
    value: list[object] | tuple[object, ...],
    put: Callable[[str], None],
    *,
    newline: str | None,
    step: int,
) -> None:
    inner = None if newline is None else newline + " " * step
    lead = "" if inner is None else inner
    between = ", " if inner is None else "," + inner
    put("[")
    for item in value:
        put(lead)
        lead = between
        _write(item, put, newline=inner, step=step)
    put(f"{newline}]" if newline is not None and value else "]")

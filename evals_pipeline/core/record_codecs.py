"""How each annotation of a record is written as JSON and read back; see ``record_json``.

The codec of an annotation is built once and kept. Both directions raise ``MismatchError`` with the
place inside the value.
"""

import base64
import binascii
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

# What json.dumps takes without a default and json.loads gives.
PlainJson: TypeAlias = Any
Converter: TypeAlias = Callable[[Any], Any]


class MismatchError(Exception):
    """A value that does not fit its annotation; ``place`` grows as the error climbs out."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place

    def within(self, step: str) -> "MismatchError":
        """The same error seen from the record around the value."""
        return MismatchError(self.problem, f"{step}{self.place}")


@dataclasses.dataclass(frozen=True, slots=True)
class Codec:
    """Both directions of one type."""

    encode: Converter
    decode: Converter


def codec_of(hint: Any) -> Codec:
    """The codec of an annotation; TypeError for one that no codec is written for."""
    return _built(hint)


@cache
def _built(hint: Any) -> Codec:
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _JSON if _is_json_value(args) else _union(args)
    if origin is tuple:
        return _array(args[0]) if args[1:] == (Ellipsis,) else _fixed_array(args)
    if origin is not None and issubclass(origin, Mapping):
        return _object(*args)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"record_json has no codec for {hint!r}")


def _is_json_value(args: tuple[Any, ...]) -> bool:
    """Whether a union is ``JsonValue``: the only one of the records with lists in it."""
    return any(get_origin(arg) is list for arg in args)


def _scalar(types: tuple[type, ...], into: Converter, out_of: Converter) -> Codec:
    """A type written as text: ``into`` text, and ``out_of`` text again."""
    name = types[0].__name__

    def encode_it(value: Any) -> Any:
        if not isinstance(value, types):
            raise MismatchError(f"got {type(value).__name__}; expected {name}")
        return into(value)

    def decode_it(value: Any) -> Any:
        if not isinstance(value, str):
            raise MismatchError(f"got {type(value).__name__}; expected text for {name}")
        try:
            return out_of(value)
        except (ValueError, InvalidOperation, ZeroDivisionError, binascii.Error):
            raise MismatchError(f"got {value[:40]!r}; expected {name}") from None

    return Codec(encode_it, decode_it)


def _exactly(*types: type) -> Codec:
    """A type that JSON has as well; a bool is no number."""

    def check(value: Any) -> Any:
        if type(value) not in types:
            raise MismatchError(f"got {type(value).__name__}; expected {types[0].__name__}")
        return value

    return Codec(check, check)


def _finite_float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise MismatchError(f"got {type(value).__name__}; expected float")
    number = float(value)
    if not math.isfinite(number):
        raise MismatchError(f"got {number}; a number that JSON does not have is never stored")
    return number


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        raise MismatchError(f"got {value}; a number that JSON does not have is never stored")
    return str(value)


def _finite_decimal(text: str) -> Decimal:
    number = Decimal(text)
    if not number.is_finite():
        raise ValueError(text)
    return number


def _union(args: tuple[Any, ...]) -> Codec:
    """An optional, or a choice between types whose JSON differs; the first that fits is taken."""
    members = [codec_of(arg) for arg in args if arg is not NoneType]
    is_optional = NoneType in args

    def convert(value: Any, side: Callable[[Codec], Converter]) -> Any:
        if value is None and is_optional:
            return None
        for member in members[:-1]:
            try:
                return side(member)(value)
            except MismatchError:
                continue
        return side(members[-1])(value)

    if is_optional and len(members) == 1:
        one = members[0]
        return Codec(
            lambda value: None if value is None else one.encode(value),
            lambda value: None if value is None else one.decode(value),
        )
    return Codec(
        lambda value: convert(value, lambda codec: codec.encode),
        lambda value: convert(value, lambda codec: codec.decode),
    )


def _each(convert: Converter, values: Sequence[Any]) -> list[Any]:
    converted: list[Any] = []
    try:
        for value in values:
            converted.append(convert(value))
    except MismatchError as error:
        raise error.within(f"[{len(converted)}]") from None
    return converted


def _need(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise MismatchError(f"got {type(value).__name__}; expected {kind.__name__}")
    return value


def _array(item: Any) -> Codec:
    codec = codec_of(item)
    return Codec(
        lambda value: _each(codec.encode, _need(value, tuple)),
        lambda value: tuple(_each(codec.decode, _need(value, list))),
    )


def _fixed_array(items: tuple[Any, ...]) -> Codec:
    codecs = [codec_of(item) for item in items]

    def sized(value: Any) -> Any:
        if len(value) != len(codecs):
            raise MismatchError(f"got {len(value)} items; expected {len(codecs)}")
        return value

    return Codec(
        lambda value: [
            codec.encode(item)
            for codec, item in zip(codecs, sized(_need(value, tuple)), strict=True)
        ],
        lambda value: tuple(
            codec.decode(item)
            for codec, item in zip(codecs, sized(_need(value, list)), strict=True)
        ),
    )


def _object(key: Any, item: Any) -> Codec:
    keys, values = _keycodec_of(key), codec_of(item)

    def convert(mapping: Any, on_key: Converter, on_value: Converter) -> dict[Any, Any]:
        converted = {}
        for name, value in mapping.items():
            try:
                converted[on_key(name)] = on_value(value)
            except MismatchError as error:
                raise error.within(f".{name}") from None
        return converted

    return Codec(
        lambda value: convert(_need(value, Mapping), keys.encode, values.encode),
        lambda value: convert(_need(value, dict), keys.decode, values.decode),
    )


def _keycodec_of(key: Any) -> Codec:
    """Keys of a JSON object are text; a whole number is written in digits."""
    return _scalar((int,), str, int) if key is int else codec_of(key)


def _enum(cls: type[StrEnum]) -> Codec:
    return _scalar((cls,), lambda member: member.value, cls)


def _record(cls: Any) -> Codec:
    """The codec of a dataclass; its fields' codecs are built at first use, so types may recurse."""
    hints = get_type_hints(cls)
    named = dataclasses.fields(cls)
    required = {
        field.name
        for field in named
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }

    @cache
    def codecs() -> dict[str, Codec]:
        return {field.name: codec_of(hints[field.name]) for field in named}

    def encode_it(record: Any) -> dict[str, Any]:
        if type(record) is not cls:
            raise MismatchError(f"got {type(record).__name__}; expected {cls.__name__}")
        encoded = {}
        for name, codec in codecs().items():
            try:
                encoded[name] = codec.encode(getattr(record, name))
            except MismatchError as error:
                raise error.within(f".{name}") from None
        return encoded

    def decode_it(value: Any) -> Any:
        return cls(**_arguments(_need(value, dict), codecs(), required))

    return Codec(encode_it, decode_it)


def _arguments(
    value: dict[str, Any], codecs: Mapping[str, Codec], required: set[str]
) -> dict[str, Any]:
    """A record's decoded fields; refuses keys that are unknown or missing."""
    arguments = {}
    for name, item in value.items():
        if name not in codecs:
            raise MismatchError(f"unknown key {name!r}; expected {', '.join(codecs)}")
        try:
            arguments[name] = codecs[name].decode(item)
        except MismatchError as error:
            raise error.within(f".{name}") from None
    if missing := sorted(required - arguments.keys()):
        raise MismatchError(f"missing {', '.join(missing)}")
    return arguments


# --- values that are JSON already ---------------------------------------------------------------


def _encode_json(value: Any) -> PlainJson:
    if isinstance(value, Decimal):
        return {"$decimal": _decimal_text(value)}
    if isinstance(value, Mapping):
        if any(not isinstance(name, str) for name in value):
            raise MismatchError("an object's key is not text")
        if any(name.startswith("$") for name in value):
            return {"$object": [[name, _encode_json(item)] for name, item in value.items()]}
        return {name: _encode_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encode_json(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return _finite_float(value)


def _decode_json(value: PlainJson) -> Any:
    if isinstance(value, list):
        return [_decode_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$decimal"}:
        return _SCALARS[Decimal].decode(value["$decimal"])
    if value.keys() == {"$object"}:
        return {name: _decode_json(item) for name, item in value["$object"]}
    return {name: _decode_json(item) for name, item in value.items()}


def _unbase64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


_JSON = Codec(_encode_json, _decode_json)
_SCALARS: dict[Any, Codec] = {
    str: _exactly(str),
    bool: _exactly(bool),
    int: _exactly(int),
    NoneType: _exactly(NoneType),
    float: Codec(_finite_float, _finite_float),
    Decimal: _scalar((Decimal,), _decimal_text, _finite_decimal),
    Fraction: _scalar((Fraction,), str, Fraction),
    date: _scalar((date,), date.isoformat, date.fromisoformat),
    datetime: _scalar((datetime,), datetime.isoformat, datetime.fromisoformat),
    Path: _scalar((Path,), Path.as_posix, Path),
    bytes: _scalar((bytes,), lambda value: base64.b64encode(value).decode("ascii"), _unbase64),
}

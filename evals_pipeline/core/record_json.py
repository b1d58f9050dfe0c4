"""Records to JSON and back, exactly: what was encoded decodes to an equal record.

Driven by the annotations of frozen dataclasses. JSON has fewer types than the records, so some are
written as text and read back by their annotation:

    Decimal, Fraction     "1.50", "1/3"         StrEnum           its value
    datetime              ISO 8601              Path              POSIX text
    tuple                 array                 bytes             base64
    Mapping               object; keys are text, an enum's value or a whole number

A ``JsonValue`` keeps its JSON form, except that a Decimal becomes ``{"$decimal": "1.50"}`` (so that
``1.50`` is neither ``1.5`` nor a float) and an object one of whose keys starts with ``$`` becomes
``{"$object": [[key, value], …]}``. Numbers that JSON does not have (NaN, infinities) are refused.
Reading is strict: unknown and missing keys, and values of another type, are refused with the place.
The order of a mapping's keys survives.
"""

import json
from typing import Any, TypeVar

from evals_pipeline.core.errors import Fault, InputError
from evals_pipeline.core.record_codecs import MismatchError, PlainJson, codec_of

T = TypeVar("T")


class RecordJsonError(InputError):
    """A record that JSON cannot hold, or JSON that is not the record it should be."""


def encode(record: object) -> PlainJson:
    """The plain JSON value of a dataclass record.

    Raises:
        RecordJsonError: a value does not fit its annotation, or is NaN or infinite.
    """
    cls = type(record)
    try:
        return codec_of(cls).encode(record)
    except MismatchError as error:
        raise _refusal(cls, error) from None


def decode(cls: type[T], value: PlainJson) -> T:
    """The record of class ``cls`` that ``encode`` made ``value`` from.

    A missing key takes the field's default, so that records may gain fields.

    Raises:
        RecordJsonError: an unknown or missing key, or a value of another type.
    """
    try:
        record: T = codec_of(cls).decode(value)
    except MismatchError as error:
        raise _refusal(cls, error) from None
    return record


def to_text(record: object) -> str:
    """The record as one line of strict JSON."""
    return json.dumps(encode(record), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_text(cls: type[T], text: str) -> T:
    """The record that ``to_text`` wrote.

    Raises:
        RecordJsonError: as ``decode``, and when the text is not JSON.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _refusal(cls, MismatchError(f"not JSON: {error}")) from None
    return decode(cls, value)


def _refusal(cls: type[Any], error: MismatchError) -> RecordJsonError:
    fault = Fault(where=f"{cls.__name__}{error.place}", problem=error.problem)
    return RecordJsonError([fault])

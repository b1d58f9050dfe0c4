"""Where in the text of a JSON answer each value stands, so that tokens can be laid along it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark>[{}\[\],:])|(?P<plain>[^\s{}\[\],:"]+))',
    re.DOTALL,
)
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of bytes of the text in UTF-8."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class _NotJsonError(Exception):
    """The text is not the JSON that the caller took it for."""


def value_spans(text: str) -> dict[Path, Span]:
    """The place of every value of the first JSON object or array in ``text``, by its path.

    Strings are given without their quotes, so that an empty one is given with them. Empty when the
    text holds no whole JSON value.

    >>> value_spans('{"a": "xy"}')[("a",)]
    Span(start=7, end=9)
    """
    begins = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if begins < 0:
        return {}
    spans: dict[Path, tuple[int, int]] = {}
    try:
        _read_value(_tokens(text, begins), (), spans)
    except (_NotJsonError, StopIteration, RecursionError):
        return {}
    in_bytes = _byte_offsets(text)
    return {
        path: Span(start=in_bytes[start], end=in_bytes[end]) for path, (start, end) in spans.items()
    }


def _byte_offsets(text: str) -> list[int]:
    offsets = [0]
    for letter in text:
        offsets.append(offsets[-1] + len(letter.encode("utf-8", errors="replace")))
    return offsets


def _tokens(text: str, position: int) -> Iterator[_Token]:
    while found := _TOKEN.match(text, position):
        kind = str(found.lastgroup)
        yield _Token(kind, found[kind], found.start(kind), found.end(kind))
        position = found.end()


def _read_value(
    tokens: Iterator[_Token],
    path: Path,
    spans: dict[Path, tuple[int, int]],
    first: _Token | None = None,
) -> None:
    token = first or next(tokens)
    end = token.end
    if token.kind == "mark" and token.text == "{":
        end = _read_members(tokens, path, spans)
    elif token.kind == "mark" and token.text == "[":
        end = _read_items(tokens, path, spans)
    elif token.kind == "mark":
        raise _NotJsonError
    is_text = token.kind == "string" and end - token.start > 2
    spans[path] = (token.start + 1, end - 1) if is_text else (token.start, end)


def _read_members(tokens: Iterator[_Token], path: Path, spans: dict[Path, tuple[int, int]]) -> int:
    token = next(tokens)
    while token.text != "}":
        if token.kind != "string" or next(tokens).text != ":":
            raise _NotJsonError
        _read_value(tokens, (*path, token.text[1:-1]), spans)
        token = next(tokens)
        if token.text == ",":
            token = next(tokens)
        elif token.text != "}":
            raise _NotJsonError
    return token.end


def _read_items(tokens: Iterator[_Token], path: Path, spans: dict[Path, tuple[int, int]]) -> int:
    token, number = next(tokens), 0
    while token.text != "]":
        _read_value(tokens, (*path, number), spans, token)
        token, number = next(tokens), number + 1
        if token.text == ",":
            token = next(tokens)
        elif token.text != "]":
            raise _NotJsonError
    return token.end

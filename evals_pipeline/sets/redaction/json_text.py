"""Passages of JSON: every text and number, labelled by the key that it stands under."""

import json
import re
from collections.abc import Iterator

from evals_pipeline.sets.redaction.label_words import telling_name
from evals_pipeline.sets.redaction.passages import Passage, plain_passage

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|-?\d[\d.eE+\-]*+|[{}\[\]]', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)


def json_passages(source: str, *, offset: int = 0) -> Iterator[Passage]:
    """The texts, keys and numbers of a JSON source, each on its own.

    A number becomes a text when it is replaced, so that the result is JSON still.
    """
    keys = [""]  # that of each object that is open, the innermost last
    for token in _TOKEN.finditer(source):
        written, start = token.group(), offset + token.start()
        if written in "{[":
            keys.append("")
        elif written in "}]":
            keys = keys[:-1] or [""]
        elif written.startswith('"'):
            label = "" if _is_key(source, token.end()) else _label(keys)
            passage = _string(written, start, before=label)
            yield passage
            if _is_key(source, token.end()):
                keys[-1] = passage.text
        else:
            yield Passage(
                text=written,
                # The whole number is replaced, whichever digits of it were found.
                starts=[start] * len(written),
                ends=[start + len(written)] * len(written),
                before=_label(keys),
                quoted=json.dumps,
            )


def _label(keys: list[str]) -> str:
    return telling_name(*[key for key in reversed(keys) if key][:2])


def json_values(source: str) -> str:
    """The texts that are values, one a line: how a value split over several texts is noticed."""
    return "\n".join(
        _string(token.group(), 0).text
        for token in _TOKEN.finditer(source)
        if token.group().startswith('"') and not _is_key(source, token.end())
    )


def _is_key(source: str, end: int) -> bool:
    while end < len(source) and source[end] in " \t\r\n":
        end += 1
    return source.startswith(":", end)


def _string(token: str, offset: int, *, before: str = "") -> Passage:
    inner = token[1:-1]
    if "\\" not in inner:
        return plain_passage(inner, offset=offset + 1, before=before)
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    while position < len(inner):
        escape = _ESCAPE.match(inner, position)
        written = escape.group() if escape else inner[position]
        for letter in _unescaped(written):
            letters.append(letter)
            starts.append(offset + 1 + position)
            ends.append(offset + 1 + position + len(written))
        position += len(written)
    return Passage(text="".join(letters), starts=starts, ends=ends, before=before)


def _unescaped(written: str) -> str:
    try:
        return str(json.loads(f'"{written}"'))
    except ValueError:
        return written

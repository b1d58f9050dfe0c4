"""On which line of a JSON text a value stands, for messages about it."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from evals_pipeline.core.strict_yaml import YamlPath

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class JsonLines:
    """The lines of the values of one JSON text that a strict reader took.

    The text is looked through when the first line is asked for: most files have no fault.
    """

    def __init__(self, text: str | bytes) -> None:
        self._text = text

    def line_of(self, path: YamlPath) -> int:
        """The line of ``path``, else of the nearest parent that stands in the text; from 1.

        >>> JsonLines('{"a": 1,\\n "b": [1,\\n 2]}').line_of(("b", 1))
        3
        >>> JsonLines('{"a": 1,\\n "b": {}}').line_of(("b", "missing"))
        2
        """
        ends = range(len(path), 0, -1)
        return next((self._lines[path[:end]] for end in ends if path[:end] in self._lines), 1)

    @cached_property
    def _lines(self) -> dict[YamlPath, int]:
        raw = self._text
        text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw
        lines: dict[YamlPath, int] = {}
        for path, line in _places(text):
            lines.setdefault(path, line)
        return lines


def _places(text: str) -> Iterator[tuple[YamlPath, int]]:
    """The path and line of every key and every item, in the order of the text."""
    path: list[str | int] = []
    line, counted_to = 1, 0
    for token, following in pairwise([*_TOKEN.finditer(text), None]):
        assert token is not None
        line += text.count("\n", counted_to, token.start())
        counted_to = token.start()
        mark = token.group()
        if mark == "," and path and isinstance(path[-1], int):
            path[-1] += 1
        elif mark in "}]":
            path.pop()
        elif mark[0] == '"' and following is not None and following.group() == ":":
            path[-1] = str(json.loads(mark))
            yield tuple(path), line
        elif mark not in ",:":
            if path and isinstance(path[-1], int):
                yield tuple(path), line
            if mark in "{[":
                path.append(0 if mark == "[" else "")

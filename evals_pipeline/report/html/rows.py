"""Rows that the page filters and pages through, as compact JSON: columns of small numbers.

Everything that repeats (texts, documents, traces, sets of runs) stands once and is referred to by
its place, so that a hundred thousand rows stay a page that opens. All text is made visible here:
what the browser gets holds no control characters and no turns of direction.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from evals_pipeline.core.visible import visible_block, visible_line
from evals_pipeline.report.html.marking import Differences, differences
from evals_pipeline.report.html.page import Excerpt, Side

LONGEST_SHOWN = 2_000
LONGEST_NAME = 80
ABSENT = -1
_SIDES = {Side.WANT: 0, Side.GOT: 1, Side.BOTH: 2}
Json: TypeAlias = dict[str, Any]


class Once:
    """Keeps every value once and gives its place."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self._places: dict[Hashable, int] = {}

    def place(self, value: Hashable, kept: Any = None) -> int:
        """Where ``value`` (or what is ``kept`` for it) stands."""
        found = self._places.get(value)
        if found is None:
            found = self._places[value] = len(self.kept)
            self.kept.append(value if kept is None else kept)
        return found


class Rows:
    """Rows under way: columns, and what their numbers refer to; ``ABSENT`` refers to nothing."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in columns}
        self.texts = Once()
        self.lists = Once()
        self.marks = Once()
        self.places = Once()

    def add(self, **values: Any) -> None:
        """One more row, every column given."""
        for name, value in values.items():
            self.columns[name].append(value)

    def text(self, value: str | None) -> int:
        """The place of a text made visible; absence is a number of its own."""
        return ABSENT if value is None else self.texts.place(shown(value))

    def text_list(self, values: Iterable[str]) -> int:
        """The place of several texts in order."""
        places = tuple(self.texts.place(shown(value)) for value in values)
        return self.lists.place(places, list(places)) if places else ABSENT

    def runs(self, runs: Iterable[int]) -> int:
        """The place of a set of run indices."""
        ordered = tuple(sorted(runs))
        return self.lists.place(ordered, list(ordered))

    def marked(
        self,
        want: str | None,
        got: str | None,
        find: Callable[[str, str], Differences] = differences,
    ) -> int:
        """The ranges to mark in both texts as they are shown."""
        if want is None or got is None:
            return ABSENT
        left, right = shown(want), shown(got)
        found = find(left, right)
        if not found.want and not found.got:
            return ABSENT
        ranges = (
            tuple(_utf16(left, place) for pair in found.want for place in pair),
            tuple(_utf16(right, place) for pair in found.got for place in pair),
        )
        return self.marks.place(ranges, [list(ranges[0]), list(ranges[1])])

    def excerpts(self, found: Sequence[Excerpt]) -> int:
        """The place of a document's excerpts."""
        if not found:
            return ABSENT
        return self.places.place(tuple(found), [self._excerpt(one) for one in found])

    def _excerpt(self, one: Excerpt) -> list[Any]:
        """``[line, text, [start, end, side, …]]`` with the marks laid along the visible text."""
        parts: list[str] = []
        marks: list[int] = []
        length = at = 0
        for mark in one.marks:
            before, inside = one.text[at : mark.start], one.text[mark.start : mark.end]
            for piece, is_marked in ((before, False), (inside, True)):
                text = visible_block(piece)
                start, length = length, length + _utf16(text, len(text))
                parts.append(text)
                if is_marked:
                    marks += [start, length, _SIDES[mark.side]]
            at = mark.end
        parts.append(visible_block(one.text[at:]))
        return [one.line, self.texts.place("".join(parts)), marks]

    def as_json(self, **head: Any) -> Json:
        """The rows with what they refer to, and what the caller states beside them."""
        return {
            **head,
            "texts": self.texts.kept,
            "lists": self.lists.kept,
            "marks": self.marks.kept,
            "places": self.places.kept,
            "rows": self.columns,
        }


def shown(text: str) -> str:
    """A text on one line, invisible characters written out, cut where it is far too long."""
    if len(text) <= LONGEST_SHOWN:
        return visible_line(text)
    return f"{visible_line(text, limit=LONGEST_SHOWN)} ({len(text)} characters)"


def shown_name(text: str) -> str:
    """A name as the page's tables and filters write it."""
    return visible_line(text, limit=LONGEST_NAME)


def _utf16(text: str, place: int) -> int:
    """The place as JavaScript counts it."""
    if text.isascii():
        return place
    return place + sum(char > "\uffff" for char in text[:place])

"""Passages: stretches of a document as a reader sees them, each letter with its place.

A value may stand in the source in other letters than a reader sees: as entities, as escapes, split
by tags. It is looked for in passages and replaced in the source.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


def as_it_is(placeholder: str) -> str:
    """How a placeholder is written where nothing needs quoting."""
    return placeholder


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of text; letter ``i`` stands at ``starts[i]:ends[i]`` of the source.

    A letter with an empty range was put in by the reader (the break that a table cell makes).
    ``before`` is what labels the passage without being in it: a JSON key, an attribute's name.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    before: str = ""
    quoted: Callable[[str], str] = as_it_is


class Edit(NamedTuple):
    """A range of the source and what stands there instead."""

    start: int
    end: int
    text: str


def plain_passage(text: str, *, offset: int = 0, before: str = "") -> Passage:
    """Text that stands in the source letter by letter, from ``offset`` on."""
    length = len(text)
    return Passage(
        text=text,
        starts=range(offset, offset + length),
        ends=range(offset + 1, offset + length + 1),
        before=before,
    )


def edits_for(passage: Passage, start: int, end: int, placeholder: str) -> list[Edit]:
    """The edits that put ``placeholder`` in the place of ``passage.text[start:end]``.

    What stands between the letters in the source, such as tags, stays: the placeholder goes where
    the first letter was, and every other piece becomes empty.
    """
    pieces: list[list[int]] = []
    for i in range(start, end):
        first, last = passage.starts[i], passage.ends[i]
        if first == last or (pieces and first < pieces[-1][1]):
            continue  # put in by the reader, or a further letter of one escape
        if pieces and pieces[-1][1] == first:
            pieces[-1][1] = last
        else:
            pieces.append([first, last])
    texts = [passage.quoted(placeholder), *[""] * len(pieces)]
    return [Edit(first, last, text) for (first, last), text in zip(pieces, texts, strict=False)]


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """The source with all edits made; of two that overlap the first one is made."""
    parts: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position:
            continue
        parts += (source[position : edit.start], edit.text)
        position = edit.end
    parts.append(source[position:])
    return "".join(parts)

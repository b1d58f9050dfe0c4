"""Passages of HTML and XML: the running text across tags, every attribute, every comment.

Nothing is parsed into a tree, because the source has to be written back as it was, only with some
letters replaced. A value that tags split (``GB29 <b>NWBK</b>``) stands whole in the running text.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from evals_pipeline.sets.redaction.json_text import json_passages
from evals_pipeline.sets.redaction.label_words import telling_name
from evals_pipeline.sets.redaction.passages import Passage, plain_passage

_TOKEN = re.compile(
    r"""(?P<comment><!--.*?(?:-->|\Z))"""
    r"""|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)"""
    r"""|(?P<other><[?!][^>]*+(?:>|\Z))"""
    r"""|(?P<tag></?(?P<name>[A-Za-z_][\w:.\-]*+)(?:[^>"']++|"[^"]*+"|'[^']*+')*+>)"""
    r"""|(?P<broken></?[A-Za-z_][^>]*+(?:>|\Z))""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?P<name>[^\s"'<>/=]++)\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<bare>[^\s>]++))"""
)
_CHARREF = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_PERCENT = re.compile(r"%[0-7][0-9A-Fa-f]")
_RAW = frozenset({"script", "style"})
# Elements inside a line: a value may be split by them without a break that a reader sees.
_INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"}
    | {"font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "ruby", "s"}
    | {"samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)
_GEOMETRY = frozenset({"d", "points", "viewbox", "transform", "style", "class", "srcset", "sizes"})


def markup_passages(source: str, *, is_xml: bool = False) -> Iterator[Passage]:
    """The passages of an HTML or XML source; the running text comes last.

    In XML the names of elements say what their texts are, so that each text comes alone as well.
    """
    flow = _Flow()
    position = 0
    raw_until = ""
    path: list[str] = []
    for token in _TOKEN.finditer(source):
        if token.start() < position:
            continue
        between = source[position : token.start()]
        if raw_until and not source.startswith(f"</{raw_until}", token.start()):
            continue
        if raw_until:
            yield from _raw_passages(between, position)
            raw_until = ""
        else:
            flow.text(between, position)
            if is_xml and between.strip():
                yield _decoded(between, position, before=telling_name(*path[:-4:-1]))
        position = token.end()
        if token["cdata"] is not None:
            flow.text(token["cdata"], token.start("cdata"), has_references=False)
        elif token["tag"] is not None:
            name = token["name"].lower()
            flow.tag(name, is_xml=is_xml)
            yield from _attribute_passages(token["tag"], token.start("tag"))
            _follow(path, token["tag"], token["name"])
            if name in _RAW and _is_opening(token["tag"]) and not is_xml:
                raw_until = name
        else:
            yield _decoded(token.group(), token.start())
    if raw_until:
        yield from _raw_passages(source[position:], position)
    else:
        flow.text(source[position:], position)
    yield flow.passage()


def _is_opening(tag: str) -> bool:
    return not tag.startswith("</") and not tag.endswith("/>")


def _follow(path: list[str], tag: str, name: str) -> None:
    """Keeps the names of the elements that are open."""
    if _is_opening(tag):
        path.append(name.rpartition(":")[2])
    elif tag.startswith("</") and path:
        path.pop()


@dataclass(slots=True)
class _Flow:
    """The running text as it grows."""

    letters: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def text(self, raw: str, offset: int, *, has_references: bool = True) -> None:
        passage = _decoded(raw, offset) if has_references else plain_passage(raw, offset=offset)
        self.letters.extend(passage.text)
        self.starts.extend(passage.starts)
        self.ends.extend(passage.ends)

    def tag(self, name: str, *, is_xml: bool) -> None:
        """The break that a tag makes: none inside a line, a tab at a cell, else a new line."""
        if name in _INLINE and not is_xml:
            return
        place = self.ends[-1] if self.ends else 0
        self.letters.append("\t" if name in ("td", "th") else "\n")
        self.starts.append(place)
        self.ends.append(place)

    def passage(self) -> Passage:
        return Passage(text="".join(self.letters), starts=self.starts, ends=self.ends)


def _decoded(raw: str, offset: int, *, before: str = "", is_url: bool = False) -> Passage:
    """Text with its character references, and in a URL its percent signs, read."""
    if "&" not in raw and not (is_url and "%" in raw):
        return plain_passage(raw, offset=offset, before=before)
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    while position < len(raw):
        text, end = raw[position], position + 1
        if text == "&" and (reference := _CHARREF.match(raw, position)):
            text, end = _reference(reference.group(), position)
        elif is_url and text == "%" and (escape := _PERCENT.match(raw, position)):
            text, end = chr(int(escape.group()[1:], 16)), escape.end()
        for letter in text:
            letters.append(letter)
            starts.append(offset + position)
            ends.append(offset + end)
        position = end
    return Passage(text="".join(letters), starts=starts, ends=ends, before=before)


def _reference(written: str, position: int) -> tuple[str, int]:
    """What a reference stands for and where it ends; one that stands for nothing is its letters."""
    text = html.unescape(written)
    if text == written:
        return "&", position + 1
    # "&copyright" is a reference with letters behind it.
    rest = len(text) - 1 if not written.endswith(";") and len(text) > 1 else 0
    if rest and written.endswith(text[-rest:]):
        return text[:-rest], position + len(written) - rest
    return text, position + len(written)


def _attribute_passages(tag: str, offset: int) -> Iterator[Passage]:
    for match in _ATTRIBUTE.finditer(tag):
        group = match.lastgroup or "bare"
        name = match["name"].lower()
        if group == "name" or name in _GEOMETRY:
            continue
        is_url = name in ("href", "src", "action", "cite", "data-href") or ":" in match[group][:12]
        # What else the tag states may say what it is: <input name="phone" value="…">.
        others = [other[other.lastgroup or "bare"] for other in _ATTRIBUTE.finditer(tag)]
        label = telling_name(name, *(other for other in others if other != match[group]))
        yield _decoded(match[group], offset + match.start(group), before=label, is_url=is_url)


def _raw_passages(text: str, offset: int) -> Iterator[Passage]:
    """A script or a style sheet; structured data inside is read as the JSON that it is."""
    if text.strip()[:1] in ("{", "["):
        yield from json_passages(text, offset=offset)
    else:
        yield plain_passage(text, offset=offset)

"""The pages of the documentation, taken apart: fenced blocks, commands, links, headings.

A line ``<!-- tested -->`` before a block of console lines says that its output is checked, and
``<!-- tested: exit 1 -->`` with which status the last command ends.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"(?P<mark><!-- tested(?:: exit (?P<status>\d))? -->\n+)?"
    r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_INLINE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_COMMAND = re.compile(r"(?:^|[\s:;&|(])(?:\.venv/bin/)?(evals(?: .*)?)$")
_SHELL = frozenset({"console", "bash", "sh", "shell", "yaml", "yml", "make"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block; ``status`` is None where its output is not checked."""

    page: Path
    line: int
    language: str
    text: str
    status: int | None

    @property
    def name(self) -> str:
        """Where it stands, for a test's name."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A command line as a page names it, split into words, ``evals`` not among them."""

    where: str
    words: tuple[str, ...]


def pages() -> tuple[Path, ...]:
    """Every page: those at the root, and all under docs/."""
    roots = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return (*roots, *sorted(DOCS.rglob("*.md")))


@cache
def text_of(page: Path) -> str:
    """A page's text."""
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, without their indent."""
    text = text_of(page)
    for found in _FENCE.finditer(text):
        indent = len(found["indent"])
        lines = (line[indent:] for line in found["text"].splitlines())
        status = None if found["mark"] is None else int(found["status"] or 0)
        yield Block(
            page=page,
            line=text.count("\n", 0, found.start("language")) + 1,
            language=found["language"],
            text="\n".join(lines),
            status=status,
        )


def prose(page: Path) -> str:
    """A page without its fenced blocks; lines keep their numbers."""
    return _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text_of(page))


def commands(page: Path) -> Iterator[Named]:
    """Every ``evals`` command line on a page, in shell blocks and between backticks."""
    for block in blocks(page):
        if block.language in _SHELL:
            for line in block.text.replace("\\\n", " ").splitlines():
                yield from _named(line, where=f"{block.name} {line.strip()!r}")
    for found in _INLINE.finditer(prose(page)):
        if re.match(r"(?:\.venv/bin/)?evals\s", found[1]):
            yield from _named(" ".join(found[1].split()), where=f"{page.name} {found[1]!r}")


def _named(line: str, *, where: str) -> Iterator[Named]:
    text = line.strip().removeprefix("$ ")
    if text.startswith("#"):
        return
    for part in re.split(r"\s*(?:&&|\|\||;|\|)\s*", text):
        found = _COMMAND.search(part)
        if found is None:
            continue
        words = shlex.split(re.sub(r"\s\d?>.*$", "", found[1]), comments=True)
        yield Named(where=where, words=tuple(words[1:]))


def links(page: Path) -> Iterator[str]:
    """The targets of the links and pictures of a page that lie in the repository."""
    text = prose(page)
    for pattern in (_LINK, _IMAGE):
        for found in pattern.finditer(text):
            if not re.match(r"[a-z][a-z+.-]*:", found[1]):
                yield found[1]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as both the site and code hosts make them."""
    found: list[str] = []
    for heading in _HEADING.finditer(prose(page)):
        slug = slug_of(heading[2])
        n_before = sum(1 for one in found if re.fullmatch(rf"{re.escape(slug)}(_\d+)?", one))
        found.append(slug if not n_before else f"{slug}_{n_before}")
    return frozenset(found)


def slug_of(heading: str) -> str:
    """The anchor of a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or "", heading)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def sections(page: Path) -> dict[str, str]:
    """The text under each heading of a page, deeper headings included, code too."""
    text = text_of(page)
    found = [
        (len(heading[1]), re.sub(r"`", "", heading[2]), heading.end())
        for heading in _HEADING.finditer(prose_with_offsets(text))
    ]
    parts: dict[str, str] = {}
    for place, (level, title, start) in enumerate(found):
        end = next((one[2] for one in found[place + 1 :] if one[0] <= level), len(text))
        parts[title] = text[start:end]
    return parts


def prose_with_offsets(text: str) -> str:
    """The text with fenced blocks blanked, every character in its place."""
    return _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)

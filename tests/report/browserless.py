"""The page with its script run in an engine without a browser, over ``dom.js`` as the document."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from py_mini_racer import MiniRacer

VOID = {"meta", "br", "link", "img", "input", "hr"}
Tree = tuple[str, list[tuple[str, str | None]], list[object]]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: Tree = ("root", [], [])
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element: Tree = (tag, attrs, [])
        self.open[-1][2].append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1][2].append((tag, attrs, []))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1][2].append(data)


class OpenPage:
    """A page whose script has run; what a person does to it is an event."""

    def __init__(self, html: str, address: str = "") -> None:
        builder = _Builder()
        builder.feed(html)
        builder.close()
        found = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
        assert len(found) == 1
        self._engine = MiniRacer()
        self._engine.eval(Path(__file__).with_name("dom.js").read_text(encoding="utf-8"))
        self._engine.eval(f"open({json.dumps(builder.root)}, {json.dumps(address)}); 0")
        self._engine.eval(f"{found[0]}\ndrain();")

    @property
    def dom(self) -> str:
        """The document as it stands."""
        return str(self._engine.eval("root.html"))

    @property
    def address(self) -> str:
        """What stands behind the page's name in the address."""
        return str(self._engine.eval("location.hash"))

    def do(self, script: str) -> None:
        """An action, in the words of the engine; ``of(key)`` is a set's list of rows."""
        of = "(key) => document.getElementById(`${key}-misses`)"
        self._engine.eval(f"{{ const of = {of}; {script} }} drain();")

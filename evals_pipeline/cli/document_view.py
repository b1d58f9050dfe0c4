"""Shows a document's text a screen at a time, with line numbers, safely and folded to the width."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from evals_pipeline.core.visible import visible_line
from evals_pipeline.sets.redaction.folding import bare

_MOST_FOUND = 12
_GUTTER = 7


@dataclass(slots=True, kw_only=True)
class DocumentView:
    """A document's text; ``lines`` is empty for a picture, whose ``place`` is shown instead.

    Args:
        title: What stands above it.
        place: Where its file lies.
        text: What it says; None for a picture.
        say: Shows one line.
        width: Letters that fit on a line.
        height: Lines that fit on a screen beside the question.
    """

    title: str
    place: str
    text: str | None
    say: Callable[[str], None]
    width: int
    height: int
    _next: int = 0
    lines: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.text.rstrip("\n").split("\n") if self.text else []

    def show_start(self) -> None:
        """The title and the first screen."""
        self._next = 0
        self.say("")
        self.say(f"── {self.title} {'─' * max(0, self.width - len(self.title) - 4)}")
        if not self.lines:
            self.say(f"  It has no text to show here. Open it beside this: {self.place}")
            return
        self.show_more()

    def show_more(self) -> None:
        """The next screen; after the last one it says so."""
        if self._next >= len(self.lines):
            self.say("        the document ends here; :doc shows it from the start")
            return
        shown = 0
        while self._next < len(self.lines):
            rows = [*self._rows(self._next)]
            if shown and shown + len(rows) > self.height:
                break
            for row in rows:
                self.say(row)
            shown += len(rows)
            self._next += 1
        left = len(self.lines) - self._next
        if left:
            self.say(
                f"{'':>{_GUTTER}}… {left} more lines; :more shows them, :find TEXT looks there"
            )

    def show_found(self, text: str) -> None:
        """The lines that hold a text, whatever its case, accents and spaces."""
        wanted = bare(text)
        found = [n for n, line in enumerate(self.lines) if wanted and wanted in bare(line)]
        for number in found[:_MOST_FOUND]:
            for row in self._rows(number):
                self.say(row)
        if len(found) > _MOST_FOUND:
            self.say(f"        and {len(found) - _MOST_FOUND} more lines")
        if not found:
            self.say("        no line holds that")

    def _rows(self, number: int) -> Iterator[str]:
        line = visible_line(self.lines[number].expandtabs(4)).rstrip()
        rows = textwrap.wrap(
            line,
            max(20, self.width - _GUTTER),
            drop_whitespace=False,
            replace_whitespace=False,
            break_on_hyphens=False,
        )
        yield f"{number + 1:>{_GUTTER - 3}} │ {rows[0] if rows else ''}".rstrip()
        for row in rows[1:]:
            yield f"{'':>{_GUTTER - 3}} │ {row.lstrip()}"

"""Terminal output as plain text, for pipes, logs and tests."""

from io import StringIO

from rich.console import Console, RenderableType


def as_text(renderable: RenderableType, *, width: int) -> str:
    """What a terminal of that width would show, without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"

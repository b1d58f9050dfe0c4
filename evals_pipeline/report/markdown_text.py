"""Text in Markdown that stays text: what a document says makes no link, mention, table or HTML.

Special characters become numeric character references, which Markdown shows and never reads as
structure. Within ``<code>`` GitHub looks for no mentions and no issue numbers either.
"""

import re

from evals_pipeline.core.visible import visible_line

_SPECIAL = re.compile(
    r"[\\`*\[\]<>&|~$@#]"
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # within a word it starts no emphasis
    r"|:(?=[A-Za-z/+_-])"  # links and emoji
    r"|(?<=www)\.",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Text as it is, on one line.

    >>> plain("due_date: <b>|*@rk")
    'due_date: &#60;b&#62;&#124;&#42;&#64;rk'
    """
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", visible_line(text))


def code(text: str) -> str:
    """A value as people compare values, in a fixed width."""
    return f"<code>{plain(text)}</code>"


def table(columns: list[str], rows: list[list[str]]) -> list[str]:
    """A table's lines; cells come escaped, column names as they shall stand."""
    return [
        f"| {' | '.join(columns)} |",
        f"|{'|'.join(' --- ' for _ in columns)}|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def folded(summary: str, lines: list[str]) -> list[str]:
    """Lines behind a summary that opens them; the blank lines let Markdown into the HTML."""
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>", ""]

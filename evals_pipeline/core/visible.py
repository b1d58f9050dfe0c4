"""Text from documents and models, made safe to show on one line.

A document may hold what moves a terminal's cursor, turns the direction of the text after it, or
cannot be seen. All of that is written out, so that two values that differ also look different.
"""

import unicodedata

_WRITTEN_OUT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible_line(text: str, *, limit: int | None = None) -> str:
    r"""``text`` on one line, its invisible characters written as escapes.

    Args:
        text: Anything.
        limit: The most characters to show; what is longer ends in an ellipsis.

    >>> visible_line("a\x1b[31mb\nc")
    'a\\x1b[31mb\\nc'
    >>> visible_line("abcdef", limit=4)
    'abc…'
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def visible_block(text: str) -> str:
    r"""``text`` with its line breaks kept and everything else as ``visible_line`` shows it.

    >>> visible_block("a\x07b\nc")
    'a\\x07b\nc'
    """
    return "\n".join(visible_line(line) for line in text.split("\n"))


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _WRITTEN_OUT:
        return char
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or _escape(ord(char))


def _escape(point: int) -> str:
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"

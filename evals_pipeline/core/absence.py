"""The null policy, in one place: what counts as a value that is not there.

Null, a missing key and a blank string are absence. Blank includes a string of spaces and invisible
format characters of any script. An empty list and an empty object hold no value either, so a table
without rows and a null mean the same. Zero and false are values, and so are words such as "N/A":
whoever wrote them wrote something, and a set that wants them read as absence has to say so in its
prompt or its labels.
"""

import unicodedata

from evals_pipeline.core.outcomes import Presence
from evals_pipeline.core.records import JsonValue

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def is_blank(text: str) -> bool:
    """True for a string that shows nothing.

    >>> is_blank(" \\u200b\\u00a0"), is_blank("0")
    (True, False)
    """
    if text[:1].isalnum():
        return False
    return all(unicodedata.category(char) in _INVISIBLE for char in text)


def presence_of(value: object) -> Presence:
    """How a value is there or absent; a missing key is the caller's to know.

    >>> presence_of(None).value, presence_of([]).value, presence_of(0).value
    ('null', 'blank', 'value')
    """
    if isinstance(value, str):
        return Presence.BLANK if is_blank(value) else Presence.VALUE
    if value is None:
        return Presence.NULL
    if isinstance(value, list | tuple | dict) and not value:
        return Presence.BLANK
    return Presence.VALUE


def is_absent(value: JsonValue) -> bool:
    """True for null, a blank string, an empty list and an empty object."""
    return presence_of(value) is not Presence.VALUE

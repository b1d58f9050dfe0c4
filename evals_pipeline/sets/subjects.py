"""Gold subjects: which claim of the gold mentions a named entity."""

import re
from collections.abc import Sequence
from unicodedata import normalize


def default_mention(name: str, contents: Sequence[str]) -> str | None:
    """The first of ``contents`` that names ``name`` as a whole word; None when none does.

    One that spells it with the same case comes before one that does not, so that ``Go`` is found
    where it is a name, although "they go" stands earlier.

    >>> default_mention("Go", ["Going home.", "They go home.", "It was written in Go."])
    'It was written in Go.'
    """
    pattern = rf"(?<!\w){re.escape(normalize('NFC', name.strip()))}(?!\w)"
    for flags in (re.NOFLAG, re.IGNORECASE):
        for text in contents:
            if re.search(pattern, normalize("NFC", text), flags):
                return text
    return None

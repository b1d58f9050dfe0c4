"""The version of the JSON that commands print; ``docs/json.md`` describes what it holds.

A key may be added within a version; a key that changes its meaning, or goes, raises it.
"""

from collections.abc import Mapping
from typing import Any

JSON_VERSION = 1


def versioned(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document as it is printed: with the version of the interface.

    >>> versioned({"sets": []})
    {'version': 1, 'sets': []}
    """
    return {"version": JSON_VERSION, **document}

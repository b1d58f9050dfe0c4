"""Reports compared with files that somebody read and accepted.

``make accept`` writes today's reports over them; the diff is then read before it is committed.
"""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "expected"


def assert_as_accepted(actual: str, name: str) -> None:
    """Fails where a report is not the accepted one, with the difference."""
    path = FOLDER / name
    if os.environ.get("EVALS_ACCEPT"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(actual, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else "(never accepted)"
    assert actual == expected, f'{path} differs; read it, then "make accept"'

"""Files inside text: pictures in HTML, a PDF in an electronic invoice, attachments in a mail.

They come as long runs of Base64, in which nothing can be found and everything may stand.
"""

import re

SHORTEST = 200
"""Letters from which a run of Base64 counts as a file; nobody can be recognised in 150 bytes."""

_LETTERS = "[A-Za-z0-9+/_-]"
_RUN = re.compile(
    rf"{_LETTERS}{{60,}}+(?:[ \t]*\r?\n[ \t]*{_LETTERS}{{60,}}+)*"
    rf"(?:[ \t]*\r?\n[ \t]*{_LETTERS}{{1,59}}+(?==|\s*[<\"']|\s*\Z))?={{0,2}}"
)


def without_files(source: str) -> tuple[str, int]:
    """The source with the files that it holds taken out, and how many there were."""
    n_removed = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal n_removed
        run = match.group()
        if len(run) < SHORTEST or not _is_mixed(run):
            return run
        n_removed += 1
        return ""

    return _RUN.sub(replaced, source), n_removed


def _is_mixed(run: str) -> bool:
    """Capitals, small letters and digits: no ruler of dashes and no long number."""
    sorts = (str.isupper, str.islower, str.isdigit)
    return all(any(is_sort(char) for char in run) for is_sort in sorts)

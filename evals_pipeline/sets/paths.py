"""Names and paths that people write: shown short, and kept inside their folder."""

import re
from pathlib import Path

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def shown(path: Path) -> str:
    """``path`` as messages show it: relative to the working directory where it lies inside."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def is_plain_name(name: str) -> bool:
    """Whether ``name`` can only mean an entry of a folder: no separator, no ``..``, not hidden."""
    return bool(_PLAIN_NAME.fullmatch(name)) and ".." not in name


def stays_inside(path: Path, folder: Path) -> bool:
    """Whether ``path``, with every symbolic link followed, lies in ``folder``."""
    return path.resolve().is_relative_to(folder.resolve())

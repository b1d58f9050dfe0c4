"""Which suite a file holds, read also where the file cannot be loaded as one."""

import re
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.paths import shown

_LINE = re.compile(r"""^suite_id[ \t]*:[ \t]*(["']?)([^\s"'#]+)\1[ \t]*(?:#.*)?$""", re.MULTILINE)


def stated_suite_id(path: Path) -> str | None:
    """The ``suite_id`` that a suite's file states; None where it states none that can be read.

    A file that is no YAML at all is still asked for the line that states it, so that whoever names
    the suite is told what is wrong with its file, and not that there is no such suite.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    try:
        root = strict_yaml.loads(content, where=shown(path)).value
    except InputError:
        found = _LINE.search(content.decode("utf-8-sig", errors="replace"))
        return found.group(2) if found else None
    stated = root.get("suite_id") if isinstance(root, dict) else None
    return str(stated) if isinstance(stated, str) and stated.strip() else None

"""Model version keys, and names that only point at a model."""

import re

from evals_pipeline.core.errors import SetupError

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_POINTERS = frozenset(
    {"auto", "current", "default", "latest", "live", "main", "newest", "nightly", "stable"}
)


def check_model_version(key: str) -> str:
    """``key`` itself, when it can name a partition, a folder and a file.

    Raises:
        SetupError: It is empty, over 64 characters, or holds others than letters, digits and
            ``. _ - @``, or does not start with a letter or digit.
    """
    if not _KEY.fullmatch(key):
        raise SetupError(
            f"model version {key!r}: cannot be a key; expected 1 to 64 letters, digits, "
            '".", "_", "-", "@", the first a letter or digit. Rename it in [tool.evals.models].'
        )
    return key


def is_alias(name: str) -> bool:
    """Whether ``name`` points at whatever model is current, so that nothing can be pinned to it.

    The last word decides: ``acme-large-latest`` and ``acme:latest`` are aliases,
    ``stable-layout-2`` is a name.

    >>> is_alias("acme-large-latest"), is_alias("acme-large-2026-08-15")
    (True, False)
    """
    return re.split(r"[-_.:/@\s]+", name.strip().lower())[-1] in _POINTERS

"""The keys of placeholders: kept in the user's configuration folder, named by fingerprint."""

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from evals_pipeline.core.errors import SetupError

KEY_VARIABLE = "EVALS_REDACTION_KEY"
KEY_BYTES = 32
_SHORT = 16


def key_folder(environ: Mapping[str, str]) -> Path:
    """Where keys lie: the user's configuration folder, outside of every repository."""
    base = environ.get("XDG_CONFIG_HOME")
    folder = Path(base) if base else Path(environ.get("HOME") or Path.home()) / ".config"
    return folder / "evals-pipeline" / "redaction"


def fingerprint(key: bytes) -> str:
    """What tells a key from others and says nothing about it."""
    return hmac.new(key, b"fingerprint", sha256).hexdigest()[:_SHORT]


def stated_key(environ: Mapping[str, str]) -> bytes | None:
    """The key that the environment holds.

    Raises:
        SetupError: What it holds is no key.
    """
    stated = environ.get(KEY_VARIABLE)
    return decoded(stated, where=KEY_VARIABLE) if stated else None


def decoded(text: str, *, where: str) -> bytes:
    """A key from its hex digits.

    Raises:
        SetupError: They are none.
    """
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) < KEY_BYTES:
        # Neither the text nor its length: it may be most of the key.
        raise SetupError(f"{where}: is no key; expected {2 * KEY_BYTES} hex digits. Copy it anew.")
    return key


def save_key(key: bytes, environ: Mapping[str, str]) -> Path:
    """Puts a key where later commands find it, for its owner alone."""
    folder = key_folder(environ)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{fingerprint(key)}.key"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(key.hex() + "\n")
    return path

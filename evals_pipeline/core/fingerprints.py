"""Fingerprints: SHA-256 in hex, over bytes, text, JSON values and lists of parts."""

import hashlib

from evals_pipeline.core.strict_json import dumps


def sha256_bytes(content: bytes) -> str:
    """The SHA-256 of ``content`` as 64 lower-case hex digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_text(text: str) -> str:
    """The SHA-256 of ``text`` in UTF-8."""
    return sha256_bytes(text.encode("utf-8"))


def digest_of(value: object) -> str:
    """The SHA-256 of the one text of a JSON value; the order of keys makes no difference.

    Raises:
        ValueError: The value holds NaN, an infinity or half of a surrogate pair.
        TypeError: The value has no form in JSON.
    """
    return sha256_text(dumps(value))


def digest_parts(*parts: str) -> str:
    """The SHA-256 of several texts, such that ``("ab", "c")`` and ``("a", "bc")`` differ."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8")
        hasher.update(len(encoded).to_bytes(8, "big"))
        hasher.update(encoded)
    return hasher.hexdigest()

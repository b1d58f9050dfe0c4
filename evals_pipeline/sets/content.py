"""The bytes of a fixture, checked against its fingerprint each time that they are read."""

import hashlib
from pathlib import Path

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.records import Fixture
from evals_pipeline.sets.paths import shown


def read_content(fixture: Fixture) -> bytes:
    """The bytes of ``fixture``.

    Raises:
        InputError: The file cannot be read, or its bytes are not those that were labelled.
    """
    if fixture.inline is not None:
        content, where = fixture.inline, fixture.fixture_id
    elif fixture.path is not None:
        where = shown(fixture.path)
        try:
            content = fixture.path.read_bytes()
        except OSError as error:
            raise InputError.one(where, f"cannot be read: {error.strerror}") from error
    else:
        raise InputError.one(fixture.fixture_id, "the fixture has neither a file nor bytes")
    found = sha256_bytes(content)
    if found != fixture.sha256:
        raise InputError.one(where, hash_mismatch(expected=fixture.sha256, found=found))
    return content


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file, read in pieces, so that its size does not matter.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hash_mismatch(*, expected: str, found: str) -> str:
    """The problem of a document that is no longer what was labelled."""
    return f"the bytes have changed: SHA-256 is {found}, expected {expected}"

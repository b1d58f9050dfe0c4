from pathlib import Path

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.records import Fixture
from evals_pipeline.sets.content import read_content, sha256_file
from tests.sets.builders import sha


def fixture(*, path: Path | None = None, inline: bytes | None = None) -> Fixture:
    return Fixture(
        fixture_id="d-1",
        name="d-1",
        sha256=sha("toll"),
        source_type="SLIP",
        media_type="text/plain",
        path=path,
        inline=inline,
    )


def test_bytes_come_from_the_file_or_from_the_suite(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"toll")
    assert read_content(fixture(path=path)) == b"toll"
    assert read_content(fixture(inline=b"toll")) == b"toll"


def test_other_bytes_than_labelled_are_refused(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"told")
    for changed in (fixture(path=path), fixture(inline=b"told")):
        with pytest.raises(InputError, match=f"SHA-256 is {sha('told')}"):
            read_content(changed)


def test_bytes_that_are_not_there_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read"):
        read_content(fixture(path=tmp_path / "none.txt"))
    with pytest.raises(InputError, match="neither a file nor bytes"):
        read_content(fixture())


def test_files_are_hashed_in_pieces(tmp_path: Path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"toll" * 300_000)
    assert sha256_file(path) == sha(b"toll" * 300_000)

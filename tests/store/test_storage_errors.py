import errno
import os
from pathlib import Path

import duckdb
import pytest

from evals_pipeline.store import DamagedFileError, ReadOnlyError, StorageError, Store
from evals_pipeline.store.storage_errors import writing
from tests.store import samples


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full. Free some space"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the disk is full. Free some space"),
        (
            duckdb.IOException('Could not write file "x": No space left on device'),
            "the disk is full. Free some space",
        ),
        (OSError(errno.EROFS, "Read-only file system"), "name another folder as `storage`"),
        (duckdb.IOException('Cannot open file "x": Permission denied'), "name another folder"),
        (OSError(errno.EIO, "Input/output error"), "What was stored before is whole"),
    ],
)
def test_what_stops_a_write_says_what_mends_it(error, remedy):
    with pytest.raises(StorageError, match=remedy) as refused, writing(Path("storage/x")):
        raise error
    assert str(refused.value).startswith("storage/x: cannot be written: ")


@pytest.mark.parametrize(
    ("code", "is_read_only"),
    [(errno.EROFS, True), (errno.EACCES, True), (errno.ENOSPC, False), (errno.EIO, False)],
)
def test_a_read_only_place_is_told_from_other_troubles(code, is_read_only):
    with pytest.raises(StorageError) as refused, writing(Path("storage/x")):
        raise OSError(code, os.strerror(code))
    assert isinstance(refused.value, ReadOnlyError) is is_read_only


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder(store, key, digests, stamp):
    store.refresh_catalogue()
    (store.root / "tables/extractions").chmod(0o555)
    with pytest.raises(StorageError, match="read-only"):
        store.write_extractions(key, [], {}, digests, stamp)


def test_a_storage_path_that_is_a_file(tmp_path, key, digests, stamp):
    (tmp_path / "storage").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match=r"storage/evals\.duckdb: cannot be written"):
        Store(tmp_path / "storage").write_extractions(key, [], {}, digests, stamp)


@pytest.mark.parametrize("content", [b"", b"PAR1 not really", b"\0" * 500])
def test_a_damaged_file_is_named_with_what_mends_it(store, key, digests, stamp, content):
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    path = next(store.root.glob("tables/extractions/set=*/**/data.parquet"))
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="delete it and materialise its partition again"):
        store.read_extractions(key)
    path.unlink()
    assert store.read_extractions(key) is None


def test_a_file_that_was_cut_short(store, key, digests, stamp):
    store.write_field_matches(key, [samples.match(str(i)) for i in range(500)], digests, stamp)
    path = next(store.root.glob("tables/field_matches/set=*/**/data.parquet"))
    content = bytearray(path.read_bytes())
    content[4:400] = b"\xff" * 396
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="is damaged"):
        list(store.iter_field_matches(key))


def test_a_file_that_another_program_wrote(store, key, digests, stamp):
    store.write_extractions(key, [], {}, digests, stamp)
    path = next(store.root.glob("tables/extractions/set=*/**/data.parquet"))
    path.unlink()
    duckdb.execute(f"COPY (SELECT 1 AS x) TO '{path}' (FORMAT parquet)")
    with pytest.raises(DamagedFileError, match="was not written by evals_pipeline"):
        store.header("extractions", key)


def test_a_file_of_a_later_version(store, key, digests, stamp, monkeypatch):
    monkeypatch.setattr("evals_pipeline.store.parquet.FORMAT", 99)
    store.write_extractions(key, [], {}, digests, stamp)
    monkeypatch.undo()
    with pytest.raises(DamagedFileError, match="has format 99, and this version reads up to 1"):
        store.read_extractions(key)

import os
import subprocess
import sys
from dataclasses import replace

import duckdb
import pytest
from filelock import FileLock

from evals_pipeline.store import StorageError, Store
from evals_pipeline.store.catalogue import refresh_catalogue
from evals_pipeline.store.tables import TABLES
from tests.store import samples
from tests.store.samples import rows


def test_every_table_can_be_queried_before_anything_is_stored(store):
    names = [table.name for table in TABLES if table.is_in_catalogue]
    for name in names:
        assert rows(store, f"SELECT count(*) FROM {name}") == [(0,)]
    views = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
    assert {name for (name,) in rows(store, views)} == set(names)


def test_columns_say_what_they_hold_and_payloads_stay_out(store):
    sql = "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'extractions'"
    comments = dict(rows(store, sql))
    assert comments["cost_usd"] == "Exact cost in US dollars; null is unknown, not free"
    assert "payload" not in comments


def test_it_is_read_only_and_stays_when_the_views_are_the_same(store, key, digests, stamp):
    path = store.refresh_catalogue()
    before = path.stat()
    Store(store.root).write_extractions(key, [], {}, digests, stamp)
    assert store.refresh_catalogue().stat().st_ino == before.st_ino
    assert before.st_mode & 0o777 == 0o444


def test_a_folder_that_moved_gets_new_views(store, key, digests, stamp, tmp_path):
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    moved = Store(store.root.rename(tmp_path / "mo[v]ed 'x"))
    assert rows(moved, "SELECT fixture_id FROM extractions") == [("a",)]


@pytest.mark.parametrize("lost", ["evals.duckdb", ".catalogue.digest", "tables/costs/data.parquet"])
def test_what_was_deleted_is_made_again(store, lost):
    store.refresh_catalogue()
    (store.root / lost).unlink()
    assert rows(store, "SELECT count(*) FROM costs") == [(0,)]


def test_an_empty_file_of_an_older_version_is_replaced(store, key, digests, stamp):
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    old = store.root / "tables/extractions/data.parquet"
    duckdb.execute(f"COPY (SELECT 'x' AS set_name LIMIT 0) TO '{old}' (FORMAT parquet)")
    (store.root / ".catalogue.digest").unlink()
    assert rows(store, "SELECT status FROM extractions") == [("ok",)]


def test_a_file_of_an_older_version_lacks_a_column_and_still_reads(store, key, digests, stamp):
    store.write_field_matches(key, [samples.match()], digests, stamp)
    path = next(store.root.glob("tables/field_matches/set=*/**/data.parquet"))
    kept = "COPY (SELECT * EXCLUDE (note) FROM read_parquet('{0}')) TO '{0}.new' (FORMAT parquet)"
    duckdb.execute(kept.format(path))
    path.with_name("data.parquet.new").replace(path)
    later = replace(key, run_index=1)
    store.write_field_matches(later, [samples.match(note="n")], digests, stamp)
    assert rows(store, "SELECT note FROM field_matches ORDER BY run_index") == [(None,), ("n",)]


PERSON = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
connection.execute("CREATE TABLE mine AS SELECT 1 AS x")
print("open", flush=True)
sys.stdin.read()
"""


def test_a_person_who_holds_it_for_writing_stops_nobody(store, key, digests, stamp):
    path = store.refresh_catalogue()
    path.chmod(0o644)
    with subprocess.Popen(
        [sys.executable, "-c", PERSON, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as person:
        assert person.stdout.readline() == b"open\n"
        wal = path.with_name("evals.duckdb.wal")
        assert wal.exists()
        store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
        (store.root / ".catalogue.digest").unlink()
        assert rows(store, "SELECT count(*) FROM extractions") == [(1,)]
        assert not wal.exists()
        person.stdin.close()
    assert person.returncode == 0
    assert rows(store, "SELECT count(*) FROM extractions") == [(1,)]


def test_a_connection_of_our_own_needs_no_catalogue_file(store, key, digests, stamp):
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    (store.root / "evals.duckdb").unlink()
    with store.connect() as connection:
        assert connection.execute("SELECT status FROM extractions").fetchall() == [("ok",)]


def test_a_lock_that_is_never_given_back_is_named(store):
    store.root.mkdir(parents=True)
    with (
        FileLock(store.root / ".catalogue.lock"),
        pytest.raises(StorageError, match=r"holds .*\.catalogue\.lock"),
    ):
        refresh_catalogue(store.root, lock_timeout_s=0.05)


def test_views_name_files_from_any_working_folder(tmp_path, monkeypatch, key, digests, stamp):
    monkeypatch.chdir(tmp_path)
    store = Store(type(tmp_path)("storage"))
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    path = store.refresh_catalogue()
    os.chdir("/")
    with duckdb.connect(str(path), read_only=True) as catalogue:
        assert catalogue.execute("SELECT count(*) FROM extractions").fetchall() == [(1,)]

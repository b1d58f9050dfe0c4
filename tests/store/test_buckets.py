"""The same store in an object store: in memory here, so that no network is needed."""

import uuid
from dataclasses import replace

import duckdb
import pytest

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.places import place_at
from evals_pipeline.store import Partition, StorageError, Store
from tests.store import samples


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place_at(tmp_path, f"memory://bucket-{uuid.uuid4().hex}/evals")


@pytest.fixture
def store(bucket):
    return Store(bucket)


def test_what_is_written_on_one_machine_is_read_on_another(store, bucket, key, digests, stamp):
    odd = PartitionKey(set_name="a/b [*]", model_version="m?@1", run_index=11)
    for one in (key, odd):
        store.write_extractions(one, [samples.extraction()], {}, digests, stamp)
    store.write_extractions(key, [samples.extraction("b")], {}, digests, stamp)

    other = Store(bucket)
    read = other.read_extractions(key)
    assert read is not None
    assert read.extractions == (samples.extraction("b"),)
    assert read.digests == digests
    assert other.partitions("extractions", odd.set_name) == (
        Partition(set_name=odd.set_name, model_version="m?@1", run_index=11),
    )
    assert len(other.partitions("extractions")) == 2
    assert other.header("extractions", replace(key, run_index=9)) is None
    assert other.read_extractions(replace(key, run_index=9)) is None


def test_a_write_that_fails_leaves_the_old_rows(store, bucket, key, digests, stamp):
    def judged():
        yield samples.match("new")
        raise EvalsError("the judge is gone")

    store.write_field_matches(key, [samples.match("old")], digests, stamp)
    with pytest.raises(EvalsError, match=r"^the judge is gone$"):
        store.write_field_matches(key, judged(), digests, stamp)
    assert [match.fixture_id for match in store.iter_field_matches(key)] == ["old"]
    assert not list(bucket.here.rglob("*.tmp"))


def test_a_reader_keeps_what_it_began_to_read(store, key, digests, stamp):
    many = [samples.match(str(number)) for number in range(50_000)]
    store.write_field_matches(key, many, digests, stamp)
    reading = store.iter_field_matches(key)
    next(reading)
    store.write_field_matches(key, [samples.match("new")], digests, stamp)
    assert sum(1 for _ in reading) == len(many) - 1


def test_sql_and_a_snapshot_see_all_partitions(store, key, digests, stamp, tmp_path):
    for number in range(3):
        one = replace(key, run_index=number)
        store.write_field_matches(one, [samples.match()], digests, stamp)
    with store.connect() as connection:
        assert connection.execute(
            "SELECT run_index FROM field_matches ORDER BY run_index"
        ).fetchall() == [(0,), (1,), (2,)]
    store.export(tmp_path / "all.duckdb")
    with duckdb.connect(str(tmp_path / "all.duckdb"), read_only=True) as snapshot:
        assert snapshot.execute("SELECT count(*) FROM field_matches").fetchone() == (3,)
    store.export(tmp_path / "folder", file_format="csv")
    assert (tmp_path / "folder" / "field_matches.csv").read_text().count("\n") == 4


def test_the_catalogue_lies_in_the_cache_and_names_the_bucket(store, bucket, key, digests, stamp):
    path = store.refresh_catalogue()
    assert path == bucket.here / "evals.duckdb"
    assert store.refresh_catalogue().stat().st_ino == path.stat().st_ino
    with duckdb.connect(str(path), read_only=True) as catalogue:
        for system in bucket.file_systems:
            catalogue.register_filesystem(system)
        store.write_field_matches(key, [samples.match()], digests, stamp)
        assert catalogue.execute("SELECT count(*) FROM field_matches").fetchone() == (1,)


def test_a_damaged_object_is_named(store, bucket, key, digests, stamp):
    store.write_field_matches(key, [samples.match()], digests, stamp)
    ((*steps, name),) = (bucket / "tables" / "field_matches").found([None] * 3 + ["data.parquet"])
    file = bucket / "tables" / "field_matches" / "/".join(steps) / name
    file.put(b"PAR1 not really")
    with pytest.raises(StorageError, match=r"^memory://.*is damaged"):
        store.header("field_matches", key)

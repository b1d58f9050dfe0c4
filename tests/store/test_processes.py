"""The store under several processes at once, and under processes that are killed."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import duckdb

from tests.store.samples import rows

PREPARE = """
    import sys, time
    from pathlib import Path
    from datetime import UTC, datetime
    from evals_pipeline.core.run_records import (InputDigests, PartitionKey, RunStamp)
    from evals_pipeline.store import Store
    from tests.store import samples
    store, name = Store(Path(sys.argv[1])), sys.argv[2]
    digests = InputDigests(corpus="c", prompt=None, extractor="e", gold="g", schema="s", judge="j")
    stamp = RunStamp(run_id=name, commit=None, at=datetime.now(UTC), package_version="0")
    def key(index, model="m"):
        return PartitionKey(set_name="s", model_version=model, run_index=index)
"""


def start(root, name, body):
    script = textwrap.dedent(PREPARE) + textwrap.dedent(body)
    return subprocess.Popen([sys.executable, "-c", script, str(root), name])


WRITE_MANY = """
    for index in range(8):
        rows = [samples.match(str(i), note=name, run_index=index) for i in range(50)]
        store.write_field_matches(key(index, "shared"), rows, digests, stamp)
        store.write_field_matches(key(index, name), rows, digests, stamp)
"""


def test_writers_at_once_lose_nothing_whoever_holds_the_catalogue(store):
    held = duckdb.connect(str(store.refresh_catalogue()), read_only=True)
    writers = [start(store.root, f"writer-{number}", WRITE_MANY) for number in range(3)]
    while any(writer.poll() is None for writer in writers):
        counts = held.execute(
            "SELECT count(*) FROM field_matches GROUP BY model_version, run_index"
        ).fetchall()
        assert set(counts) <= {(50,)}
    held.close()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    sql = (
        "SELECT count(*), count(DISTINCT note) FROM field_matches GROUP BY model_version, run_index"
    )
    assert rows(store, sql) == [(50, 1)] * 32


WRITE_FOREVER = """
    ends_at = time.monotonic() + 120  # were the test itself killed, the writer would go on for ever
    def endless():
        index = 0
        while time.monotonic() < ends_at:
            yield samples.match(str(index := index + 1))
    store.write_field_matches(key(0), endless(), digests, stamp)
"""


def test_a_killed_writer_leaves_the_old_rows_and_a_file_that_is_swept(store, key, digests, stamp):
    from evals_pipeline.store.leftovers import sweep
    from tests.store import samples

    key = type(key)(set_name="s", model_version="m", run_index=0)
    store.write_field_matches(key, [samples.match("old")], digests, stamp)
    writer = start(store.root, "w", WRITE_FOREVER)
    deadline = time.monotonic() + 60
    while not list(store.root.rglob("*.tmp")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert [match.fixture_id for match in store.iter_field_matches(key)] == ["old"]
    assert rows(store, "SELECT fixture_id FROM field_matches") == [("old",)]
    assert sweep(store.root) == 0
    assert sweep(store.root, now_s=time.time() + 4_000) == 1
    assert not list(store.root.rglob("*.tmp"))


FILL_THE_DISK = """
    import resource
    from evals_pipeline.store import StorageError
    store.write_field_matches(key(0), [samples.match("old")], digests, stamp)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
    rows = (samples.match(str(i), note=str(hash(str(i)) ** 3)) for i in range(20_000))
    try:
        store.write_field_matches(key(0), rows, digests, stamp)
    except StorageError as error:
        assert "cannot be written" in str(error), error
        assert [match.fixture_id for match in store.iter_field_matches(key(0))] == ["old"]
        assert not list(store.root.rglob("*.tmp"))
        sys.exit(7)
"""


def test_a_write_that_the_disk_refuses_leaves_the_old_rows(store):
    assert start(store.root, "w", FILL_THE_DISK).wait() == 7


READ_WHILE_REPLACED = """
    for round in range(40):
        rows = [samples.match(str(i), note=name) for i in range(2_000)]
        store.write_field_matches(key(0), rows, digests, stamp)
"""


def test_a_reader_sees_one_write_whole_while_others_replace_it(store, key):
    from evals_pipeline.core.run_records import PartitionKey

    key = PartitionKey(set_name="s", model_version="m", run_index=0)
    writers = [start(store.root, name, READ_WHILE_REPLACED) for name in ("one", "two")]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        notes = [match.note for match in store.iter_field_matches(key)]
        assert len(notes) in (0, 2_000)
        assert len(set(notes)) <= 1
        seen.update(notes)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen

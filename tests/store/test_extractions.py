from hypothesis import given
from hypothesis import strategies as st

from evals_pipeline.core.run_records import Extraction
from tests.records import values_of
from tests.store import samples
from tests.store.samples import rows
from tests.store.settings import FEW


@FEW
@given(found=st.lists(values_of(Extraction), max_size=3).map(tuple))
def test_extractions_read_back_equal_and_in_order(store, key, digests, stamp, found):
    store.write_extractions(key, found, {}, digests, stamp)
    stored = store.read_extractions(key)
    assert (stored.extractions, stored.digests, stored.stamp) == (found, digests, stamp)
    assert tuple(store.iter_extractions(key)) == found


def test_an_empty_partition_is_stored_and_not_absent(store, key, digests, stamp):
    store.write_extractions(key, [], {}, digests, stamp)
    assert store.read_extractions(key).extractions == ()
    assert store.header("extractions", key).n_rows == 0


def test_a_row_leads_back_to_run_commit_answer_and_digests(store, key, digests, stamp):
    found = [samples.extraction("a"), samples.failed("b")]
    fixtures = {"a": samples.fixture("a")}
    store.write_extractions(key, found, fixtures, digests, stamp)
    sql = """
        SELECT fixture_id, fixture_name, status, cost_usd, answer_key, run_id, commit,
               recorded_at::VARCHAR, corpus_digest, prompt_digest, judge_digest
        FROM extractions ORDER BY fixture_id"""
    common = ("run-1", "abc123", "2026-07-02 09:30:00.123456", "c1", "p1", "j1")
    assert rows(store, sql) == [
        ("a", "name of a", "ok", "0.00012300", "a" * 64, *common),
        ("b", None, "truncated", None, None, *common),
    ]
    assert rows(store, "SELECT field, value FROM field_values ORDER BY field") == [
        ("po", '""'),
        ("total", "4820.10"),
    ]
    assert rows(store, "SELECT content, confidence, subjects FROM claims ORDER BY claim_index") == [
        ("Größe: 5 m", 0.0, '["O\'Neil", "B"]'),
        ("no\0thing", None, "[]"),
    ]

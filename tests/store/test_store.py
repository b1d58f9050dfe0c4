import pytest

from evals_pipeline.core.errors import UnknownNameError
from evals_pipeline.store import Partition, Store


def test_what_was_never_stored_is_none(store, key):
    assert store.read_extractions(key) is None
    assert store.read_judged_cases(key) is None
    assert store.read_figures("s", "m") is None
    assert store.read_gate("s", "m") is None
    assert store.read_baseline("s", "m") is None
    assert store.read_calibration_fits("s", "m") is None
    assert store.read_fixtures("s") is None
    assert store.header("metrics", Partition(set_name="s", model_version="m")) is None
    assert list(store.iter_field_matches(key)) == []
    assert not store.root.exists()


def test_a_table_that_does_not_exist_is_named(store):
    with pytest.raises(UnknownNameError, match='Did you mean "metrics"'):
        store.partitions("metric")


def test_making_a_store_makes_no_folder(tmp_path):
    Store(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()

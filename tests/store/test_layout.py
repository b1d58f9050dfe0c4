from dataclasses import replace

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.store import Partition
from tests.store import samples
from tests.store.samples import rows

ODD_NAMES = ["a/b", "..", "%2F", "x=y", "naïve set", "[a]*?", "set=a", "'; DROP", "*"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_stays_inside_the_store_and_comes_back(store, digests, stamp, name):
    key = PartitionKey(set_name=name, model_version=name, run_index=11)
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    other = replace(key, set_name="zz", run_index=2)
    store.write_extractions(other, [], {}, digests, stamp)
    expected = Partition(set_name=name, model_version=name, run_index=11)
    assert store.partitions("extractions", name) == (expected,)
    assert expected in store.partitions("extractions")
    assert rows(store, "SELECT DISTINCT set_name, model_version, run_index FROM claims") == [
        (name, name, 11)
    ]
    assert all(path.is_relative_to(store.root) for path in store.root.rglob("data.parquet"))


@pytest.mark.parametrize("name", ["", "a\0b", "é" * 60])
def test_a_name_that_no_folder_can_have_is_refused(store, digests, stamp, name):
    key = PartitionKey(set_name=name, model_version="m", run_index=0)
    with pytest.raises(InputError, match="table extractions: set"):
        store.read_extractions(key)


def test_partitions_are_in_order_and_run_indices_are_numbers(store, key, digests, stamp):
    for index in (10, 2, 0):
        store.write_field_matches(replace(key, run_index=index), [], digests, stamp)
    assert [part.run_index for part in store.partitions("field_matches")] == [0, 2, 10]

"""The settings of Dagster that the project ships, as Dagster reads them."""

import shutil
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.instance.config import PoolGranularity

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # relative folders are meant from where Dagster starts
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as made:
        yield made


def test_as_many_runs_are_started_at_once_as_may_go_on_at_once(instance):
    at_once = instance.get_concurrency_config().run_queue_config.max_concurrent_runs
    assert at_once == 8
    assert instance.run_coordinator.dequeue_use_threads
    assert instance.run_coordinator.dequeue_num_workers == at_once


def test_a_run_over_several_sets_takes_one_slot_of_a_pool(instance):
    pools = instance.get_concurrency_config().pool_config
    assert pools.pool_granularity is PoolGranularity.RUN
    assert pools.default_pool_limit == 8


def test_a_killed_run_is_started_again_and_keeps_no_slot(instance):
    assert (instance.run_retries_enabled, instance.run_retries_max_retries) == (True, 2)
    assert not instance.run_retries_retry_on_asset_or_op_failure
    assert instance.run_monitoring_enabled
    settings = instance.get_settings("run_monitoring")
    assert settings["free_slots_after_run_end_seconds"] == 30

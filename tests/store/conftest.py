from datetime import UTC, datetime

import pytest

from evals_pipeline.core.run_records import InputDigests, PartitionKey, RunStamp
from evals_pipeline.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "storage")


@pytest.fixture
def key():
    return PartitionKey(set_name="invoices", model_version="rules@1", run_index=0)


@pytest.fixture
def digests():
    return InputDigests(
        corpus="c1", prompt="p1", extractor="e1", gold="g1", schema="s1", judge="j1"
    )


@pytest.fixture
def stamp():
    moment = datetime(2026, 7, 2, 9, 30, 0, 123456, tzinfo=UTC)
    return RunStamp(run_id="run-1", commit="abc123", at=moment, package_version="0.1.0")

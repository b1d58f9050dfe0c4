import uuid

import pytest

from evals_pipeline.places import DiskPlace, place_at


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def bucket(tmp_path):
    return place_at(tmp_path, f"memory://bucket-{uuid.uuid4().hex}/a folder")


@pytest.fixture(params=["disk", "bucket"])
def place(request, tmp_path, bucket):
    return DiskPlace(tmp_path / "storage") if request.param == "disk" else bucket

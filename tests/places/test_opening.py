import importlib.util
from pathlib import Path

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.places import DiskPlace, place_at


def test_a_folder_is_taken_from_the_projects(tmp_path):
    assert place_at(tmp_path, Path("storage")) == DiskPlace(tmp_path / "storage")
    assert place_at(tmp_path, Path("/elsewhere")) == DiskPlace(Path("/elsewhere"))
    assert place_at(tmp_path, "file:///elsewhere/x") == DiskPlace(Path("/elsewhere/x"))


def test_what_stays_on_this_machine_is_apart_for_each_bucket(cache, tmp_path):
    one, other = (place_at(tmp_path, f"memory://bucket/{name}") for name in ("one", "other"))
    assert one.here != other.here
    assert (one / "answers").here == one.here / "answers"
    assert one.here.is_relative_to(cache)
    assert str(one) == "memory://bucket/one"


@pytest.mark.skipif(importlib.util.find_spec("adlfs") is not None, reason="adlfs is installed")
def test_a_missing_package_is_named(tmp_path):
    with pytest.raises(SetupError, match=r"pip install adlfs"):
        place_at(tmp_path, "abfs://container/folder")


@pytest.mark.skipif(importlib.util.find_spec("s3fs") is not None, reason="s3fs is installed")
def test_a_missing_extra_is_named(tmp_path):
    with pytest.raises(SetupError, match=r'pip install "evals-pipeline\[s3\]"'):
        place_at(tmp_path, "s3://bucket/folder")


def test_opening_reaches_for_nothing(tmp_path):
    place_at(tmp_path, Path("storage"))
    assert list(tmp_path.iterdir()) == []

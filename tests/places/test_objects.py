"""Whatever an object store's client raises is told as an error of the storage."""

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.llm.record import AnswerRecord
from evals_pipeline.places import StoreRefusedError
from evals_pipeline.places.objects import ObjectPlace
from evals_pipeline.store import StorageError, Store


class NoCredentialsError(Exception):
    """As a client's own, it is no OSError."""


class Unreachable:
    """A store that nobody can reach."""

    def __getattr__(self, name):
        def fails(*args, **kwargs):
            raise NoCredentialsError("Unable to locate credentials")

        return fails


@pytest.fixture
def place():
    return ObjectPlace(system=Unreachable(), scheme="s3", root="bucket/folder")


@pytest.mark.parametrize(
    "does",
    [
        lambda place: place.read_bytes(),
        lambda place: place.exists(),
        lambda place: place.put(b""),
        lambda place: place.remove(),
        lambda place: place.names(),
        lambda place: place.found([None]),
        lambda place: place.opened().__enter__(),
    ],
)
def test_every_error_is_an_os_error(place, does):
    with pytest.raises(StoreRefusedError, match="s3: Unable to locate credentials"):
        does(place)


def test_a_store_that_cannot_be_reached_is_named(place):
    store = Store(place)
    with pytest.raises(StorageError, match="Unable to locate credentials"):
        store.refresh_catalogue()
    with pytest.raises(StorageError, match="Unable to locate credentials"):
        store.partitions("metrics")
    with pytest.raises(SetupError, match=r"s3://bucket/folder.*Unable to locate credentials"):
        AnswerRecord(place).check_writable()
    with pytest.raises(SetupError, match="Unable to locate credentials; nothing was asked"):
        AnswerRecord(place).read("a" * 64)
    with pytest.raises(SetupError, match=r"^s3://bucket/folder: .*cannot be listed"):
        list(AnswerRecord(place).recorded_keys())

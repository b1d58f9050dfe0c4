"""Where the storage lies: a folder of a file system, or a bucket of an object store."""

from evals_pipeline.places.disk import DiskPlace, as_place, make_unversioned
from evals_pipeline.places.opening import STORES, place_at
from evals_pipeline.places.place import Place, StoreRefusedError

__all__ = [
    "STORES",
    "DiskPlace",
    "Place",
    "StoreRefusedError",
    "as_place",
    "make_unversioned",
    "place_at",
]

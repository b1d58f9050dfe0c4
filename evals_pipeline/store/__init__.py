"""The store: Parquet files per table and partition, with a DuckDB catalogue of views over them."""

from evals_pipeline.store.costs import CostEntry, SpentCost
from evals_pipeline.store.extractions import StoredExtractions
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.matches import StoredCases
from evals_pipeline.store.storage_errors import DamagedFileError, ReadOnlyError, StorageError
from evals_pipeline.store.store import Store
from evals_pipeline.store.whole_records import Stored

__all__ = [
    "CostEntry",
    "DamagedFileError",
    "Partition",
    "ReadOnlyError",
    "SpentCost",
    "StorageError",
    "Store",
    "Stored",
    "StoredCases",
    "StoredExtractions",
]

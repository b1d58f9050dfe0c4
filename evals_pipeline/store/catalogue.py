"""The catalogue ``evals.duckdb``: one view per table over the Parquet files, and nothing else.

It is derived, so any number of runs may write while anybody holds it open. It is built under
another name and renamed, read-only, and only when the views would differ from those that stand. Of
a storage in an object store it lies in the cache of each machine, where its views name the store.
"""

import hashlib
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from evals_pipeline.places import Place, as_place, make_unversioned
from evals_pipeline.places.disk import put_in_place, temporary_beside
from evals_pipeline.store.layout import DATA_FILE, empty_path, table_folder
from evals_pipeline.store.parquet import sql_text, write_empty
from evals_pipeline.store.storage_errors import StorageError, writing
from evals_pipeline.store.tables import TABLES, Table

CATALOGUE = "evals.duckdb"


def refresh_catalogue(root: Path | Place, *, lock_timeout_s: float = 60.0) -> Path:
    """Puts the empty files and the catalogue in place where they are missing or differ.

    Raises:
        StorageError: the folder cannot be written, or another process holds the lock for a minute.
    """
    place = as_place(root).resolved()
    folder = place.here
    path, lock = folder / CATALOGUE, folder / ".catalogue.lock"
    statements = _statements(place)
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    with writing(path):
        if _stands(place, digest):
            return path
        make_unversioned(folder)
        try:
            with FileLock(lock, timeout=lock_timeout_s):
                if not _stands(place, digest):
                    _build(place, statements, digest)
        except Timeout:
            raise StorageError(
                f"{path}: another process holds {lock}. Wait for it, or end it."
            ) from None
    return path


def connect(root: Place) -> duckdb.DuckDBPyConnection:
    """A connection in memory with the same views, whoever holds the catalogue's file.

    Needs the empty files that ``refresh_catalogue`` puts in place.
    """
    connection = connected(root)
    for statement in _statements(root.resolved()):
        connection.execute(statement)
    return connection


def connected(root: Place, database: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """A connection that can read what lies in the storage by its name."""
    connection = duckdb.connect(database)
    for system in root.file_systems:
        connection.register_filesystem(system)
    return connection


def _stands(root: Place, digest: str) -> bool:
    """Whether the catalogue in place has these views; the file itself may be locked by a person."""
    try:
        is_same = (root.here / ".catalogue.digest").read_text(encoding="ascii") == digest
    except OSError:
        return False
    return (
        is_same
        and (root.here / CATALOGUE).exists()
        and all(empty_path(root, table).exists() for table in TABLES)
    )


def _build(root: Place, statements: list[str], digest: str) -> None:
    for table in TABLES:
        empty = empty_path(root, table)
        if not _has_schema(empty, table):
            write_empty(empty, table)
    path = root.here / CATALOGUE
    temporary = temporary_beside(path)
    try:
        with connected(root, str(temporary)) as connection:
            for statement in statements:
                connection.execute(statement)
        temporary.chmod(0o444)
        put_in_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    # A person's read-write session on the old file leaves a log that does not fit the new one.
    path.with_name(f"{CATALOGUE}.wal").unlink(missing_ok=True)
    (root.here / ".catalogue.digest").write_text(digest, encoding="ascii")


def _has_schema(path: Place, table: Table) -> bool:
    try:
        with path.opened() as file:
            names = pq.read_schema(file).names
    except FileNotFoundError:
        return False
    return bool(names == [column.name for column in table.all_columns])


def _statements(root: Place) -> list[str]:
    return [
        statement for table in TABLES if table.is_in_catalogue for statement in _view(root, table)
    ]


def _view(root: Place, table: Table) -> list[str]:
    columns = [column for column in table.all_columns if column.name not in table.payload]
    names = ", ".join(f'"{column.name}"' for column in columns)
    # The rows name their own set and model version: the folders are not read for them.
    source = f"read_parquet({sql_text(files_glob(root, table))}, union_by_name = true, "
    view = f"CREATE VIEW {table.name} AS SELECT {names} FROM {source}hive_partitioning = false)"
    return [
        view,
        f"COMMENT ON VIEW {table.name} IS {sql_text(table.description)}",
        *(
            f'COMMENT ON COLUMN {table.name}."{column.name}" IS {sql_text(column.description)}'
            for column in columns
        ),
    ]


def files_glob(root: Place, table: Table) -> str:
    """A glob of DuckDB's that names every file of a table; the root's own name is literal."""
    folder = str(table_folder(root, table))
    literal = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in folder)
    return f"{literal}/**/{DATA_FILE}"

"""The catalogue ``evals.duckdb``: one view per table over the Parquet files, and nothing else.

It is derived, so any number of runs may write while anybody holds it open. It is built under
another name and renamed, read-only, and only when the views would differ from those that stand.
"""

import hashlib
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from evals_pipeline.store.layout import (
    DATA_FILE,
    empty_path,
    table_folder,
    temporary_beside,
)
from evals_pipeline.store.parquet import put_in_place, sql_text, write_empty
from evals_pipeline.store.storage_errors import StorageError, writing
from evals_pipeline.store.tables import TABLES, Table

CATALOGUE = "evals.duckdb"


def refresh_catalogue(root: Path, *, lock_timeout_s: float = 60.0) -> Path:
    """Puts the empty files and the catalogue in place where they are missing or differ.

    Raises:
        StorageError: the folder cannot be written, or another process holds the lock for a minute.
    """
    root = root.resolve()
    path = root / CATALOGUE
    statements = _statements(root)
    digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    if _stands(root, digest):
        return path
    with writing(path):
        root.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(root / ".catalogue.lock", timeout=lock_timeout_s):
                if not _stands(root, digest):
                    _build(root, statements, digest)
        except Timeout:
            raise StorageError(
                f"{path}: another process holds {root / '.catalogue.lock'}. Wait for it, or end it."
            ) from None
    return path


def connect(root: Path) -> duckdb.DuckDBPyConnection:
    """A connection in memory with the same views, whoever holds the catalogue's file.

    Needs the empty files that ``refresh_catalogue`` puts in place.
    """
    connection = duckdb.connect()
    for statement in _statements(root.resolve()):
        connection.execute(statement)
    return connection


def _stands(root: Path, digest: str) -> bool:
    """Whether the catalogue in place has these views; the file itself may be locked by a person."""
    try:
        is_same = (root / ".catalogue.digest").read_text(encoding="ascii") == digest
    except OSError:
        return False
    return (
        is_same
        and (root / CATALOGUE).exists()
        and all(empty_path(root, table).exists() for table in TABLES)
    )


def _build(root: Path, statements: list[str], digest: str) -> None:
    for table in TABLES:
        path = empty_path(root, table)
        if not _has_schema(path, table):
            write_empty(path, table)
    path = root / CATALOGUE
    temporary = temporary_beside(path)
    try:
        with duckdb.connect(str(temporary)) as connection:
            for statement in statements:
                connection.execute(statement)
        temporary.chmod(0o444)
        put_in_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    # A person's read-write session on the old file leaves a log that does not fit the new one.
    path.with_name(f"{CATALOGUE}.wal").unlink(missing_ok=True)
    (root / ".catalogue.digest").write_text(digest, encoding="ascii")


def _has_schema(path: Path, table: Table) -> bool:
    if not path.exists():
        return False
    return bool(pq.read_schema(path).names == [column.name for column in table.all_columns])


def _statements(root: Path) -> list[str]:
    return [
        statement for table in TABLES if table.is_in_catalogue for statement in _view(root, table)
    ]


def _view(root: Path, table: Table) -> list[str]:
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


def files_glob(root: Path, table: Table) -> str:
    """A glob of DuckDB's that names every file of a table; the root's own name is literal."""
    folder = str(table_folder(root, table))
    literal = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in folder)
    return f"{literal}/**/{DATA_FILE}"

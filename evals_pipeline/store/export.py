"""A snapshot of all tables to hand on: one DuckDB file, or a folder of Parquet or CSV files."""

from pathlib import Path

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.places import Place
from evals_pipeline.places.disk import put_in_place, temporary_beside
from evals_pipeline.store.catalogue import connected, files_glob
from evals_pipeline.store.parquet import sql_text
from evals_pipeline.store.storage_errors import writing
from evals_pipeline.store.tables import TABLES, ColumnType, Table

_FORMATS = ("parquet", "csv")
_EXPORTED = tuple(table for table in TABLES if table.is_in_catalogue)
# A spreadsheet runs a cell that starts so; a plain negative number is none of them.
_FORMULA = r"^[\s]*[=+\-@\t\r]"
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"


def export_tables(root: Place, target: Path, *, file_format: str) -> tuple[Path, ...]:
    """Writes the snapshot and says which files it is.

    In CSV a text that a spreadsheet would run as a formula gets an apostrophe before it.

    Raises:
        RefusedError: the target exists already.
        UnknownNameError: no such format.
        StorageError: the target cannot be written.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise RefusedError(
            f"{target}: exists already, and a snapshot never overwrites. Name another, or "
            "remove it."
        )
    if target.suffix == ".duckdb":
        return (_export_database(root, target),)
    if file_format not in _FORMATS:
        raise UnknownNameError("export format", file_format, _FORMATS)
    return tuple(_export_file(root, target, table, file_format) for table in _EXPORTED)


def _export_database(root: Place, target: Path) -> Path:
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(target)
        try:
            with connected(root, str(temporary)) as connection:
                for table in _EXPORTED:
                    connection.execute(f"CREATE TABLE {table.name} AS {_select(root, table)}")
                    connection.execute(
                        f"COMMENT ON TABLE {table.name} IS {sql_text(table.description)}"
                    )
            put_in_place(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    return target


def _export_file(root: Place, folder: Path, table: Table, file_format: str) -> Path:
    path = folder / f"{table.name}.{file_format}"
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        options = "FORMAT csv, HEADER" if file_format == "csv" else "FORMAT parquet"
        rows = _select(root, table, is_for_spreadsheets=file_format == "csv")
        try:
            with connected(root) as connection:
                connection.execute(f"COPY ({rows}) TO {sql_text(str(temporary))} ({options})")
            put_in_place(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return path


def _select(root: Place, table: Table, *, is_for_spreadsheets: bool = False) -> str:
    columns = ", ".join(
        _harmless(column.name)
        if is_for_spreadsheets and column.type is ColumnType.TEXT
        else f'"{column.name}"'
        for column in table.all_columns
        if column.name not in table.payload
    )
    source = sql_text(files_glob(root.resolved(), table))
    return (
        f"SELECT {columns} FROM read_parquet({source}, union_by_name = true, "
        "hive_partitioning = false)"
    )


def _harmless(name: str) -> str:
    is_formula = (
        f"regexp_matches(\"{name}\", '{_FORMULA}') AND NOT regexp_matches(\"{name}\", '{_NUMBER}')"
    )
    return f'CASE WHEN {is_formula} THEN \'\'\'\' || "{name}" ELSE "{name}" END AS "{name}"'

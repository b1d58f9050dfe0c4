"""A snapshot of all tables to hand on: one DuckDB file, or a folder of Parquet or CSV files."""

from pathlib import Path

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.places import Place
from evals_pipeline.places.disk import put_in_place, temporary_beside
from evals_pipeline.store.catalogue import connected, files_glob
from evals_pipeline.store.parquet import sql_text
from evals_pipeline.store.storage_errors import writing
from evals_pipeline.store.tables import TABLES, Column, ColumnType, Table

_FORMATS = ("parquet", "csv")
_EXPORTED = tuple(table for table in TABLES if table.is_in_catalogue)
# A spreadsheet runs a cell that starts so; a plain negative number is none of them.
_FORMULA = r"^[\s]*[=+\-@\t\r]"
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"


_WITHHELD = {
    ("claims", "content"): "NULL",
    ("claims", "subjects"): "NULL",
    ("claims", "properties"): "NULL",
    ("claims", "confidence_flag"): "split_part(confidence_flag, ':', 1)",
    ("claim_matches", "content"): "CASE WHEN side = 'gold' THEN content END",
    ("claim_matches", "rendering"): "NULL",
    ("claim_matches", "near"): "CASE WHEN side = 'claim' THEN near END",
    ("claim_matches", "note"): "split_part(note, ':', 1)",
    ("claim_matches", "suspect"): (
        "to_json(list_transform(from_json(suspect, '[\"VARCHAR\"]'), "
        "lambda reason: split_part(reason, ':', 1)))"
    ),
}
"""What is put in the place of columns that hold words of emitted claims (``core.claim_text``)."""


def export_tables(
    root: Place, target: Path, *, file_format: str, with_claim_text: bool = True
) -> tuple[Path, ...]:
    """Writes the snapshot and says which files it is.

    Without ``with_claim_text`` no word of an emitted claim is in it; gold claims are. In CSV a text
    that a spreadsheet would run as a formula gets an apostrophe before it.

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
        return (_export_database(root, target, with_claim_text=with_claim_text),)
    if file_format not in _FORMATS:
        raise UnknownNameError("export format", file_format, _FORMATS)
    paths = {table: target / f"{table.name}.{file_format}" for table in _EXPORTED}
    for table, path in paths.items():
        rows = _select(
            root,
            table,
            is_for_spreadsheets=file_format == "csv",
            with_claim_text=with_claim_text,
        )
        _export_file(root, path, rows)
    return tuple(paths.values())


def _export_database(root: Place, target: Path, *, with_claim_text: bool) -> Path:
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(target)
        try:
            with connected(root, str(temporary)) as connection:
                for table in _EXPORTED:
                    rows = _select(root, table, with_claim_text=with_claim_text)
                    connection.execute(f"CREATE TABLE {table.name} AS {rows}")
                    connection.execute(
                        f"COMMENT ON TABLE {table.name} IS {sql_text(table.description)}"
                    )
            put_in_place(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    return target


def _export_file(root: Place, path: Path, rows: str) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        options = "FORMAT csv, HEADER" if path.suffix == ".csv" else "FORMAT parquet"
        try:
            with connected(root) as connection:
                connection.execute(f"COPY ({rows}) TO {sql_text(str(temporary))} ({options})")
            put_in_place(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def _select(
    root: Place, table: Table, *, is_for_spreadsheets: bool = False, with_claim_text: bool = True
) -> str:
    def shown(column: Column) -> str:
        value = f'"{column.name}"'
        withheld = _WITHHELD.get((table.name, column.name))
        if withheld is not None and not with_claim_text:
            value = f"CAST({withheld} AS {column.type.value})"
        if is_for_spreadsheets and column.type is ColumnType.TEXT:
            value = _harmless(value)
        return f'{value} AS "{column.name}"'

    columns = ", ".join(
        shown(column) for column in table.all_columns if column.name not in table.payload
    )
    source = sql_text(files_glob(root.resolved(), table))
    return (
        f"SELECT {columns} FROM read_parquet({source}, union_by_name = true, "
        "hive_partitioning = false)"
    )


def _harmless(value: str) -> str:
    is_formula = (
        f"regexp_matches({value}, '{_FORMULA}') AND NOT regexp_matches({value}, '{_NUMBER}')"
    )
    return f"CASE WHEN {is_formula} THEN '''' || {value} ELSE {value} END"

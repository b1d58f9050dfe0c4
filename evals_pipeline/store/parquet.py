"""Writes and reads the Parquet file of one partition.

Writing: DuckDB streams the rows into a file of another name, which is then put in place whole, by
a rename or by an object store. A reader sees the old rows or the new ones, never a part; a writer
that is killed leaves a temporary file and nothing else; of two writers of one partition the later
one wins.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evals_pipeline.core import record_json
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition, data_path
from evals_pipeline.store.storage_errors import DamagedFileError, reading, writing
from evals_pipeline.store.tables import Column, ColumnType, Table

FORMAT = 1
"""Version of the files; a file of a later one is refused, an earlier one is read."""

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""A batch of rows, column by column; a column that is left out is null."""

_MAKE_AGAIN = "Delete the file and materialise its partition again."

_ARROW = {
    ColumnType.TEXT: pa.string(),
    ColumnType.INTEGER: pa.int64(),
    ColumnType.REAL: pa.float64(),
    ColumnType.TRUTH: pa.bool_(),
    ColumnType.MOMENT: pa.timestamp("us"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a file says about all of its rows; ``extras`` are texts of the table's own."""

    stamp: RunStamp
    digests: InputDigests | None
    extras: Mapping[str, str]
    n_rows: int = 0


def write_rows(
    root: Place, table: Table, partition: Partition, batches: Iterable[Columns], header: Header
) -> Place:
    """Puts the rows in place as the partition's file, all or nothing.

    Raises:
        RefusedError: a number is NaN or infinite, or a text is no text.
        StorageError: the disk is full or read-only.
    """
    path = data_path(root, table, partition)
    constants = _constants(table, partition, header)
    select = ", ".join(
        f'CAST({constants[column.name]} AS {column.type.value}) AS "{column.name}"'
        if column.name in constants
        else f'"{column.name}"'
        for column in table.all_columns
    )
    metadata = ", ".join(f"{name}: {sql_text(text)}" for name, text in _metadata(header).items())
    options = f"COMPRESSION zstd, ROW_GROUP_SIZE 40960, KV_METADATA {{{metadata}}}"
    with writing(path), path.new_file() as temporary:
        _copy(
            table,
            batches,
            f"COPY (SELECT {select} FROM incoming) TO {sql_text(str(temporary))} "
            f"(FORMAT parquet, {options})",
        )
    return path


def write_empty(path: Place, table: Table) -> None:
    """Puts a file without rows in place, which fixes the table's schema."""
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in table.all_columns])
    with writing(path), path.new_file() as temporary:
        pq.write_table(schema.empty_table(), temporary)


class StoredFile:
    """An open file of a partition; a writer that replaces it meanwhile changes nothing here."""

    def __init__(self, path: Place, file: Any) -> None:
        self._path = path
        self._file = file
        self.header = _header(path, file.metadata)

    @property
    def digests(self) -> InputDigests:
        """What the rows were made from."""
        if self.header.digests is None:
            raise DamagedFileError(f"{self._path}: names no digests. {_MAKE_AGAIN}")
        return self.header.digests

    def rows(self, columns: Sequence[str], *, batch: int = 20_000) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of ``columns``, streamed.

        A column that the file's older version did not have is None.
        """
        present = [name for name in columns if name in self._file.schema_arrow.names]
        with reading(self._path):
            for rows in self._file.iter_batches(batch_size=batch, columns=present):
                lists = {name: rows.column(name).to_pylist() for name in present}
                absent = [None] * rows.num_rows
                yield from zip(*(lists.get(name, absent) for name in columns), strict=True)


@contextmanager
def opened(root: Place, table: Table, partition: Partition) -> Iterator[StoredFile | None]:
    """The partition's file, open for reading; None when there is none.

    Raises:
        DamagedFileError: it is no Parquet file of ours.
    """
    path = data_path(root, table, partition)
    with ExitStack() as held:
        with reading(path):
            try:
                file = held.enter_context(pq.ParquetFile(held.enter_context(path.opened())))
            except FileNotFoundError:
                file = None
        yield None if file is None else StoredFile(path, file)


def read_header(root: Place, table: Table, partition: Partition) -> Header | None:
    """What the partition's file says of its rows, without reading them; None without a file."""
    with opened(root, table, partition) as file:
        return None if file is None else file.header


def _copy(table: Table, batches: Iterable[Columns], statement: str) -> None:
    """Runs a COPY over the batches; an error of the batches' own maker comes out as it was."""
    given = [column for column in table.columns]
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in given])
    raised: list[BaseException] = []

    def stream() -> Iterator[pa.RecordBatch]:
        try:
            for batch in batches:
                yield _record_batch(table, given, schema, batch)
        except BaseException as error:  # DuckDB would turn it into its own text
            raised.append(error)
            raise

    with duckdb.connect() as connection:
        connection.register("incoming", pa.RecordBatchReader.from_batches(schema, stream()))
        try:
            connection.execute(statement)
        except duckdb.Error:
            if raised:
                raise raised[0] from None
            raise


def _record_batch(
    table: Table, columns: Sequence[Column], schema: pa.Schema, batch: Columns
) -> pa.RecordBatch:
    n_rows = len(next(iter(batch.values()), ()))
    arrays = []
    for column in columns:
        values = batch.get(column.name)
        if values is None:
            arrays.append(pa.nulls(n_rows, _ARROW[column.type]))
            continue
        try:
            array = pa.array(values, _ARROW[column.type])
        except (pa.ArrowException, UnicodeError, TypeError) as error:
            raise RefusedError(
                f"storage: {table.name}.{column.name}: {error}; nothing was stored."
            ) from None
        if column.type is ColumnType.REAL and pc.all(pc.is_finite(array)).as_py() is False:
            raise RefusedError(
                f"storage: {table.name}.{column.name}: got a NaN or an infinity; expected a number "
                "or null with a reason. Nothing was stored."
            )
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


# --- what a file says of all its rows -----------------------------------------------------------


def _constants(table: Table, partition: Partition, header: Header) -> dict[str, str]:
    """SQL literals of the columns that are the same in every row."""
    stamp, digests = header.stamp, header.digests
    values: dict[str, str | int | None] = {
        column.name: partition.value(level)
        for level, column in zip(table.levels, table.key_columns, strict=False)
    }
    values |= {
        "run_id": stamp.run_id,
        "commit": stamp.commit,
        "recorded_at": _utc(stamp.at).isoformat(),
        "package_version": stamp.package_version,
    }
    for name in ("corpus", "prompt", "extractor", "gold", "schema", "judge"):
        values[f"{name}_digest"] = None if digests is None else getattr(digests, name)
    return {
        name: "NULL" if value is None else sql_text(str(value)) for name, value in values.items()
    }


def _utc(moment: datetime) -> datetime:
    """The moment in UTC without a zone, as the files hold it."""
    if moment.tzinfo is None:
        raise RefusedError("storage: the run's moment has no time zone; expected UTC.")
    return moment.astimezone(UTC).replace(tzinfo=None)


def _metadata(header: Header) -> dict[str, str]:
    own = {"evals_format": str(FORMAT), "evals_stamp": record_json.to_text(header.stamp)}
    if header.digests is not None:
        own["evals_digests"] = record_json.to_text(header.digests)
    return own | {"evals_extras": json.dumps(dict(header.extras), ensure_ascii=False)}


def _header(path: Place, metadata: Any) -> Header:
    try:
        texts = {name.decode(): text.decode() for name, text in (metadata.metadata or {}).items()}
        version = int(texts["evals_format"])
        digests = texts.get("evals_digests")
        header = Header(
            stamp=record_json.from_text(RunStamp, texts["evals_stamp"]),
            digests=None if digests is None else record_json.from_text(InputDigests, digests),
            extras=json.loads(texts["evals_extras"]),
            n_rows=metadata.num_rows,
        )
    except (KeyError, ValueError, record_json.RecordJsonError) as error:
        raise DamagedFileError(
            f"{path}: was not written by evals_pipeline, or by another version of it ({error}). "
            f"{_MAKE_AGAIN}"
        ) from None
    if version > FORMAT:
        raise DamagedFileError(
            f"{path}: has format {version}, and this version reads up to {FORMAT}. Update "
            f"evals_pipeline. Or: {_MAKE_AGAIN}"
        )
    return header


def sql_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"

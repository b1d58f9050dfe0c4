"""Where each table and partition lies under the storage folder.

``tables/<table>/set=<set>/model_version=<m>/run_index=<r>/data.parquet``, names percent-escaped. An
empty ``tables/<table>/data.parquet`` fixes the schema. On a file system a file being written has a
name of its own in the same folder, ending in ``.tmp``, which no glob of ours matches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from evals_pipeline.core.errors import InputError
from evals_pipeline.places import Place
from evals_pipeline.store.storage_errors import reading
from evals_pipeline.store.tables import Level, Table

DATA_FILE = "data.parquet"
_LONGEST_NAME = 255  # bytes that file systems allow for one name


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One file of a table; the levels that the table does not have are None."""

    set_name: str
    model_version: str | None = None
    run_index: int | None = None
    part: str | None = None

    def value(self, level: Level) -> str | int | None:
        """The value at a level."""
        match level:
            case Level.SET:
                return self.set_name
            case Level.MODEL_VERSION:
                return self.model_version
            case Level.RUN_INDEX:
                return self.run_index
            case Level.PART:
                return self.part

    def __str__(self) -> str:
        values = (self.set_name, self.model_version, self.run_index, self.part)
        return " / ".join(str(value) for value in values if value is not None)


def table_folder(root: Place, table: Table) -> Place:
    """The folder of a table."""
    return root / "tables" / table.name


def empty_path(root: Place, table: Table) -> Place:
    """The empty file that fixes a table's schema."""
    return table_folder(root, table) / DATA_FILE


def data_path(root: Place, table: Table, partition: Partition) -> Place:
    """The file of a partition.

    Raises:
        InputError: a name is empty, too long for a file name once escaped, or holds NUL.
    """
    folder = table_folder(root, table)
    for level in table.levels:
        folder /= _folder_name(table, level, partition.value(level))
    return folder / DATA_FILE


def partitions_of(root: Place, table: Table, set_name: str | None = None) -> Iterator[Partition]:
    """The partitions that have a file, in the order of their names, run indices by number."""
    steps: list[str | None] = [None] * len(table.levels)
    if set_name is not None:
        steps[0] = _folder_name(table, Level.SET, set_name)
    folder = table_folder(root, table)
    with reading(folder):
        found = folder.found([*steps, DATA_FILE])
    yield from sorted(
        (_partition(path[:-1], table) for path in found),
        key=lambda part: (
            part.set_name,
            part.model_version or "",
            part.run_index or 0,
            part.part or "",
        ),
    )


def _folder_name(table: Table, level: Level, value: str | int | None) -> str:
    text = "" if value is None else str(value)
    where = f"storage: table {table.name}: {level.value}"
    if not text or "\0" in text:
        raise InputError.one(where, f"got {text!r}; expected a name")
    name = f"{level.value}={quote(text, safe='@')}"
    if len(name) > _LONGEST_NAME:
        raise InputError.one(
            where,
            f"{text[:40]!r}… takes {len(name)} bytes as a folder name, {_LONGEST_NAME} fit",
            remedy="Give it a shorter name.",
        )
    return name


def _partition(folders: Sequence[str], table: Table) -> Partition:
    values = {
        level: unquote(folder.partition("=")[2])
        for level, folder in zip(table.levels, folders, strict=True)
    }
    run_index = values.get(Level.RUN_INDEX)
    return Partition(
        set_name=values[Level.SET],
        model_version=values.get(Level.MODEL_VERSION),
        run_index=None if run_index is None else int(run_index),
        part=values.get(Level.PART),
    )

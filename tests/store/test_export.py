import csv

import duckdb
import pytest

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from tests.store import samples


@pytest.fixture
def filled(store, key, digests, stamp):
    store.write_field_matches(
        key,
        [
            samples.match("a", got='=HYPERLINK("x")', want="-5.00", note="\t+1"),
            samples.match("b", got="@sum", want="-5-3", note='a\nb,"c"'),
        ],
        digests,
        stamp,
    )
    return store


def test_a_database_with_tables_and_without_payloads(filled, tmp_path):
    (path,) = filled.export(tmp_path / "out" / "snapshot.duckdb")
    with duckdb.connect(str(path), read_only=True) as snapshot:
        found = snapshot.execute("SELECT got FROM field_matches ORDER BY fixture_id").fetchall()
        assert found == [('=HYPERLINK("x")',), ("@sum",)]
        names = {name for (name,) in snapshot.execute("SHOW TABLES").fetchall()}
    assert {"extractions", "metrics", "gates", "costs"} <= names
    assert "records" not in names


def test_a_folder_of_parquet_is_exact(filled, tmp_path):
    paths = filled.export(tmp_path / "out")
    path = next(path for path in paths if path.name == "field_matches.parquet")
    found = duckdb.execute(f"SELECT got FROM '{path}' ORDER BY fixture_id").fetchall()
    assert found == [('=HYPERLINK("x")',), ("@sum",)]


def test_a_spreadsheet_runs_no_cell_of_a_csv(filled, tmp_path):
    filled.export(tmp_path / "out", file_format="csv")
    with (tmp_path / "out/field_matches.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["got"], first["want"], first["note"]) == ('\'=HYPERLINK("x")', "-5.00", "'\t+1")
    assert (second["got"], second["want"], second["note"]) == ("'@sum", "'-5-3", 'a\nb,"c"')


def test_a_snapshot_never_overwrites(filled, tmp_path):
    (tmp_path / "mine.duckdb").write_text("precious", encoding="utf-8")
    with pytest.raises(RefusedError, match="never overwrites"):
        filled.export(tmp_path / "mine.duckdb")
    with pytest.raises(RefusedError, match="never overwrites"):
        filled.export(tmp_path)


def test_a_format_that_does_not_exist(filled, tmp_path):
    with pytest.raises(UnknownNameError, match=r"export format .xlsx. does not exist"):
        filled.export(tmp_path / "out", file_format="xlsx")


def test_an_empty_store_exports_empty_tables(store, tmp_path):
    (path,) = store.export(tmp_path / "empty.duckdb")
    with duckdb.connect(str(path), read_only=True) as snapshot:
        assert snapshot.execute("SELECT count(*) FROM metrics").fetchall() == [(0,)]

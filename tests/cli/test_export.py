"""``evals export``: a snapshot that others can open."""

import csv

import duckdb
import pytest

from tests.cli.scoring import score


def test_one_file_with_every_table(scored, evals, tmp_path):
    target = tmp_path / "snapshot.duckdb"
    found = evals("export", str(target))
    assert found.status == 0, found.err
    assert found.out == f"wrote {target}\n"
    with duckdb.connect(str(target), read_only=True) as connection:
        ((n_matches,),) = connection.sql("SELECT count(*) FROM field_matches").fetchall()
        # Two model versions, two runs, three documents, two fields.
        assert n_matches == 24
        tables = {name for (name,) in connection.sql("SHOW TABLES").fetchall()}
    assert {"extractions", "metrics", "gates", "costs"} <= tables


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_folder_of_files(scored, evals, tmp_path, form):
    target = tmp_path / "tables.2026"
    found = evals("export", str(target), "--as", form)
    assert found.status == 0, found.err
    assert (target / f"field_matches.{form}").is_file()
    assert len(found.out.splitlines()) == len(list(target.iterdir()))
    plain = evals("export", str(tmp_path / "plain"))
    assert (tmp_path / "plain" / "metrics.parquet").is_file()
    assert plain.status == 0


def test_a_value_that_a_spreadsheet_would_run_is_text(scored, evals, tmp_path):
    scored.predict("hasty", {"A-2": '=HYPERLINK("http://x.example")', "A-3": "-5"})
    score(scored, "hasty")
    evals("export", str(tmp_path / "csv"), "--as", "csv")
    with (tmp_path / "csv" / "field_matches.csv").open(encoding="utf-8", newline="") as file:
        shown = {row["got"] for row in csv.DictReader(file)}
    assert any(value.startswith("'=HYPERLINK") for value in shown)
    assert "-5" in shown


def test_nothing_is_overwritten(scored, evals, tmp_path):
    target = tmp_path / "snapshot.duckdb"
    target.write_text("mine", encoding="utf-8")
    found = evals("export", str(target))
    assert found.status == 2
    assert "exists already" in found.err
    assert target.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("arguments", [("x.csv",), ("x.zip",), ("x.duckdb", "--as", "csv")])
def test_names_that_say_something_else(scored, evals, arguments):
    found = evals("export", *arguments)
    assert found.status == 2
    assert "Usage" in found.err
    assert not (scored.root / arguments[0]).exists()

"""``evals export``: a snapshot of all tables, to hand on."""

from pathlib import Path

import click

from evals_pipeline.pipeline.project import Project

DATABASE = ".duckdb"
_FILES = frozenset({".csv", ".db", ".json", ".parquet", ".sqlite", ".xlsx", ".zip"})


@click.command(
    "export",
    epilog="Examples: evals export snapshot.duckdb; evals export snapshot/ --as csv",
)
@click.argument("target", metavar="FILE.duckdb|FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "file_format",
    type=click.Choice(["parquet", "csv"]),
    help="The files of a folder: Parquet by default, or CSV.",
)
def command(target: Path, file_format: str | None) -> None:
    """Write every table as it is now: one DuckDB file, or a folder of Parquet or CSV files.

    Nothing is overwritten. In CSV, a text that a spreadsheet would run as a formula gets an
    apostrophe before it. With record_claim_text = false no text of an emitted claim is written.
    """
    if target.suffix == DATABASE and file_format is not None:
        raise click.UsageError(f"--as is for a folder; {target.name} is one DuckDB file")
    if target.suffix.lower() in _FILES:
        raise click.UsageError(
            f"{target}: expected a name that ends in {DATABASE}, or a folder's name"
        )
    project = Project.open()
    written = project.store.export(
        target,
        file_format=file_format or "parquet",
        with_claim_text=project.settings.record_claim_text,
    )
    for path in written:
        click.echo(f"wrote {path}")

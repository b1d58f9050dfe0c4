"""What a person sees in Dagster beside a materialisation or a check.

Numbers are numbers, so that Dagster plots them over time; what is unmeasured is left out rather
than shown as nought.
"""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg

from evals_pipeline.core.figures import (
    Baseline,
    CalibrationFit,
    GateReport,
)
from evals_pipeline.core.fingerprints import digest_parts
from evals_pipeline.core.run_records import InputDigests, RunStamp, StatusCounts
from evals_pipeline.pipeline.extraction import ExtractionSummary
from evals_pipeline.pipeline.judging import JudgingSummary
from evals_pipeline.report.gate_markdown import gate_markdown
from evals_pipeline.store.parquet import Header
from evals_pipeline.store.tables import ColumnType, Table

Metadata: TypeAlias = dict[str, dg.MetadataValue[Any]]
Result: TypeAlias = dg.MaterializeResult[None]
OWNERS = ["team:evals"]
REPORT_PAGE = "report.html"
"""Where the documentation has the report written, in the project's folder."""

_COLUMN_TYPES = {
    ColumnType.TEXT: "string",
    ColumnType.INTEGER: "int",
    ColumnType.REAL: "float",
    ColumnType.TRUTH: "bool",
    ColumnType.MOMENT: "timestamp",
}


def table_metadata(table: Table) -> Metadata:
    """The columns of a stored table with what they hold, and the name to query it by."""
    columns = [
        dg.TableColumn(
            name=column.name,
            type=_COLUMN_TYPES[column.type],
            description=column.description,
        )
        for column in table.all_columns
        if column.name not in table.payload
    ]
    schema = dg.TableSchema(columns=columns)
    return {
        "dagster/column_schema": dg.MetadataValue.table_schema(schema),
        "dagster/table_name": dg.MetadataValue.text(table.name),
    }


def version_of_rows(header: Header | None) -> dg.DataVersion:
    """The data version of stored rows: another one when they were made anew, the same otherwise."""
    if header is None or header.digests is None:
        return dg.DataVersion("absent")
    digests = header.digests
    parts = (
        digests.corpus, digests.prompt or "", digests.extractor, digests.gold, digests.schema,
        digests.judge, header.stamp.at.isoformat(),
    )  # fmt: skip
    return dg.DataVersion(digest_parts(*parts)[:32])


def extraction_metadata(summary: ExtractionSummary, header: Header | None) -> Metadata:
    """What one partition's extraction did and what it cost."""
    metadata = {
        **status_metadata(summary.counts),
        **_asking_metadata(summary),
        **_origin(header),
    }
    if summary.n_unpriced:
        metadata["answers_without_price"] = dg.MetadataValue.int(summary.n_unpriced)
    if note := _note(is_absent=summary.is_absent, is_current=summary.is_current, note=summary.note):
        metadata["note"] = dg.MetadataValue.text(note)
    return metadata


def _asking_metadata(summary: ExtractionSummary) -> Metadata:
    """The calls and their cost; nothing of code and predictions, which ask no model."""
    if not summary.n_calls and not summary.n_recorded:
        return {}
    return {
        "calls": dg.MetadataValue.int(summary.n_calls),
        "answers_from_record": dg.MetadataValue.int(summary.n_recorded),
        **money("cost_usd", summary.cost_usd),
        **money("spent_usd", summary.spent_usd),
    }


def judging_metadata(summary: JudgingSummary, header: Header | None) -> Metadata:
    """What judging one partition found."""
    metadata = {
        **{
            f"outcome/{name}": dg.MetadataValue.int(count)
            for name, count in sorted(summary.outcomes.items())
        },
        **_origin(header),
    }
    if header is not None:
        metadata["dagster/partition_row_count"] = dg.MetadataValue.int(header.n_rows)
    if note := _note(is_absent=summary.is_absent, is_current=summary.is_current, note=None):
        metadata["note"] = dg.MetadataValue.text(note)
    return metadata


def gate_metadata(report: GateReport) -> Metadata:
    """The gate's table with the misses below it, as on a pull request."""
    metadata = {
        "verdict": dg.MetadataValue.text(report.verdict.value),
        "report": dg.MetadataValue.md(gate_markdown([report])),
        **money("cost_usd", report.cost_usd),
    }
    for row in report.fields:
        if row.delta:
            metadata[f"delta/{row.field}"] = dg.MetadataValue.float(float(row.delta))
    if report.baseline_source is not None:
        metadata["baseline_source"] = dg.MetadataValue.text(report.baseline_source)
    return metadata


def page_metadata(root: Path, set_name: str) -> Metadata:
    """Where the set's report is as one page, and the command that makes it of today's figures.

    A page that is not there is not linked to. One that is there is older than what is stored now.
    """
    command = f"`evals report {set_name} --output {REPORT_PAGE}`"
    page = root / REPORT_PAGE
    try:
        written = datetime.fromtimestamp(page.stat().st_mtime, tz=UTC)
    except OSError:
        return {"report_page": dg.MetadataValue.md(f"not written yet: {command}")}
    text = f"`{page}`, of {_moment(written)}; anew: {command}"
    return {"report_page": dg.MetadataValue.md(text)}


def baseline_metadata(baseline: Baseline | None) -> Metadata:
    """What the baseline that stands is pinned to."""
    if baseline is None:
        return {"note": dg.MetadataValue.text("No baseline is recorded.")}
    pins = baseline.pins
    return {
        "recorded_at": dg.MetadataValue.text(pins.recorded_at),
        "provider_model": dg.MetadataValue.text(pins.provider_model),
        "runs": dg.MetadataValue.int(pins.n_runs),
        "prompt_sha256": dg.MetadataValue.text(pins.prompt_sha256 or "no prompt"),
        "corpus_digest": dg.MetadataValue.text(pins.corpus_digest),
        "fields": dg.MetadataValue.int(len(baseline.fields)),
    }


# --- parts --------------------------------------------------------------------------------------


def fit_metadata(fit: CalibrationFit) -> Metadata:
    """Whether a fit is accepted, what it did to the calibration error, and why it was refused."""
    metadata: Metadata = {
        "accepted": dg.MetadataValue.bool(fit.refusal is None),
        "method": dg.MetadataValue.text(fit.method),
        "pairs": dg.MetadataValue.int(fit.n_pairs),
        "pairs_movable": dg.MetadataValue.int(fit.n_movable),
        "heldout_pairs": dg.MetadataValue.int(fit.heldout_n),
    }
    for name, value in (
        ("ece_before", fit.ece_before),
        ("ece_after", fit.ece_after),
        ("heldout_ece_before", fit.heldout_ece_before),
        ("heldout_ece_after", fit.heldout_ece_after),
        ("temperature", fit.parameters.get("temperature")),
    ):
        if isinstance(value, float):
            metadata[name] = dg.MetadataValue.float(value)
    if fit.refusal is not None:
        said = " ".join(part for part in (f"{fit.refusal.rstrip('.')}.", fit.remedy) if part)
        metadata["refusal"] = dg.MetadataValue.text(said)
    return metadata


def status_metadata(counts: StatusCounts) -> Metadata:
    """How many documents were planned and how their extractions ended."""
    shown = {
        "planned": counts.planned, "ok": counts.ok, "declined": counts.declined,
        "error": counts.error, "truncated": counts.truncated, "unparsable": counts.unparsable,
        "absent": counts.absent,
    }  # fmt: skip
    return {
        f"documents/{name}": dg.MetadataValue.int(count)
        for name, count in shown.items()
        if count or name in ("planned", "ok")
    }


def _origin(header: Header | None) -> Metadata:
    if header is None or header.digests is None:
        return {}
    return {**digest_metadata(header.digests), **stamp_metadata(header.stamp)}


def digest_metadata(digests: InputDigests) -> Metadata:
    """What the rows were made from."""
    return {
        "corpus_digest": dg.MetadataValue.text(digests.corpus),
        "prompt_sha256": dg.MetadataValue.text(digests.prompt or "no prompt"),
        "extractor": dg.MetadataValue.text(digests.extractor),
    }


def stamp_metadata(stamp: RunStamp) -> Metadata:
    """Who stored the rows, at which commit, when."""
    return {
        "commit": dg.MetadataValue.text(stamp.commit or "outside git"),
        "stored_by_run": dg.MetadataValue.text(stamp.run_id),
        "stored_at": dg.MetadataValue.text(_moment(stamp.at)),
    }


def money(name: str, amount: Decimal | None) -> Metadata:
    """An amount to plot and its exact text; nothing when it is unknown."""
    if amount is None:
        return {}
    return {
        name: dg.MetadataValue.float(float(amount)),
        f"{name}_exact": dg.MetadataValue.text(f"{amount:f}"),
    }


def _note(*, is_absent: bool, is_current: bool, note: str | None) -> str | None:
    if is_absent:
        return note or "There is no such run; nothing is stored."
    if is_current:
        return "What is stored is of today's files and settings; nothing was done anew."
    return note


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"

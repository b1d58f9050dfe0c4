"""Baselines, gate reports and calibration fits as rows, and back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from evals_pipeline.core import record_json
from evals_pipeline.core.figures import (
    Baseline,
    BaselinePins,
    CalibrationFit,
    DocumentTally,
    FieldDelta,
    GateReport,
)
from evals_pipeline.places import Place
from evals_pipeline.store.layout import Partition
from evals_pipeline.store.parquet import Columns, Header, StoredFile, opened, write_rows
from evals_pipeline.store.rows import batches_of, json_text
from evals_pipeline.store.tables import BASELINES, CALIBRATION_FITS, GATES
from evals_pipeline.store.whole_records import Stored, read_record, write_record

_TALLIES_A_BATCH = 20_000
_HEAD = "baseline"


# --- baselines ----------------------------------------------------------------------------------


def write_baseline(root: Place, baseline: Baseline, header: Header) -> None:
    """Stores the baseline that stands for a set and a model version."""
    pins = baseline.pins
    head = replace(baseline, fields=dict.fromkeys(baseline.fields, ()))
    rows = ((name, tally) for name, tallies in baseline.fields.items() for tally in tallies)
    batches = (_tally_columns(pins, batch) for batch in batches_of(rows, _TALLIES_A_BATCH))
    partition = Partition(set_name=pins.set_name, model_version=pins.model_version)
    own = replace(header, extras={**header.extras, _HEAD: record_json.to_text(head)})
    write_rows(root, BASELINES, partition, batches, own)


def read_baseline(root: Place, set_name: str, model_version: str) -> Stored[Baseline] | None:
    """The baseline that was stored last; None when there is none."""
    partition = Partition(set_name=set_name, model_version=model_version)
    with opened(root, BASELINES, partition) as file:
        if file is None:
            return None
        baseline = _baseline_in(file)
        return Stored(record=baseline, digests=file.digests, stamp=file.header.stamp)


def _baseline_in(file: StoredFile) -> Baseline:
    head = record_json.from_text(Baseline, file.header.extras[_HEAD])
    tallies: dict[str, list[DocumentTally]] = {name: [] for name in head.fields}
    columns = ["field", "fixture_id", "document", "correct", "n", "label_digest"]
    for name, fixture_id, document, correct, n, gold_digest in file.rows(columns):
        tallies[name].append(
            DocumentTally(
                fixture_id=fixture_id,
                document=document,
                correct=correct,
                n=n,
                gold_digest=gold_digest,
            )
        )
    return replace(head, fields={name: tuple(found) for name, found in tallies.items()})


def _tally_columns(pins: BaselinePins, rows: Sequence[tuple[str, DocumentTally]]) -> Columns:
    return {
        "field": [name for name, _ in rows],
        "fixture_id": [tally.fixture_id for _, tally in rows],
        "document": [tally.document for _, tally in rows],
        "correct": [tally.correct for _, tally in rows],
        "n": [tally.n for _, tally in rows],
        "label_digest": [tally.gold_digest for _, tally in rows],
        "provider_model": [pins.provider_model] * len(rows),
        "n_runs": [pins.n_runs] * len(rows),
        "baseline_recorded_at": [pins.recorded_at] * len(rows),
    }


# --- gates --------------------------------------------------------------------------------------


def write_gate(root: Place, report: GateReport, header: Header) -> None:
    """Stores the gate's verdict on a set and a model version, refusals included."""
    partition = Partition(set_name=report.set_name, model_version=report.model_version)
    rows = [_set_row(report), *(_field_row(delta) for delta in report.fields)]
    columns = {column.name: [row.get(column.name) for row in rows] for column in GATES.columns}
    write_rows(root, GATES, partition, [columns], header)
    write_record(root, replace(partition, part="gate"), report, header)


def read_gate(root: Place, set_name: str, model_version: str) -> Stored[GateReport] | None:
    """The verdict that was stored last; None when the gate never ran."""
    partition = Partition(set_name=set_name, model_version=model_version, part="gate")
    return read_record(root, partition, GateReport)


def _set_row(report: GateReport) -> dict[str, Any]:
    now, before = report.overall_now, report.overall_baseline
    return {
        "scope": "set",
        "verdict": report.verdict.value,
        **_difference(before, now, None if now is None or before is None else now - before),
        "noise": report.overall_noise,
        "reasons": json_text(report.reasons),
        "baseline_source": report.baseline_source,
    }


def _field_row(delta: FieldDelta) -> dict[str, Any]:
    return {
        "scope": "field",
        "field": delta.field,
        "verdict": delta.verdict.value,
        **_difference(delta.baseline, delta.now, delta.delta),
        "tolerance": delta.tolerance,
        "n_documents": delta.n_documents,
        "acknowledged": delta.acknowledged,
        "p_value": delta.p_value,
        "noise": delta.noise,
        "is_unstable": delta.is_unstable,
    }


def _difference(
    baseline: Fraction | None, now: Fraction | None, delta: Fraction | None
) -> dict[str, str | float | None]:
    return {
        "baseline": None if baseline is None else str(baseline),
        "now": None if now is None else str(now),
        "delta": None if delta is None else str(delta),
        "delta_value": None if delta is None else float(delta),
    }


# --- calibration fits ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fits:
    """The fits of one set and model version, one a method."""

    fits: tuple[CalibrationFit, ...]


def write_calibration_fits(
    root: Place, set_name: str, model_version: str, fits: Sequence[CalibrationFit], header: Header
) -> None:
    """Stores the fits of a set and a model version, the refused ones as refused."""
    partition = Partition(set_name=set_name, model_version=model_version)
    batches: Iterator[Columns] = (_fit_columns(batch) for batch in batches_of(fits, 100))
    write_rows(root, CALIBRATION_FITS, partition, batches, header)
    write_record(root, replace(partition, part="calibration"), _Fits(fits=tuple(fits)), header)


def read_calibration_fits(
    root: Place, set_name: str, model_version: str
) -> Stored[tuple[CalibrationFit, ...]] | None:
    """The fits that were stored last; None when none was tried."""
    partition = Partition(set_name=set_name, model_version=model_version, part="calibration")
    stored = read_record(root, partition, _Fits)
    if stored is None:
        return None
    return Stored(record=stored.record.fits, digests=stored.digests, stamp=stored.stamp)


def _fit_columns(fits: Sequence[CalibrationFit]) -> Columns:
    same = (
        "method", "refusal", "refusal_code", "remedy", "n_pairs", "n_movable", "ece_before",
        "ece_after", "heldout_n", "heldout_ece_before", "heldout_ece_after",
    )  # fmt: skip
    temperatures = [fit.parameters.get("temperature") for fit in fits]
    return {
        **{name: [getattr(fit, name) for fit in fits] for name in same},
        "is_accepted": [fit.refusal is None for fit in fits],
        "temperature": [value if isinstance(value, float) else None for value in temperatures],
        "parameters": [json_text(fit.parameters) for fit in fits],
    }

"""Makes a baseline from figures, and writes the file that is committed beside the prompt.

The file is a head with the pins, then one line per document and field. A line names the document,
how many of how many runs were right, and the digest of the label that this was measured against,
so that a diff reads as what the prompt did. Keys are sorted, and the whole is JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from evals_pipeline.baseline.measurement import Measurement, unfit_reasons
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import (
    Baseline,
    CalibrationFigures,
    DocumentTally,
    FieldFigures,
)
from evals_pipeline.core.records import GatePolicy
from evals_pipeline.core.strict_json import dumps

FORMAT = 1
_CALIBRATION_STEP = Decimal("0.000001")


def baseline_path(set_folder: Path, model_version: str) -> Path:
    """Where a set keeps the baseline of a model version."""
    return set_folder / "baselines" / f"{model_version}.json"


def make_baseline(measurement: Measurement, *, policy: GatePolicy) -> Baseline:
    """The baseline of figures that exist; nothing is measured here.

    Raises:
        RefusedError: The figures are unfit: no documents, an alias, failed or unjudged answers,
            too few runs. All reasons stand in the message.
    """
    if reasons := unfit_reasons(measurement, policy):
        raise RefusedError("\n".join(reasons))
    figures = measurement.figures
    return Baseline(
        pins=measurement.pins,
        fields={field.field: _sorted(field.documents) for field in figures.fields},
        calibration={
            field.field: error
            for field in figures.fields
            if (error := calibration_error(field)) is not None
        },
        cost_usd=measurement.cost_usd,
    )


def calibration_error(figures: FieldFigures) -> Decimal | None:
    """A field's calibration error as a baseline keeps it, to six places; None when unmeasured."""
    calibration: CalibrationFigures | None = figures.calibration
    if calibration is None or calibration.ece is None:
        return None
    return Decimal(repr(calibration.ece)).quantize(_CALIBRATION_STEP)


def dump_baseline(baseline: Baseline) -> str:
    """The text of the baseline file; the same baseline gives the same text."""
    return "".join(_lines(baseline))


def _lines(baseline: Baseline) -> Iterator[str]:
    yield f'{{\n"format": {FORMAT},\n"pins": '
    yield from _block(asdict(baseline.pins))
    yield ',\n"calibration": '
    yield from _block(baseline.calibration)
    yield f',\n"cost_usd": {dumps(baseline.cost_usd)},\n"fields": {{'
    separator = "\n"
    for name in sorted(baseline.fields):
        yield f"{separator}{dumps(name)}: "
        yield from _block({tally.fixture_id: _line(tally) for tally in baseline.fields[name]})
        separator = ",\n"
    yield "\n}\n}\n" if baseline.fields else "}\n}\n"


def _block(values: Mapping[str, object]) -> Iterator[str]:
    """An object with one line per key."""
    if not values:
        yield "{}"
        return
    separator = "{\n"
    for key in sorted(values):
        yield f"{separator}{dumps(key)}: {dumps(values[key])}"
        separator = ",\n"
    yield "\n}"


def _line(tally: DocumentTally) -> dict[str, object]:
    return {
        "correct": tally.correct,
        "label": tally.gold_digest,
        "name": tally.document,
        "runs": tally.n,
    }


def _sorted(documents: tuple[DocumentTally, ...]) -> tuple[DocumentTally, ...]:
    return tuple(sorted(documents, key=lambda tally: tally.fixture_id))

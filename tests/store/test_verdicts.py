from dataclasses import replace

from hypothesis import given

from evals_pipeline.core.figures import (
    Baseline,
    GateReport,
)
from tests.records import values_of
from tests.store import samples
from tests.store.samples import rows
from tests.store.settings import FEW


@FEW
@given(report=values_of(GateReport), baseline=values_of(Baseline))
def test_verdicts_read_back_equal(store, digests, stamp, report, baseline):
    report = replace(report, set_name="s", model_version="m")
    store.write_gate(report, digests, stamp)
    assert store.read_gate("s", "m").record == report
    baseline = replace(baseline, pins=replace(baseline.pins, set_name="s", model_version="m"))
    store.write_baseline(baseline, digests, stamp)
    assert store.read_baseline("s", "m").record == baseline


def test_the_order_of_a_baselines_fields_survives(store, digests, stamp):
    store.write_baseline(samples.baseline(), digests, stamp)
    assert list(store.read_baseline("invoices", "rules@1").record.fields) == ["total", "po"]


def test_fits_are_stored_refused_or_not(store, digests, stamp):
    refused = samples.fit(
        method="isotonic", parameters={"x": (0.1, 0.9)}, refusal="too few pairs", remedy="more runs"
    )
    store.write_calibration_fits("invoices", "rules@1", [samples.fit(), refused], digests, stamp)
    stored = store.read_calibration_fits("invoices", "rules@1")
    assert stored.record == (samples.fit(), refused)
    sql = "SELECT method, is_accepted, temperature, refusal FROM calibration_fits ORDER BY method"
    assert rows(store, sql) == [
        ("isotonic", False, None, "too few pairs"),
        ("temperature", True, 1.5, None),
    ]


def test_a_gate_is_one_row_for_the_set_and_one_for_each_field(store, digests, stamp):
    store.write_gate(samples.gate_report(), digests, stamp)
    sql = "SELECT scope, field, verdict, now, delta FROM gates ORDER BY scope"
    assert rows(store, sql) == [
        ("field", "total", "regression", "1/3", "-2/3"),
        ("set", None, "fail", "1/3", "-2/3"),
    ]

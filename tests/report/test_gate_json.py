import json
from dataclasses import replace

import pytest

from evals_pipeline.baseline.compare import refused
from evals_pipeline.core import strict_json
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.report.gate_json import gate_json
from tests.report.examples import hostile, of_everything, report
from tests.screens import gate_report


def test_what_others_rely_on() -> None:
    value = gate_json([gate_report()])
    assert value["verdict"] == "fail"
    assert value["reasons"][0].startswith("invoices (acme-2026-08-15): due_date regressed by 0.080")
    (one,) = value["sets"]
    assert (one["set"], one["model_version"]) == ("invoices", "acme-2026-08-15")
    due = next(row for row in one["fields"] if row["field"] == "due_date")
    assert {
        key: due[key] for key in ("baseline", "now", "delta", "tolerance", "verdict")
    } == {
        "baseline": 0.96, "now": 0.88, "delta": -0.08, "tolerance": "0.02", "verdict": "regression",
    }  # fmt: skip
    assert due["acknowledged"] is None
    assert due["p_value"] == 0.125
    assert {miss["outcome"] for miss in due["misses"]} == {"wrong", "invented"}
    newly = {
        (row["field"], row["name"], row["baseline"], row["now"]) for row in one["newly_failing"]
    }
    assert ("due_date", "acme-29", "5/5", "0/5") in newly
    assert len(newly) == 4
    assert (one["cost_usd"], one["baseline_cost_usd"]) == ("0.443", "0.412")


@pytest.mark.parametrize("one", [gate_report(), of_everything(), hostile()])
def test_it_is_strict_sorted_and_stable(one) -> None:
    text = strict_json.dumps(gate_json([one]), indent=2)
    assert strict_json.loads(text, where="gate")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False)


def test_what_is_not_measured_is_null() -> None:
    (one,) = gate_json([of_everything()])["sets"]
    rows = {row["field"]: row for row in one["fields"]}
    assert rows["iban"]["baseline"] is rows["iban"]["delta"] is None
    assert rows["bic"]["now"] is None
    assert one["cost_usd"] is one["counts"] is None


@pytest.mark.parametrize(
    ("reports", "verdict"),
    [
        ([], "refused"),
        ([refused("bills", "m", ["why"])], "refused"),
        ([report(), refused("bills", "m", ["why"])], "refused"),
        ([replace(report(), verdict=GateVerdict.FAIL), refused("bills", "m", ["why"])], "fail"),
        ([report()], "pass"),
    ],
)
def test_one_verdict_over_all(reports, verdict: str) -> None:
    value = gate_json(reports)
    assert value["verdict"] == verdict
    assert bool(value["reasons"]) is (verdict == "refused" or not reports or verdict == "fail")

"""Whether confidence drifted, from the accepted fit and from the baseline."""

import json

import pytest

from evals_pipeline.core.figures import CalibrationFit
from evals_pipeline.pipeline.baselines import record_baseline
from evals_pipeline.pipeline.calibration import stated_figures
from evals_pipeline.pipeline.calibration_checks import calibration_steady
from evals_pipeline.pipeline.digests import input_digests
from tests.defs.bills import DUE, NUMBERS
from tests.pipeline.tellers import STAMP

WHERE = ("bills", "steady")


@pytest.fixture
def state(bills, opened, run):
    """``steady`` is always right and states one confidence everywhere; then it is scored."""

    def stating(confidence):
        lines = [
            json.dumps(
                {
                    "fixture": f"bill-{number}",
                    "run_index": run_index,
                    "fields": {
                        name: {"value": value, "confidence": confidence}
                        for name, value in (("number", number), ("due", DUE))
                    },
                }
            )
            for run_index in range(2)
            for number in NUMBERS
        ]
        bills.write("golden/bills/steady.jsonl", "\n".join(lines))
        project = opened()
        run(project, "steady")
        return project

    return stating


def fit_of(ece, *, refusal=None):
    return CalibrationFit(
        set_name="bills",
        model_version="steady",
        method="temperature",
        n_pairs=100,
        n_movable=90,
        parameters={"temperature": 1.5},
        ece_before=ece,
        ece_after=0.02,
        heldout_n=50,
        heldout_ece_before=ece,
        heldout_ece_after=0.03,
        refusal=refusal,
    )


def store(project, fit):
    digests = input_digests(project, *WHERE)
    project.store.write_calibration_fits(*WHERE, (fit,), digests, STAMP)


def test_nothing_to_compare_with_is_said(state):
    answer = calibration_steady(state(0.9), *WHERE)
    assert answer.passed
    assert answer.description.startswith("steady: no accepted fit and no baseline")


def test_a_rise_above_the_baseline_names_the_fields(state):
    record_baseline(state(0.95), *WHERE, stamp=STAMP)
    assert calibration_steady(state(0.95), *WHERE).passed
    answer = calibration_steady(state(0.7), *WHERE)
    assert not answer.passed
    assert "number: 0.050 in the baseline, 0.300; due: 0.050" in answer.description
    assert '"evals calibrate bills --model steady"' in answer.description


def test_a_fall_below_the_baseline_is_no_drift(state):
    record_baseline(state(0.7), *WHERE, stamp=STAMP)
    assert calibration_steady(state(0.95), *WHERE).passed


def test_the_limit_of_the_set_counts(state, bills):
    text = (bills.folder / "set.yaml").read_text(encoding="utf-8")
    record_baseline(state(0.95), *WHERE, stamp=STAMP)
    wide = text.replace("{tolerance: 0}", "{tolerance: 0, calibration_tolerance: 0.3}")
    bills.write("golden/bills/set.yaml", wide)
    assert calibration_steady(state(0.7), *WHERE).passed


def test_an_accepted_fit_that_started_elsewhere_is_drift_and_a_refused_one_is_not(state):
    project = state(0.9)
    now = stated_figures(project, *WHERE).fitted.ece
    assert now == pytest.approx(0.1)
    store(project, fit_of(now))
    assert calibration_steady(project, *WHERE).passed
    store(project, fit_of(0.3))
    answer = calibration_steady(project, *WHERE)
    assert not answer.passed
    assert "made at a calibration error of 0.300, now 0.100" in answer.description
    store(project, fit_of(0.3, refusal="too few pairs"))
    assert calibration_steady(project, *WHERE).passed

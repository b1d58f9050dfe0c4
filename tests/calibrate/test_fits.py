"""Each refusal for its own reason, and the fit that passes all of them."""

import pytest

from evals_pipeline.calibrate.fits import (
    FEWEST_PAIRS,
    FitRequest,
    Method,
    Population,
    calibrated,
    fit_confidence,
)
from evals_pipeline.calibrate.refusals import REMEDIES, RefusalCode
from evals_pipeline.calibrate.temperature import scaled
from evals_pipeline.core import record_json
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import CalibrationFit
from tests.calibrate.populations import error_of, fit, labels, pairs

# Too sure throughout: 0.95 is right in 30 of 40, 0.8 in 12 of 20, 0.6 in 5 of 10.
OVERSURE = {0.95: labels(30, 10), 0.8: labels(12, 8), 0.6: labels(5, 5)}
# The same on other texts: a fit that helps the first helps these.
ALIKE = {0.95: labels(15, 5), 0.8: labels(6, 4)}
# Stated exactly as sure as it is right: any temperature but 1 makes this worse.
APT = {0.95: labels(38, 2), 0.8: labels(16, 4)}


def test_a_fit_that_helps_here_and_elsewhere_is_accepted():
    found = fit(OVERSURE, ALIKE)
    assert (found.refusal, found.refusal_code, found.remedy) == (None, None, None)
    assert (found.n_pairs, found.n_movable, found.n_correct) == (70, 70, 47)
    temperature = found.parameters["temperature"]
    assert 1 < temperature < 10
    # 0.95 leads by 0.2, 0.8 by 0.2, 0.6 by 0.1: (40*0.2 + 20*0.2 + 10*0.1) / 70
    assert found.ece_before == pytest.approx(13 / 70)
    assert found.ece_after < found.ece_before
    assert found.heldout_n == 30
    assert found.heldout_ece_before == pytest.approx(0.2)
    assert found.heldout_ece_after < found.heldout_ece_before
    assert calibrated(0.8, found) == pytest.approx(scaled(0.8, temperature))
    assert (calibrated(0.0, found), calibrated(1.0, found)) == (0.0, 1.0)


def test_a_model_that_always_states_the_same_cannot_be_fitted():
    found = fit({0.9: labels(20, 10)}, ALIKE)
    assert found.refusal_code == "degenerate_confidences"
    assert found.refusal == "every movable confidence is 0.9"
    assert found.parameters == {}
    assert found.ece_before == pytest.approx(0.9 - 2 / 3)


def test_confidences_of_0_and_1_alone_cannot_be_fitted():
    found = fit({1.0: labels(30, 6), 0.0: labels(0, 4)}, ALIKE)
    assert found.refusal_code == "degenerate_confidences"
    assert found.refusal == "all 40 confidences are 0 or 1, which no fit moves"
    assert (found.n_pairs, found.n_movable) == (40, 0)
    assert found.ece_before == pytest.approx(6 / 40)


@pytest.mark.parametrize(("label", "word"), [("1", "right"), ("0", "wrong")])
def test_a_model_that_is_always_right_or_always_wrong_cannot_be_fitted(label, word):
    found = fit({0.9: label * 20, 0.6: label * 20}, ALIKE)
    assert found.refusal_code == "degenerate_labels"
    assert found.refusal == f"all 40 movable pairs are {word}"


def test_labels_that_differ_among_fixed_points_alone_do_not_count():
    assert fit({1.0: "10", 0.9: "1" * 20, 0.6: "1" * 20}).refusal_code == "degenerate_labels"


def test_confidence_that_falls_with_being_right_lands_on_the_bound():
    found = fit({0.9: labels(2, 18), 0.2: labels(18, 2)}, ALIKE)
    assert found.refusal_code == "on_bound"
    assert "not more often right" in found.refusal
    assert found.parameters == {"temperature": 10.0}


def test_four_pairs_turned_round_are_refused_as_turned_round_first():
    found = fit({0.7: "00", 0.3: "11"})
    assert found.refusal_code == "on_bound"
    assert any("too_few_pairs" in note for note in found.notes)


def test_ten_good_pairs_are_too_few():
    found = fit({0.95: labels(5, 2), 0.6: labels(1, 2)}, ALIKE)
    assert found.refusal_code == "too_few_pairs"
    assert found.refusal == f"10 movable pairs, at least {FEWEST_PAIRS} are needed"


def test_twenty_pairs_are_enough():
    assert fit({0.95: labels(10, 4), 0.6: labels(3, 3)}, ALIKE).refusal_code != "too_few_pairs"


def test_fixed_points_do_not_make_up_for_pairs():
    found = fit({0.95: labels(5, 2), 0.6: labels(1, 2), 1.0: "1" * 50}, ALIKE)
    assert found.refusal_code == "too_few_pairs"
    assert found.n_pairs == 60


def test_a_fit_that_does_not_lower_the_error_is_refused():
    # Right as often as stated; the likelihood moves T a little off 1, which costs.
    found = fit({0.9: labels(18, 2), 0.7: labels(14, 6), 0.5: labels(9, 11)}, ALIKE)
    assert found.refusal_code == "not_improving"
    assert f"{found.ece_before:.4f}" in found.refusal
    assert f"{found.ece_after:.4f}" in found.refusal


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (0.0521, "go from 0.0417 to 0.0521"),
        (0.041671, "go from 0.041666 to 0.041671"),
        (0.041666, "stay unchanged at 0.0417"),
    ],
)
def test_errors_that_hardly_differ_are_told_with_the_digits_that_do(after, told):
    errors = iter([0.041666, after, 0.1, 0.1])
    found = fit(OVERSURE, ALIKE, measure=lambda pairs: next(errors))
    assert found.refusal_code == "not_improving"
    assert found.refusal == f"the calibration error would {told}"


def test_without_recorded_runs_there_is_no_fit():
    found = fit(OVERSURE)
    assert found.refusal_code == "no_heldout"
    assert (found.heldout_n, found.heldout_ece_before) == (0, None)
    assert found.parameters["temperature"] > 1  # shown, though it may not be applied


def test_a_fit_that_helps_in_sample_and_hurts_held_out_is_refused():
    found = fit(OVERSURE, APT)
    assert found.refusal_code == "heldout_regression"
    assert found.ece_after < found.ece_before
    assert found.heldout_ece_before == pytest.approx(0)
    assert found.heldout_ece_after > 0.05
    assert "60 held-out pairs (notes-001)" in found.refusal
    with pytest.raises(RefusedError, match="is not applied"):
        calibrated(0.9, found)


def test_what_a_judge_left_open_refuses_whatever_the_pairs_say():
    found = fit(OVERSURE, ALIKE, n_unjudged=3, n_left_out=1)
    assert found.refusal_code == "unjudged"
    assert found.refusal == "3 claims of 74 left unjudged"
    held_out = fit(OVERSURE, ALIKE, heldout_unjudged=2)
    assert held_out.refusal_code == "unjudged"
    assert "held-out runs (notes-001)" in held_out.refusal


def test_a_judge_that_failed_altogether_is_said_before_that_there_are_no_pairs():
    found = fit({}, ALIKE, n_unjudged=12)
    assert found.refusal_code == "unjudged"
    assert found.ece_before is None


def test_claims_without_a_usable_confidence_give_no_pairs():
    found = fit({}, ALIKE, n_left_out=9)
    assert found.refusal_code == "no_pairs"
    assert found.refusal == "none of 9 in fit-001 states a usable confidence"
    assert (found.n_left_out, found.ece_before, found.ece_after) == (9, None, None)


def test_no_population_is_its_own_refusal():
    request = FitRequest(
        set_name="notes-001",
        model_version="acme-1",
        method=Method.TEMPERATURE,
        population=Population(n_runs=0),
        heldout=Population(),
    )
    assert fit_confidence(request, error_of=error_of).refusal_code == "no_population"


def test_every_refusal_says_what_mends_it_and_a_request_may_say_it_closer():
    assert set(REMEDIES) == set(RefusalCode)
    assert fit(OVERSURE).remedy == REMEDIES[RefusalCode.NO_HELDOUT]
    found = fit(OVERSURE, remedies={RefusalCode.NO_HELDOUT: "Run it."})
    assert found.remedy == "Run it."


def test_an_isotonic_fit_maps_each_confidence_to_what_was_right():
    found = fit(OVERSURE, ALIKE, method=Method.ISOTONIC)
    assert found.refusal is None
    assert found.parameters["confidences"] == (0.6, 0.8, 0.95)
    assert found.parameters["values"] == pytest.approx((0.5, 0.6, 0.75))
    assert found.ece_after == pytest.approx(0, abs=1e-9)
    assert calibrated(0.95, found) == pytest.approx(0.75)


def test_an_isotonic_fit_has_the_same_refusals():
    assert fit(OVERSURE, APT, method=Method.ISOTONIC).refusal_code == "heldout_regression"
    turned = fit({0.9: labels(2, 18), 0.2: labels(18, 2)}, ALIKE, method=Method.ISOTONIC)
    assert turned.refusal_code == "on_bound"
    assert "flat" in turned.refusal
    assert fit({0.9: labels(20, 10)}, method=Method.ISOTONIC).refusal_code == (
        "degenerate_confidences"
    )


def test_a_fit_comes_back_from_the_store_and_still_applies():
    for method in Method:
        found = fit(OVERSURE, ALIKE, method=method)
        stored = record_json.from_text(CalibrationFit, record_json.to_text(found))
        assert stored == found
        assert calibrated(0.7, stored) == calibrated(0.7, found)


def test_the_order_of_pairs_changes_no_fit():
    backwards = {confidence: text[::-1] for confidence, text in reversed(OVERSURE.items())}
    one, other = fit(OVERSURE, ALIKE), fit(backwards, ALIKE)
    assert other.parameters["temperature"] == pytest.approx(one.parameters["temperature"], abs=1e-6)
    assert len(pairs(backwards)) == one.n_pairs
    assert (other.refusal, other.ece_before) == (one.refusal, one.ece_before)

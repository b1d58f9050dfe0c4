from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.baseline.compare import GateRules, compare
from evals_pipeline.baseline.measurement import Measurement
from evals_pipeline.baseline.record import make_baseline
from evals_pipeline.core.figures import Baseline, FieldDelta, GateReport
from evals_pipeline.core.outcomes import FieldOutcome, FieldVerdict, GateVerdict
from evals_pipeline.core.records import Tolerance
from evals_pipeline.core.run_records import StatusCounts
from tests.scored import (
    ONE_DOCUMENT,
    Picture,
    figures,
    golden_set,
    measurement,
    pins,
    policy,
    spec,
)
from tests.screens import AFTER, BEFORE

RULES = GateRules(policy=policy())


def baseline(picture: Picture, **pinned: object) -> Baseline:
    return make_baseline(measurement(picture, **pinned), policy=policy())


def gate(before: Picture, now: Picture, rules: GateRules = RULES) -> GateReport:
    return compare(measurement(now), baseline(before), rules)


def row(report: GateReport, name: str = "total") -> FieldDelta:
    return next(one for one in report.fields if one.field == name)


def many(n: int, letters: str, start: int = 0) -> dict[str, str]:
    return {f"d{number:03}": letters for number in range(start, start + n)}


def test_the_screen_of_a_hint_that_moves_one_date_into_another() -> None:
    report = gate(BEFORE, AFTER)
    shown = [
        (one.field, float(one.baseline), float(one.now), float(one.delta), one.verdict)
        for one in report.fields
        if one.baseline is not None and one.now is not None and one.delta is not None
    ]
    assert shown == [
        ("invoice_number", 0.98, 0.98, 0.0, FieldVerdict.UNCHANGED),
        ("invoice_date", 0.91, 0.98, 0.07, FieldVerdict.IMPROVED),
        ("due_date", 0.96, 0.88, -0.08, FieldVerdict.REGRESSION),
        ("po_number", 0.87, 0.87, 0.0, FieldVerdict.UNCHANGED),
        ("total", 0.995, 0.995, 0.0, FieldVerdict.UNCHANGED),
    ]
    assert report.verdict is GateVerdict.FAIL
    assert (report.overall_baseline, report.overall_now) == (
        Fraction(943, 1000),
        Fraction(941, 1000),
    )
    assert report.overall_is_within_noise is True
    assert row(report, "due_date").is_within_noise is False
    documents = dict.fromkeys(miss.document for miss in row(report, "due_date").misses)
    invented = {
        miss.document
        for miss in row(report, "due_date").misses
        if miss.outcome is FieldOutcome.INVENTED
    }
    assert len(documents) == 4
    assert len(invented) == 1


@pytest.mark.parametrize(
    ("tolerance", "n_broken", "verdict"),
    [
        (Tolerance(fraction=Fraction(1, 10)), 2, FieldVerdict.ACKNOWLEDGED),  # 2/20, equal passes
        (Tolerance(fraction=Fraction(1, 10)), 3, FieldVerdict.REGRESSION),
        (Tolerance(documents=2), 2, FieldVerdict.ACKNOWLEDGED),
        (Tolerance(documents=2), 3, FieldVerdict.REGRESSION),
        (Tolerance(fraction=Fraction(0)), 0, FieldVerdict.UNCHANGED),
        (Tolerance(fraction=Fraction(0)), 1, FieldVerdict.REGRESSION),
    ],
)
def test_a_drop_equal_to_the_tolerance_stays_within(
    tolerance: Tolerance, n_broken: int, verdict: FieldVerdict
) -> None:
    now = many(20 - n_broken, "1") | many(n_broken, "0", start=20 - n_broken)
    rules = GateRules(policy=policy(tolerance), accepted={"total": "a fax fewer"})
    assert row(gate({"total": many(20, "1")}, {"total": now}, rules)).verdict is verdict


def test_equality_is_exact_where_floats_are_not() -> None:
    # 0.3 - 0.2 is 0.09999… in floats, 1 - 0.9 is 0.0999…8; both drops are exactly 1/10.
    rules = GateRules(
        policy=policy(Tolerance(fraction=Fraction(1, 10))), accepted={"total": "accepted"}
    )
    before = {"total": many(3, "1") | many(7, "0", start=3)}
    now = {"total": many(2, "1") | many(8, "0", start=2)}
    report = gate(before, now, rules)
    assert row(report).delta == Fraction(-1, 10)
    assert report.verdict is GateVerdict.PASS


def test_a_drop_within_the_tolerance_fails_until_somebody_accepts_it() -> None:
    before, now = {"total": many(60, "1")}, {"total": many(59, "1") | many(1, "0", start=59)}
    silent = gate(before, now)
    assert row(silent).verdict is FieldVerdict.UNACKNOWLEDGED
    assert silent.verdict is GateVerdict.FAIL
    assert "Accept-Drop: invoices/total <reason>" in silent.reasons[0]
    accepted = gate(before, now, replace(RULES, accepted={"total": "a torn page"}))
    assert row(accepted).verdict is FieldVerdict.ACKNOWLEDGED
    assert row(accepted).acknowledged == "a torn page"
    assert accepted.verdict is GateVerdict.PASS
    assert accepted.reasons == ()


def test_an_acknowledgement_does_not_cover_a_regression() -> None:
    before, now = {"total": many(10, "1")}, {"total": many(10, "0")}
    report = gate(before, now, replace(RULES, accepted={"total": "whatever"}))
    assert row(report).verdict is FieldVerdict.REGRESSION
    assert "covers drops within the tolerance only" in report.reasons[0]


def test_a_fields_own_tolerance_comes_before_the_sets() -> None:
    rules = GateRules(
        policy=policy(), tolerances={"total": ONE_DOCUMENT}, accepted={"total": "x", "po": "x"}
    )
    before, now = many(10, "1"), many(9, "1") | many(1, "0", start=9)
    report = gate({"total": before, "po": before}, {"total": now, "po": now}, rules)
    assert row(report, "total").verdict is FieldVerdict.ACKNOWLEDGED
    assert row(report, "po").verdict is FieldVerdict.REGRESSION
    assert row(report, "total").tolerance == "1 doc"


def test_a_document_weighs_the_same_however_often_it_was_run() -> None:
    # Before: one run each. Now three: shares 2/3 and 1, mean 5/6.
    report = gate({"total": {"a": "1", "b": "1"}}, {"total": {"a": "110", "b": "111"}})
    assert row(report).now == Fraction(5, 6)
    assert row(report).delta == Fraction(-1, 6)
    assert "3 runs now, 1 in the baseline: one side is noisier" in report.hints


def test_fix_one_break_one_is_listed_though_the_figure_stands_still() -> None:
    report = gate({"total": {"a": "1", "b": "0"}}, {"total": {"a": "0", "b": "1"}})
    assert row(report).verdict is FieldVerdict.UNCHANGED
    assert report.verdict is GateVerdict.PASS
    (failing,), (passing,) = report.newly_failing, report.newly_passing
    assert (failing.document, failing.baseline, failing.now) == ("a", "1/1", "0/1")
    assert failing.misses[0].got == "something else"
    assert (passing.document, passing.baseline, passing.now) == ("b", "0/1", "1/1")


def test_newly_failing_documents_come_by_weight_then_by_the_size_of_the_move() -> None:
    before = {"po": {"a": "111", "b": "111"}, "total": {"a": "111", "b": "111"}}
    now = {"po": {"a": "110", "b": "000"}, "total": {"a": "110", "b": "111"}}
    golden = golden_set(now, fields=(spec("po"), spec("total", weight=10)))
    report = compare(measurement(now, golden), baseline(before), RULES)
    listed = [(one.field, one.document, one.now) for one in report.newly_failing]
    assert listed == [("total", "a", "2/3"), ("po", "b", "0/3"), ("po", "a", "2/3")]
    assert [one.field for one in report.fields] == ["total", "po"]


def test_a_new_field_is_reported_and_not_called_a_regression() -> None:
    before = {"total": many(5, "1")}
    report = gate(before, before | {"iban": many(4, "0") | many(1, "1", start=4)})
    iban = row(report, "iban")
    assert (iban.verdict, iban.baseline, iban.now) == (FieldVerdict.NEW, None, Fraction(1, 5))
    assert report.verdict is GateVerdict.PASS


def test_a_vanished_field_fails() -> None:
    now = {"total": many(5, "1")}
    report = gate(now | {"iban": many(5, "0")}, now)
    assert row(report, "iban").verdict is FieldVerdict.VANISHED
    assert report.verdict is GateVerdict.FAIL
    assert report.reasons[0].startswith("iban vanished")


def test_added_and_removed_documents_are_listed_and_not_judged() -> None:
    report = gate({"total": {"a": "1", "gone": "1"}}, {"total": {"a": "1", "fresh": "0"}})
    assert report.verdict is GateVerdict.PASS
    assert row(report).n_documents == 1
    listed = {(one.change, one.document, one.baseline, one.now) for one in report.not_gated}
    assert listed == {("added", "fresh", None, "0/1"), ("removed", "gone", "1/1", None)}


def test_a_relabelled_document_is_listed_and_not_judged() -> None:
    now = {"total": {"a": "1", "b": "0"}}
    golden = golden_set(now, relabelled=(("total", "b"),))
    report = compare(measurement(now, golden), baseline({"total": {"a": "1", "b": "1"}}), RULES)
    assert report.verdict is GateVerdict.PASS
    (listed,) = report.not_gated
    assert (listed.field, listed.document, listed.change) == ("total", "b", "relabelled")


def test_a_field_whose_every_label_changed_counts_as_new() -> None:
    now = {"total": {"a": "0"}, "po": {"a": "1"}}
    golden = golden_set(now, relabelled=(("total", "a"),))
    before = baseline({"total": {"a": "1"}, "po": {"a": "1"}})
    report = compare(measurement(now, golden), before, RULES)
    assert row(report, "total").verdict is FieldVerdict.NEW
    assert any("every label of total changed" in hint for hint in report.hints)


def test_small_drops_say_that_they_are_within_noise_and_fail_all_the_same() -> None:
    # 4/4 to 3/4: Wilson [0.51, 1] and [0.30, 0.95] overlap. 12/12 to 4/12: [0.76, 1], [0.14, 0.61].
    small = gate({"total": many(4, "1")}, {"total": many(3, "1") | many(1, "0", start=3)})
    large = gate({"total": many(12, "1")}, {"total": many(4, "1") | many(8, "0", start=4)})
    assert (row(small).verdict, row(small).is_within_noise) == (FieldVerdict.REGRESSION, True)
    assert (row(large).verdict, row(large).is_within_noise) == (FieldVerdict.REGRESSION, False)
    assert any("within noise" in hint for hint in small.hints)


def test_an_unstable_field_says_so() -> None:
    picture = {"total": {"a": "101", "b": "111"}}
    report = gate(picture, picture)
    assert row(report).is_unstable
    assert row(report).noise == 0.5
    assert any(hint.startswith("unstable") and "total" in hint for hint in report.hints)


def test_weights_order_the_rows() -> None:
    now = {"a": {"x": "1"}, "b": {"x": "1"}, "c": {"x": "1"}}
    golden = golden_set(now, fields=(spec("a"), spec("b", weight=5), spec("c", weight=5)))
    report = compare(measurement(now, golden), baseline(now), RULES)
    assert [one.field for one in report.fields] == ["b", "c", "a"]


# --- refusals -----------------------------------------------------------------------------------

ONE = {"total": {"a": "1"}}


def refusal(now: Measurement, before: Baseline | None = None, rules: GateRules = RULES) -> str:
    report = compare(now, before or baseline(ONE), rules)
    assert report.verdict is GateVerdict.REFUSED
    assert report.fields == ()
    return "\n".join(report.reasons)


def test_another_model_version_is_refused() -> None:
    reason = refusal(measurement(ONE, model_version="other-2026"))
    assert "the difference would measure the model" in reason
    assert "evals baseline record invoices --model other-2026" in reason


def test_a_model_that_changed_behind_its_name_is_refused() -> None:
    reason = refusal(measurement(ONE, provider_model="acme-2026-09-01"))
    assert "answered by acme-2026-08-15, today's answers come from acme-2026-09-01" in reason


def test_comparing_models_is_allowed_on_purpose_and_says_so() -> None:
    other = measurement(ONE, model_version="other-2026")
    report = compare(other, baseline(ONE), replace(RULES, compares_models=True))
    assert report.verdict is GateVerdict.PASS
    assert any("compares models as well as prompts" in hint for hint in report.hints)


def test_two_prompts_of_one_model_are_compared_without_that_remark() -> None:
    other = measurement(ONE, model_version="short-prompt", provider_model="acme-2026-08-15")
    report = compare(other, baseline(ONE), replace(RULES, compares_models=True))
    assert report.verdict is GateVerdict.PASS
    assert not any("models as well as prompts" in hint for hint in report.hints)


def test_an_alias_on_either_side_is_refused() -> None:
    asked = replace(measurement(ONE), requested_model="acme-large-latest")
    assert "acme-large-latest is an alias" in refusal(asked)
    assert "here acme-2026-08-15" in refusal(asked)
    answered = measurement(ONE, provider_model="acme-latest")
    assert "acme-latest is an alias" in refusal(answered)
    recorded = baseline(ONE)
    aliased = replace(recorded, pins=replace(recorded.pins, provider_model="acme-latest"))
    assert "the baseline is pinned to acme-latest, an alias" in refusal(
        answered, aliased, replace(RULES, compares_models=True)
    )


def test_an_empty_set_is_refused() -> None:
    empty = replace(golden_set(ONE), documents=())
    scored = figures({}, empty, counts=StatusCounts(planned=0, ok=0))
    scored = replace(scored, run_indices=(0,))
    now = Measurement(figures=scored, pins=pins(scored))
    assert 'Add one with "evals golden add FILE --set invoices"' in refusal(now)


def test_no_results_are_refused() -> None:
    nothing = measurement({"total": {"a": "e", "b": "e"}})
    assert "nothing was extracted: 2 of 2 failed (2 error)" in refusal(nothing)


def test_too_many_errors_are_refused_and_the_limit_is_kept() -> None:
    now = {"total": {"a": "1", **many(9, "e")}}
    before = baseline({"total": {"a": "1", **many(9, "1")}})
    reason = refusal(measurement(now), before)
    assert "9 of 10 extractions failed (9 error); the limit is 0" in reason
    assert "evals run invoices --model acme-2026-08-15" in reason
    allowed = GateRules(policy=policy(max_errors=9))
    assert compare(measurement(now), before, allowed).verdict is GateVerdict.FAIL


def test_an_unparsable_answer_is_a_wrong_answer_and_no_failed_call() -> None:
    counts = StatusCounts(planned=2, ok=1, unparsable=1)
    now = measurement({"total": {"a": "1", "b": "e"}}, counts=counts)
    report = compare(now, baseline({"total": {"a": "1", "b": "1"}}), RULES)
    assert report.verdict is GateVerdict.FAIL
    assert row(report).verdict is FieldVerdict.REGRESSION
    assert any("1 unparsable of 2 extractions" in hint for hint in report.hints)


def test_unjudged_answers_are_refused() -> None:
    now = replace(measurement(ONE), n_unjudged=5)
    assert "5 answers unjudged" in refusal(now)


def test_fewer_runs_than_the_set_asks_for_are_refused() -> None:
    rules = GateRules(policy=policy(min_runs=3))
    assert "--runs 3" in refusal(measurement(ONE), rules=rules)


def test_nothing_in_common_is_refused() -> None:
    assert "nothing to compare" in refusal(measurement({"total": {"b": "1"}}))
    assert "nothing to compare" in refusal(measurement({"iban": {"a": "1"}}))


def test_all_reasons_are_given_at_once() -> None:
    now = replace(measurement({"total": {"a": "1", "b": "e"}}), n_unjudged=1)
    report = compare(now, baseline(ONE), GateRules(policy=policy(min_runs=2)))
    assert len(report.reasons) == 3


# --- cost and calibration -----------------------------------------------------------------------


def test_cost_is_shown_and_gates_nothing() -> None:
    before = make_baseline(replace(measurement(ONE), cost_usd=Decimal("0.30")), policy=policy())
    report = compare(replace(measurement(ONE), cost_usd=Decimal("0.95")), before, RULES)
    assert (report.baseline_cost_usd, report.cost_usd) == (Decimal("0.30"), Decimal("0.95"))
    assert report.verdict is GateVerdict.PASS


# --- properties ---------------------------------------------------------------------------------

rows = st.fixed_dictionaries({name: st.sampled_from(["11", "10", "00"]) for name in "abcdef"})
pictures = st.fixed_dictionaries({"total": rows, "po": rows})


@settings(max_examples=40, deadline=None)
@given(picture=pictures)
def test_against_itself_nothing_moved(picture: Picture) -> None:
    report = gate(picture, picture)
    assert report.verdict is GateVerdict.PASS
    assert report.newly_failing == report.newly_passing == report.not_gated == ()
    assert {one.delta for one in report.fields} == {Fraction(0)}
    assert {one.p_value for one in report.fields} == {1.0}


@settings(max_examples=40, deadline=None)
@given(before=pictures, now=pictures, seed=st.integers())
def test_the_order_of_documents_changes_no_row(before: Picture, now: Picture, seed: int) -> None:
    names = list("abcdef")
    Random(seed).shuffle(names)
    shuffled = {field: {name: row[name] for name in names} for field, row in now.items()}
    one, other = gate(before, now), gate(before, shuffled)
    assert (one.verdict, one.fields, one.newly_failing) == (
        other.verdict, other.fields, other.newly_failing,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(before=pictures, now=pictures)
def test_swapping_the_sides_turns_every_delta_round(before: Picture, now: Picture) -> None:
    there, back = gate(before, now), gate(now, before)
    for name in before:
        one, other = row(there, name), row(back, name)
        assert one.delta is not None
        assert other.delta is not None
        assert one.delta == -other.delta
        assert one.p_value == other.p_value
    assert len(there.newly_failing) == len(back.newly_passing)

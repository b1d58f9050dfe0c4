from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import FieldFigures, label_hints
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import Correction, LaterLabel
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.score.fields import score_fields
from tests.scored import (
    Picture,
    document,
    document_id,
    figures,
    golden_set,
    match,
    matches,
    n_runs_of,
    statuses,
)


def field(picture: Picture, name: str = "total") -> FieldFigures:
    return next(one for one in figures(picture).fields if one.field == name)


def test_failed_documents_stay_in_the_denominator() -> None:
    # 12 documents, 3 right, 2 without an extraction: 3/12, not 3/10.
    row = {f"d{n}": "1" for n in range(3)} | {f"w{n}": "0" for n in range(7)}
    scored = field({"total": row | {"e1": "e", "e2": "e"}})
    assert (scored.correct, scored.n, scored.accuracy) == (3, 12, 0.25)
    assert scored.outcomes[FieldOutcome.ERROR] == 2
    assert scored.outcomes[FieldOutcome.WRONG] == 7


def test_a_planned_document_without_a_row_counts_as_an_error() -> None:
    scored = field({"total": {"a": "11", "b": "1."}})
    assert (scored.correct, scored.n) == (3, 4)
    (miss,) = scored.misses
    assert (miss.document, miss.run_index, miss.outcome) == ("b", 1, FieldOutcome.ERROR)
    assert (miss.want, miss.got) == ("total of b", None)


def test_value_recall_stands_beside_an_accuracy_that_absences_carry() -> None:
    # Four absences found and the one value missed: accuracy 0.8, value recall 0 of 1.
    scored = field({"total": {"a": "n", "b": "n", "c": "n", "d": "n", "e": "m"}})
    assert scored.accuracy == 0.8
    assert (scored.value_recall, scored.n_values, scored.n_absences) == (0.0, 1, 4)
    assert scored.invention_rate == 0.0


def test_inventions_are_counted_over_labelled_absences() -> None:
    scored = field({"total": {"a": "ni", "b": "nn", "c": "10"}})
    assert scored.invention_rate == 0.25
    assert scored.value_recall == 0.5


def test_nothing_to_count_is_null_and_not_zero() -> None:
    only_values, only_absences = field({"total": {"a": "1"}}), field({"total": {"a": "n"}})
    assert only_values.invention_rate is None
    assert only_absences.value_recall is None
    assert only_values.disagreement is None


def test_a_label_that_accepts_absence_too_is_neither_value_nor_absence() -> None:
    picture = {"total": {"a": "1", "b": "1"}}
    documents = (
        document("a", {"total": ("total of a", None)}),
        document("b", {"total": ("total of b",)}),
    )
    scored = figures(picture, golden_set(picture, documents=documents)).fields[0]
    assert (scored.n_values, scored.n_absences, scored.value_recall) == (1, 0, 1.0)


def test_an_empty_set_has_null_figures() -> None:
    golden = replace(golden_set({"total": {"a": "1"}}), documents=())
    scored = score_fields(
        golden,
        [],
        model_version="m",
        run_indices=[0],
        statuses=StatusCounts(planned=0, ok=0),
    )
    only = scored.fields[0]
    assert (scored.n, only.n, only.accuracy, only.ci_low, only.disagreement) == (
        0, 0, None, None, None,
    )  # fmt: skip


def test_disagreement_leaves_out_runs_that_failed() -> None:
    # Two equal answers and a failure are no disagreement; a failure is no third value.
    scored = field({"total": {"a": "11e", "b": "111"}})
    assert (scored.disagreement, scored.n_compared) == (0.0, 2)
    assert not scored.is_unstable


def test_disagreement_needs_two_valid_runs() -> None:
    scored = field({"total": {"a": "1ee", "b": "110", "c": "000", "d": "111"}})
    assert scored.n_compared == 3
    assert scored.disagreement == pytest.approx(1 / 3)


def test_wrong_in_two_ways_disagrees_and_wrong_in_one_does_not() -> None:
    scored = field({"total": {"a": "00", "b": "0u"}})
    assert scored.disagreement == 0.5


def test_a_field_is_unstable_at_the_limit_exactly() -> None:
    # The limit is 0.10: one of ten documents reaches it, one of eleven does not.
    ten = {"total": {f"d{n}": "11" for n in range(9)} | {"x": "10"}}
    eleven = {"total": {f"d{n}": "11" for n in range(10)} | {"x": "10"}}
    assert field(ten).is_unstable
    assert not field(eleven).is_unstable


def test_long_answers_are_compared_whole() -> None:
    picture = {"total": {"a": "11"}}
    first, second = matches(picture)
    answers = ["x" * 500 + "1", "x" * 500 + "2"]
    rows = [first._replace(answer=answers[0]), second._replace(answer=answers[1])]
    scored = score_fields(
        golden_set(picture),
        rows,
        model_version="m",
        run_indices=[0, 1],
        statuses=statuses(picture),
    )
    assert scored.fields[0].disagreement == 1.0


def test_every_miss_is_kept_with_document_run_want_and_got() -> None:
    scored = field({"total": {"b": "01", "a": "1i"}, "other": {"a": "11", "b": "11"}})
    kept = [(miss.document, miss.run_index, miss.want, miss.got) for miss in scored.misses]
    assert kept == [("a", 1, None, "2026-03-04"), ("b", 0, "total of b", "something else")]


def test_a_field_of_many_values_does_not_drown_another() -> None:
    scored = figures({"total": {"a": "1", "b": "1"}, "po": {"a": "0", "b": "0"}})
    assert [one.accuracy for one in scored.fields] == [1.0, 0.0]
    assert (scored.correct, scored.n) == (2, 4)


def test_accuracy_by_run_follows_the_runs() -> None:
    assert field({"total": {"a": "10", "b": "11"}}).accuracy_by_run == (1.0, 0.5)


def test_confidence_is_calibrated_against_being_right() -> None:
    picture = {"total": {"a": "1", "b": "0", "c": "1"}}
    stated = dict(zip("abc", (0.8, 0.8, None), strict=True))
    rows = [one._replace(confidence=stated[one.document]) for one in matches(picture)]
    scored = score_fields(
        golden_set(picture),
        rows,
        model_version="m",
        run_indices=[0],
        statuses=statuses(picture),
    )
    calibration = scored.fields[0].calibration
    assert calibration is not None
    # One bin, [0.8, 0.9): mean confidence 0.8, half of them right: |0.5 - 0.8|.
    assert calibration.ece == pytest.approx(0.3)
    assert (calibration.n, calibration.n_left_out) == (2, 1)


def test_a_label_that_no_run_ever_meets_is_suspected_first() -> None:
    scored = field({"total": {"a": "00", "b": "11", "c": "11"}})
    assert scored.lone_miss == "a, labelled by rk"
    (hint,) = label_hints([scored])
    assert "total (a, labelled by rk)" in hint


@pytest.mark.parametrize(
    "row",
    [
        {"a": "00", "b": "01", "c": "11"},  # two labels
        {"a": "01", "b": "11"},  # comes and goes
        {"a": "ee", "b": "11"},  # never answered
        {"a": "00"},  # nothing to compare the label with
        {"a": "0", "b": "1", "c": "1"},  # one answer, wrong once
        {"a": "0e", "b": "11"},  # the same, and no second answer
    ],
)
def test_other_misses_suspect_no_label(row: dict[str, str]) -> None:
    scored = field({"total": row})
    assert scored.lone_miss is None
    assert list(label_hints([scored])) == []


def test_failed_extractions_are_noted() -> None:
    scored = figures({"total": {"a": "1e", "b": "11"}})
    assert scored.notes == (
        "1 of 4 extractions gave no values (1 error); they count as wrong in every field",
    )


@pytest.mark.parametrize(
    "stray",
    [
        match("total", "zzz", 0, "1"),
        match("totals", "a", 0, "1"),
        match("total", "a", 7, "1"),
    ],
)
def test_a_row_that_is_not_planned_is_refused(stray: object) -> None:
    picture = {"total": {"a": "1"}}
    with pytest.raises(RefusedError, match='Run "evals run invoices"'):
        score_fields(
            golden_set(picture),
            [stray],  # type: ignore[list-item] # on purpose
            model_version="m",
            run_indices=[0],
            statuses=statuses(picture),
        )


def test_a_row_that_comes_twice_is_refused() -> None:
    picture = {"total": {"a": "1"}}
    with pytest.raises(RefusedError, match="judged twice"):
        score_fields(
            golden_set(picture),
            [*matches(picture), *matches(picture)],
            model_version="m",
            run_indices=[0],
            statuses=statuses(picture),
        )


def test_a_document_keeps_its_count_and_the_digest_of_its_label() -> None:
    before = figures({"total": {"a": "110"}}).fields[0].documents[0]
    picture = {"total": {"a": "110"}}
    relabelled = golden_set(picture, relabelled=(("total", "a"),))
    after = figures(picture, relabelled).fields[0].documents[0]
    assert (before.fixture_id, before.document, before.correct, before.n) == (
        document_id("a"), "a", 2, 3,
    )  # fmt: skip
    assert before.gold_digest != after.gold_digest


pictures = st.integers(1, 3).flatmap(
    lambda n_runs: st.dictionaries(
        st.sampled_from(["total", "due", "po"]),
        st.fixed_dictionaries(
            {name: st.text("10muie.", min_size=n_runs, max_size=n_runs) for name in "abc"}
        ),
        min_size=1,
    )
)


@settings(max_examples=50, deadline=None)
@given(picture=pictures, seed=st.integers())
def test_the_order_of_rows_changes_nothing(picture: Picture, seed: int) -> None:
    golden, rows = golden_set(picture), list(matches(picture))
    expected = figures(picture, golden)
    Random(seed).shuffle(rows)
    actual = score_fields(
        golden,
        rows,
        model_version="acme-2026-08-15",
        run_indices=range(n_runs_of(picture)),
        statuses=statuses(picture),
    )
    assert actual == expected


@settings(max_examples=50, deadline=None)
@given(picture=pictures)
def test_counts_add_up(picture: Picture) -> None:
    for one in figures(picture).fields:
        assert sum(one.outcomes.values()) == one.n == len(picture[one.field]) * n_runs_of(picture)
        assert len(one.misses) == one.n - one.correct
        assert sum(tally.correct for tally in one.documents) == one.correct
        assert one.accuracy == pytest.approx(sum(one.accuracy_by_run) / len(one.accuracy_by_run))


def test_a_miss_says_who_labelled_and_corrected_what_it_missed() -> None:
    correction = Correction(
        field="total", old=None, new="7", by="mt", at="2026-07-05", reason="overlooked"
    )
    picture = {"total": {"a": "00", "b": "1."}}
    golden = golden_set(picture)
    first, second = golden.documents
    made = (correction, replace(correction, field="due_date"))
    later = {"total": LaterLabel(by="vera", at="2026-08-01")}
    second = replace(second, labelled_later=later)
    golden = replace(golden, documents=(replace(first, corrections=made), second))
    (scored,) = figures(picture, golden).fields
    assert [(one.document, one.labelled_by, one.corrections) for one in scored.misses] == [
        ("a", "rk", ("by mt on 2026-07-05, was absent: overlooked",)),
        ("a", "rk", ("by mt on 2026-07-05, was absent: overlooked",)),
        ("b", "vera", ()),
    ]
    assert [one.labelled_at for one in scored.misses] == ["2026-07-02", "2026-07-02", "2026-08-01"]

"""The figures of the harnesses on labels drawn by hand."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.harness_records import (
    UNREADABLE,
    AlignedCase,
    AlignedLabel,
    HarnessKind,
    HarnessLabel,
    HarnessSuite,
    Modality,
    Polarity,
    Validity,
)
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Claim, StatusCounts
from evals_pipeline.score.harnesses import emitted_property, score_harness

OK = ExtractionStatus.OK


def suite(kind, *, tolerance=3):
    return HarnessSuite(
        kind=kind,
        suite_id="diary-001",
        name="Diaries",
        version="1",
        domain="diaries",
        source_type="DIARY",
        cases=(),
        date_tolerance_days=tolerance,
        path=Path("a.yaml"),
        digest="0",
    )


def label(expected, emitted=None, *, want=None, got=None):
    """``emitted`` None: no claim was aligned."""
    return AlignedLabel(
        label=HarnessLabel(content="x", expected=expected, valid_until=want),
        claim=None if emitted is None else "x",
        similarity=None if emitted is None else 0.9,
        emitted=emitted,
        is_stated=emitted is not None,
        valid_until=got,
    )


def case(*labels, run=0, status=OK, **changes):
    n_emitted = sum(one.emitted is not None for one in labels)
    stated = {"n_emitted": n_emitted, "n_stating": n_emitted} | changes
    return AlignedCase(
        case_id=f"case-{run}", run_index=run, status=status, reason=None, labels=labels, **stated
    )


def score(kind, *cases, tolerance=3):
    runs = sorted({one.run_index for one in cases})
    return score_harness(
        suite(kind, tolerance=tolerance),
        cases,
        extractor_id="general",
        model_version="acme-1",
        run_indices=runs,
        statuses=StatusCounts(planned=len(cases), ok=len(cases)),
        judge="embedding",
        threshold=0.65,
    )


def rates(figures):
    return {rate.name: (rate.figure.mean, rate.count, rate.n) for rate in figures.rates}


def cells(figures):
    return {(cell.expected, cell.emitted): cell.n for cell in figures.confusion}


def test_polarity_by_hand():
    """Of five decisions that hold one is declined, one supposed, one not found at all."""
    a, d, h = Polarity.ASSERTED, Polarity.DECLINED, Polarity.HYPOTHETICAL
    figures = score(
        HarnessKind.POLARITY,
        case(
            label(a, a), label(a, a), label(a, d), label(a, h), label(a), label(d, d), label(h, d)
        ),
    )
    assert rates(figures) == {
        "wrong_declined_rate": (1 / 4, 1, 4),
        "wrong_hidden_rate": (2 / 4, 2, 4),
    }
    by_name = {one.name: one for one in figures.classes}
    assert [by_name[a].n_labels, by_name[a].recall.n] == [5, 4]
    assert by_name[a].recall.figure.mean == pytest.approx(2 / 4)
    assert by_name[a].precision.figure.mean == 1.0
    assert by_name[d].precision.figure.mean == pytest.approx(1 / 3)  # of three emitted as declined
    assert by_name[h].recall.figure.mean == 0.0
    assert by_name[h].precision.figure.mean == 0.0
    assert cells(figures)[a, d] == 1
    assert sum(cells(figures).values()) == 6
    assert (figures.n_labels, figures.n_aligned) == (7, 6)


def test_modality_by_hand():
    f, e, x, n = (
        Modality.FALSIFIABLE,
        Modality.EVALUATIVE,
        Modality.EXPERIENTIAL,
        Modality.NARRATIVE,
    )
    figures = score(
        HarnessKind.MODALITY,
        case(label(f, f), label(f, e), label(f, n), label(f, UNREADABLE), label(x, x)),
        case(label(e, f), run=1, narrative_expected=True, narrative_emitted=True),
    )
    by_name = rates(figures)
    # run 0: two of four facts are stated as no facts, one cannot be read; run 1 has no fact at all
    assert by_name["false_non_falsifiable_rate"] == (None, 2, 4)
    assert figures.rates[0].figure.values == (0.5, None)
    assert figures.rates[0].figure.reason == "no label FALSIFIABLE was aligned"
    assert cells(figures)[f, UNREADABLE] == 1
    assert {one.name for one in figures.classes} == {f, e, x, n}  # no constitutive one was there


def test_narratives_are_counted_by_case_and_a_failed_case_counts():
    expected = {"narrative_expected": True, "n_emitted": 2, "n_stating": 2}
    figures = score(
        HarnessKind.MODALITY,
        case(**expected, narrative_emitted=True),
        case(**expected, narrative_emitted=False),
        case(narrative_expected=True, status=ExtractionStatus.ERROR, n_emitted=0, n_stating=0),
        case(narrative_expected=False, narrative_emitted=True, n_emitted=1, n_stating=1),
    )
    assert rates(figures)["narrative_emission_rate"] == (pytest.approx(1 / 3), 1, 3)


def test_validity_by_hand():
    d, b = Validity.DURABLE, Validity.BOUNDED
    day = date(2026, 3, 13)
    figures = score(
        HarnessKind.VALIDITY,
        case(
            label(d, d),
            label(d, d),
            label(d, b, got=day),  # a lasting fact that would expire
            label(b, b, want=day, got=date(2026, 3, 16)),  # three days off
            label(b, b, want=day, got=date(2026, 3, 17)),  # four
            label(b, d, want=day),
            label(b, UNREADABLE, want=day),
        ),
    )
    assert rates(figures) == {
        "wrong_expiry_rate": (pytest.approx(1 / 3), 1, 3),
        "expiry_precision": (pytest.approx(2 / 3), 2, 3),
        "expiry_recall": (pytest.approx(2 / 4), 2, 4),
        "date_accuracy": (pytest.approx(1 / 2), 1, 2),
    }
    assert figures.date_tolerance_days == 3


def test_a_rate_over_nothing_is_null_with_its_reason():
    figures = score(HarnessKind.VALIDITY, case(label(Validity.DURABLE, Validity.DURABLE)))
    by_name = {rate.name: rate for rate in figures.rates}
    assert by_name["wrong_expiry_rate"].figure.mean == 0.0
    for name in ("expiry_precision", "expiry_recall", "date_accuracy"):
        assert by_name[name].figure.mean is None
        assert by_name[name].figure.reason
        assert by_name[name].n == 0


def test_an_extractor_that_never_states_the_property_is_not_perfect():
    a = Polarity.ASSERTED
    figures = score(HarnessKind.POLARITY, case(label(a, a), label(a, a), n_emitted=2, n_stating=0))
    for rate in figures.rates:
        assert rate.figure.mean is None
        assert rate.figure.reason == "no emitted claim states a polarity"
    assert all(one.recall.figure.mean is None for one in figures.classes)
    assert "2 of 2 emitted claims state no polarity; they count as ASSERTED" in figures.notes


def test_a_case_that_failed_keeps_its_labels_in_the_count():
    figures = score(
        HarnessKind.POLARITY,
        case(label(Polarity.ASSERTED), status=ExtractionStatus.TRUNCATED, n_emitted=0, n_stating=0),
    )
    assert (figures.n_labels, figures.n_aligned) == (1, 0)
    assert any("ended truncated" in note for note in figures.notes)


def test_rates_are_means_over_runs_beside_pooled_counts():
    a, d = Polarity.ASSERTED, Polarity.DECLINED
    figures = score(
        HarnessKind.POLARITY,
        case(label(a, a), label(a, d), run=0),
        case(label(a, a), label(a, a), label(a, a), label(a, a), run=1),
    )
    rate = figures.rates[0]
    assert rate.figure.values == (0.5, 0.0)
    assert (rate.figure.mean, rate.count, rate.n) == (0.25, 1, 6)


CLASSES = st.sampled_from([*Polarity])


@settings(max_examples=40)
@given(st.lists(st.tuples(CLASSES, st.one_of(st.none(), CLASSES)), min_size=1, max_size=20))
def test_the_confusion_table_holds_every_aligned_label_once(drawn):
    figures = score(HarnessKind.POLARITY, case(*(label(e, m) for e, m in drawn)))
    assert sum(cells(figures).values()) == figures.n_aligned
    assert sum(one.n_labels for one in figures.classes) == len(drawn)
    declined, hidden = (rate.figure.mean for rate in figures.rates)
    recall = figures.classes[0].recall.figure.mean
    if declined is not None:
        assert declined <= hidden
        assert hidden == pytest.approx(1 - recall)


# --- what a claim states ------------------------------------------------------------------------


def stated(kind, **properties):
    claim = Claim(content="x", confidence=0.9, properties=properties)
    return emitted_property(kind, claim)


def test_a_claim_that_says_nothing_has_the_default():
    for kind, default in (
        (HarnessKind.MODALITY, "FALSIFIABLE"),
        (HarnessKind.POLARITY, "ASSERTED"),
        (HarnessKind.VALIDITY, "DURABLE"),
    ):
        found = stated(kind)
        assert (found.name, found.is_stated) == (default, False)


def test_words_are_read_in_any_case_and_under_the_keys_of_other_runners():
    assert stated(HarnessKind.MODALITY, modality=" evaluative ").name == "EVALUATIVE"
    assert stated(HarnessKind.MODALITY, assertion_modality="NARRATIVE").name == "NARRATIVE"
    found = stated(HarnessKind.POLARITY, **{"extraction:polarity": "declined"})
    assert (found.name, found.is_stated) == ("DECLINED", True)


@pytest.mark.parametrize("raw", ["maybe", 3, True, ["DECLINED"], {"polarity": "DECLINED"}])
def test_what_is_none_of_the_classes_is_unreadable(raw):
    found = stated(HarnessKind.POLARITY, polarity=raw)
    assert found.name == UNREADABLE
    assert found.note


def test_blank_and_null_words_say_nothing():
    for raw in (None, "", "  "):
        assert not stated(HarnessKind.POLARITY, polarity=raw).is_stated


@pytest.mark.parametrize("raw", ["2026-03-13", "2026-03-13T23:59:00+02:00", " 20260313 "])
def test_a_boundary_is_read_to_the_day(raw):
    found = stated(HarnessKind.VALIDITY, valid_until=raw)
    assert (found.name, found.valid_until) == ("BOUNDED", date(2026, 3, 13))


def test_null_says_that_a_claim_has_no_end():
    found = stated(HarnessKind.VALIDITY, valid_until=None)
    assert (found.name, found.is_stated) == ("DURABLE", True)


@pytest.mark.parametrize("raw", ["soon", 2026, "2026-02-30", "2026"])
def test_a_boundary_that_is_no_day_is_unreadable(raw):
    assert stated(HarnessKind.VALIDITY, valid_until=raw).name == UNREADABLE

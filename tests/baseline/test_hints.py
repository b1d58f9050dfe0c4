from evals_pipeline.baseline.hints import empty_slices, pin_hints, set_hints
from evals_pipeline.baseline.record import make_baseline
from evals_pipeline.core.records import Correction
from tests.scored import document, measurement, policy


def documents(n: int):
    return [document(f"d{number}", {}) for number in range(n)]


def test_a_set_between_forty_and_six_hundred_needs_no_remark() -> None:
    assert list(set_hints(documents(40))) == []
    assert list(set_hints(documents(600))) == []


def test_smaller_and_larger_sets_are_remarked() -> None:
    (small,) = set_hints(documents(39))
    assert "under 40 one document moves a field by 0.026" in small
    (large,) = set_hints(documents(601))
    assert "over 600" in large


def test_labels_older_than_a_correction_are_to_be_read_again() -> None:
    correction = Correction(
        field="total", old="1", new="2", by="rk", at="2026-07-20", reason="misread"
    )
    corrected = document("acme-1", {}, labelled_at="2026-07-02", corrections=(correction,))
    relabelled = document("acme-2", {}, labelled_at="2026-07-21", corrections=(correction,))
    (hint,) = set_hints([*documents(40), corrected, relabelled])
    assert hint == "read acme-1 again: a label was corrected after the others were set"


def test_a_slice_that_should_be_there_and_is_empty_is_named() -> None:
    (hint,) = empty_slices(["source=a", "source=b"], ["source=b", "tag=fax"])
    assert hint.startswith("slices without a document: source=a;")
    assert list(empty_slices(["source=b"], ["source=b"])) == []


def test_differences_that_are_no_refusal_are_said() -> None:
    picture = {"total": {"a": "1"}}
    before = make_baseline(measurement(picture, extractor=f"rules:{'a' * 64}"), policy=policy())
    now = measurement(
        picture, extractor=f"rules:{'b' * 64}", schema_digest="6" * 64, package_version="0.2.0"
    )
    schema, extractor, version = pin_hints(before, now)
    assert "a difference may come from the measure" in schema
    assert extractor == "the extractor is rules:bbbbbbb, it was rules:aaaaaaa"
    assert "scored by evals_pipeline 0.1.0, today's figures by 0.2.0" in version
    assert list(pin_hints(before, measurement(picture, extractor=f"rules:{'a' * 64}"))) == []


def test_the_limits_of_the_size_are_the_settings() -> None:
    assert list(set_hints(documents(3), fewest=3, most=3)) == []
    (small,) = set_hints(documents(1), fewest=3)
    assert small == "the set holds 1 document; under 3 one document moves a field by 1.000"
    (large,) = set_hints(documents(4), fewest=0, most=3)
    assert large == "the set holds 4 documents; over 3 a run costs more than it adds"

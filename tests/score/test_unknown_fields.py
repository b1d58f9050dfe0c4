"""Names beyond a set's fields: counted by extraction, named with what they may have meant."""

from evals_pipeline.core.outcomes import ExtractionStatus, Presence
from evals_pipeline.core.run_records import Extraction, FieldValue, Provenance
from evals_pipeline.score.unknown_fields import UnknownFields

VALUE = FieldValue(value="x", presence=Presence.VALUE)


def extraction(*names: str) -> Extraction:
    return Extraction(
        fixture_id="a",
        run_index=0,
        status=ExtractionStatus.OK,
        fields={name: VALUE for name in names},
        provenance=Provenance(extractor="e"),
    )


def noted(*extractions: Extraction, known: tuple[str, ...] = ("supplier", "total")) -> list[str]:
    unknown = UnknownFields(known)
    for one in extractions:
        unknown.add(one)
    return list(unknown.notes())


def test_fields_of_the_set_are_no_remark() -> None:
    assert noted(extraction("supplier", "total"), extraction("total"), extraction()) == []


def test_a_misspelled_name_is_counted_with_the_one_that_was_meant() -> None:
    (note,) = noted(extraction("suplier", "total"), extraction("suplier", "zzz"))
    assert note == (
        "2 extractions with fields that the set does not have, which nothing judges: "
        '"suplier" (2. Did you mean "supplier"?); "zzz" (1)'
    )


def test_the_commonest_names_are_shown_and_the_rest_is_counted() -> None:
    (note,) = noted(extraction(*(f"q{number}" for number in range(7))), extraction("q6"))
    assert note.startswith("2 extractions")
    assert note.endswith('"q6" (2); "q0" (1); "q1" (1); "q2" (1); "q3" (1); and 2 more')


def test_a_set_without_fields_still_names_what_was_stated() -> None:
    (note,) = noted(extraction("y" * 500), known=())
    assert note.endswith(f'"{"y" * 60}" (1)')

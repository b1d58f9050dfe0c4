from evals_pipeline.score.slices import slices_of
from tests.scored import document, figures, golden_set


def test_a_document_lies_in_the_slices_of_what_it_states() -> None:
    one = document("a", {}, source="acme", locale="de_DE", tags=("fax", "long", "fax"))
    assert list(slices_of(one)) == [
        "source=acme",
        "locale=de_DE",
        "media_type=application/pdf",
        "tag=fax",
        "tag=long",
    ]


def test_what_is_not_stated_makes_no_slice() -> None:
    assert list(slices_of(document("a", {}))) == ["media_type=application/pdf"]


def test_a_slice_counts_its_documents_over_all_runs() -> None:
    picture = {"total": {"a": "11", "b": "00", "c": "10"}}
    documents = (
        document("a", {"total": ("total of a",)}, tags=("scan",)),
        document("b", {"total": ("total of b",)}, tags=("fax",)),
        document("c", {"total": ("total of c",)}, tags=("fax", "scan")),
    )
    scored = figures(picture, golden_set(picture, documents=documents))
    found = {one.slice: (one.correct, one.n) for one in scored.slices}
    assert found == {
        "media_type=application/pdf": (3, 6),
        "tag=fax": (1, 4),
        "tag=scan": (3, 4),
    }

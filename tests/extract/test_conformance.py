"""Completeness over a corpus, and when two reports may be compared."""

import pytest

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import ExtractionStatus, Presence
from evals_pipeline.core.run_records import Claim, Extraction, FieldValue, Provenance
from evals_pipeline.extract.coins import CoinCatalogueExtractor
from evals_pipeline.extract.conformance import (
    ConformanceContract,
    compare_reports,
    conformance_report,
    contract_of,
    filled_properties,
)
from tests.extract.fakes import FakeExtractor

CONTRACT = ConformanceContract(
    extractor="notes@2", required=("author",), recommended=("date", "place")
)
CORPUS = "a" * 64


def test_an_extractor_that_promises_nothing_has_no_contract():
    assert contract_of(FakeExtractor()) is None


def test_the_coin_extractors_contract_names_its_version():
    contract = contract_of(CoinCatalogueExtractor())

    assert contract is not None
    assert contract.extractor == "coin-catalogue@1"
    assert "composition" in contract.required


def extraction(fixture_id, *names, status=ExtractionStatus.OK):
    claims = tuple(Claim(content=name, confidence=1.0, properties={name: "x"}) for name in names)
    return Extraction(
        fixture_id=fixture_id,
        run_index=0,
        status=status,
        claims=claims,
        provenance=Provenance(extractor="notes@2"),
    )


def report(*extractions, expected=("a", "b", "c"), corpus_hash=CORPUS):
    acceptors = {
        item.fixture_id: ("notes",) if item.fixture_id in expected else ("letters",)
        for item in extractions
    }
    return conformance_report(CONTRACT, extractions, acceptors=acceptors, corpus_hash=corpus_hash)


def shares(made):
    return {share.name: (share.filled, share.n) for share in made.properties}


def test_required_and_recommended_properties_are_counted_over_the_fixtures():
    made = report(extraction("b", "author", "date"), extraction("a", "author", "date", "place"))

    assert made.is_conformant is True
    assert shares(made) == {"author": (2, 2), "date": (2, 2), "place": (1, 2)}
    assert [fixture.fixture_id for fixture in made.fixtures] == ["a", "b"]
    assert made.fixtures[1].missing_recommended == ("place",)


def test_a_missing_required_property_breaks_conformance_a_recommended_one_does_not():
    assert report(extraction("a", "author")).is_conformant is True
    assert report(extraction("a", "date", "place")).is_conformant is False


@pytest.mark.parametrize(
    "status", [ExtractionStatus.ERROR, ExtractionStatus.DECLINED, ExtractionStatus.UNPARSABLE]
)
def test_an_expected_fixture_that_did_not_end_ok_lacks_everything(status):
    made = report(extraction("a", "author"), extraction("b", "author", status=status))

    assert made.is_conformant is False
    assert shares(made)["author"] == (1, 2)


def test_a_fixture_of_another_extractor_counts_only_when_it_was_taken():
    declined = extraction("z", status=ExtractionStatus.DECLINED)
    taken = extraction("z", "date")

    assert shares(report(extraction("a", "author"), declined))["author"] == (1, 1)
    assert report(extraction("a", "author"), taken).is_conformant is False


def test_nothing_to_count_is_not_conformance():
    made = report(extraction("z", status=ExtractionStatus.DECLINED))

    assert made.is_conformant is None
    assert made.reason
    assert [share.share for share in made.properties] == [None, None, None]


def test_fields_fill_a_property_when_they_have_a_value():
    fields = {
        "author": FieldValue(value="Ruiz", presence=Presence.VALUE),
        "date": FieldValue(value=None, presence=Presence.NULL),
        "place": FieldValue(value="", presence=Presence.BLANK),
    }
    made = Extraction(
        fixture_id="a",
        run_index=0,
        status=ExtractionStatus.OK,
        fields=fields,
        provenance=Provenance(extractor="notes@2"),
    )

    assert filled_properties(made) == {"author"}


def test_reports_of_one_corpus_are_compared_property_by_property():
    before = report(extraction("a", "author", "date"), extraction("b", "author", "date"))
    after = report(extraction("a", "author", "place"), extraction("b", "author", "date"))

    changes = compare_reports(before, after)
    assert [(change.name, change.before, change.after, change.n) for change in changes] == [
        ("date", 2, 1, 2),
        ("place", 0, 1, 2),
    ]


def test_reports_of_two_corpora_are_not_compared():
    before = report(extraction("a", "author"))
    after = report(extraction("a", "author"), corpus_hash="b" * 64)

    with pytest.raises(RefusedError, match="another corpus"):
        compare_reports(before, after)

"""Which document a reference means, and when none or several."""

import pytest

from evals_pipeline.extract.references import FixtureReferences
from tests.extract.fakes import fixture

ABBA = "abba" + "0" * 60
ABBC = "abbc" + "1" * 60
FIXTURES = (
    fixture("case-1", name="harbour", sha256=ABBA),
    fixture("case-2", name="market", sha256=ABBC),
    fixture("case-3", name="market", sha256="cafe" + "2" * 60),
)


@pytest.mark.parametrize(
    ("reference", "fixture_id"),
    [
        ("case-2", "case-2"),
        (ABBC, "case-2"),
        (ABBC.upper(), "case-2"),
        ("abbc", "case-2"),
        ("abbc1111", "case-2"),
        ("harbour", "case-1"),
    ],
)
def test_id_hash_prefix_and_name_are_understood(reference, fixture_id):
    assert FixtureReferences(FIXTURES).resolve(reference)[0] == fixture_id


@pytest.mark.parametrize("reference", ["market", "ABBC0", "abb", "abbd", "harbor", "", "Case-1"])
def test_what_fits_none_or_several_is_not_guessed(reference):
    fixture_id, (problem, remedy) = FixtureReferences(FIXTURES).resolve(reference)

    assert fixture_id is None
    assert problem
    assert remedy


def test_several_are_named_and_a_near_miss_is_offered():
    references = FixtureReferences(FIXTURES)

    assert "fits 2 documents (case-2, case-3)" in references.resolve("market")[1][0]
    assert references.resolve("harbor")[1][1] == 'Did you mean "harbour"?'


def test_a_prefix_of_two_hashes_is_ambiguous():
    twins = (fixture("a", sha256="dead0" + "0" * 59), fixture("b", sha256="dead1" + "0" * 59))

    assert "fits 2" in FixtureReferences(twins).resolve("dead")[1][0]
    assert FixtureReferences(twins).resolve("dead1")[0] == "b"


def test_two_cases_on_one_document_are_told_apart_by_their_ids_only():
    shared = (fixture("a", name="coin", sha256=ABBA), fixture("b", name="coin", sha256=ABBA))
    references = FixtureReferences(shared)

    assert references.resolve("b")[0] == "b"
    assert references.resolve(ABBA)[0] is None
    assert references.resolve("coin")[0] is None


def test_a_name_that_is_also_anothers_hash_prefix_is_ambiguous():
    fixtures = (fixture("a", name="cafe"), fixture("b", sha256="cafe" + "3" * 60))

    assert FixtureReferences(fixtures).resolve("cafe")[0] is None

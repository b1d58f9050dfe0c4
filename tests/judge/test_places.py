"""Where a value stands in a text, in any notation of its kind."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.records import FieldSpec, SourceConvention
from evals_pipeline.judge.kinds.protocol import Side
from evals_pipeline.judge.kinds.reader import make_reader
from evals_pipeline.judge.places import LONGEST_SEARCHED, PlaceFinder

BRITISH = SourceConvention(locale="en_GB", currency="GBP")
GERMAN = SourceConvention(locale="de_DE", currency="EUR")
TEXT = """Invoice INV-88 213          Date  03/04/2026
Reﬁt of the “North Wing” –  Ａcme  Ltd
Net 4 820,10 €               Total: 1.234,56
Payment by 3 May 2026 in euro"""


def found(kind: str, value: str, text: str = TEXT, convention=BRITISH, **spec) -> str | None:
    reader = make_reader(FieldSpec(name="f", kind=kind, **spec), convention, Side.EXTRACTED)
    place = PlaceFinder(text).find(value, reader)
    return None if place is None else text[place.start : place.end]


@pytest.mark.parametrize(
    ("kind", "value", "convention", "shown"),
    [
        ("identifier", "INV88213", BRITISH, "INV-88 213"),
        ("date", "2026-04-03", BRITISH, "03/04/2026"),
        ("date", "2026-05-03", BRITISH, "3 May 2026"),
        ("money", "1234.56 EUR", GERMAN, "1.234,56"),
        ("money", "4820.10 EUR", GERMAN, "4 820,10"),
        ("text", 'refit of the "north wing" - acme', BRITISH, "Reﬁt of the “North Wing” –  Ａcme"),
    ],
)
def test_values_are_found_as_they_are_written(kind, value, convention, shown) -> None:
    assert found(kind, value, convention=convention) == shown


def test_a_day_in_the_other_order_is_another_day() -> None:
    assert found("date", "2026-03-04") is None
    american = SourceConvention(locale="en_US")
    assert found("date", "2026-03-04", convention=american) == "03/04/2026"


def test_a_member_of_a_vocabulary_is_found_by_its_synonyms() -> None:
    values = {"EUR": ("euro",), "SEK": ("kronor",)}
    assert found("enum", "EUR", values=values) == "euro"
    assert found("enum", "SEK", values=values) is None


@pytest.mark.parametrize(("kind", "value"), [("number", "4"), ("identifier", "A1"), ("text", "of")])
def test_what_could_stand_anywhere_is_not_looked_for(kind, value) -> None:
    assert found(kind, value, text="4 A1 of 4 A1 of") is None


def test_words_are_found_whole() -> None:
    assert found("text", "acme", text="acmeville and Acme") == "Acme"
    assert found("identifier", "ABC12", text="XABC12 abc-12") == "abc-12"


def test_a_table_has_no_one_place() -> None:
    columns = (FieldSpec(name="amount", kind="money"),)
    assert found("table", '[{"amount": "4820.10 EUR"}]', columns=columns) is None


def test_nothing_is_looked_for_beyond_the_limit() -> None:
    assert found("text", "needle", text="x " * LONGEST_SEARCHED + "needle") is None
    assert found("text", "n" * 500, text="n" * 500) is None


@settings(max_examples=50)
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_place_holds_what_was_looked_for_whatever_stands_around(before, after) -> None:
    text = f"{before}\n Bestellung 4711-KÄSE \n{after}"
    reader = make_reader(FieldSpec(name="f", kind="text"), GERMAN, Side.EXTRACTED)
    place = PlaceFinder(text).find("bestellung 4711-käse", reader)
    assert place is not None
    assert text[place.start : place.end].casefold() == "bestellung 4711-käse"

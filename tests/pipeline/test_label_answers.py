from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.records import FieldSpec, SourceConvention
from evals_pipeline.judge.kinds.protocol import Side
from evals_pipeline.judge.kinds.reader import make_reader
from evals_pipeline.pipeline.label_answers import Answer, AnswerReader, Choice, Unread

GERMAN = SourceConvention(locale="de_DE", currency="EUR")
BRITISH = SourceConvention(locale="en_GB", currency="GBP")
TEXT = "Rechnung R-17\nvom 4. März 2026\nSumme 4.820,00 EUR\nPapier  12  54,00"


def spec(kind, **more):
    return FieldSpec(name="x", kind=kind, **more)


LINES = spec(
    "table",
    columns=(
        FieldSpec(name="what", kind="text"),
        FieldSpec(name="amount", kind="money"),
    ),
)


@pytest.mark.parametrize(
    ("field", "convention", "typed", "value"),
    [
        (spec("date"), GERMAN, "4. März 2026", "2026-03-04"),
        (spec("date"), GERMAN, "04.03.2026", "2026-03-04"),
        (spec("date"), BRITISH, "2026-03-04", "2026-03-04"),
        (spec("money"), GERMAN, "4.820,00", "4820.00"),
        (spec("money"), GERMAN, "£5", "5.00 GBP"),
        (spec("money"), BRITISH, "4,820.15", "4820.15"),
        (spec("money"), BRITISH, "0.2415", "0.2415"),
        (spec("money"), SourceConvention(locale="en_GB"), "$5", "$5"),
        (spec("number"), GERMAN, "1,5", "1.5"),
        (spec("percent"), GERMAN, "19 %", "19%"),
        (spec("boolean"), BRITISH, "yes", True),
        (spec("enum", values={"EUR": ("€",)}), GERMAN, "€", "EUR"),
        (spec("identifier"), GERMAN, "R-17", "R-17"),
        (spec("text"), GERMAN, "Papier & Co", "Papier & Co"),
        (spec("text"), GERMAN, "absent", None),
        (spec("text"), GERMAN, '"absent"', "absent"),
        (spec("text"), GERMAN, "A || B", {"any": ["A", "B"]}),
        (spec("money"), GERMAN, "absent || 5,00", {"any": [None, "5.00"]}),
    ],
)
def test_an_answer_is_stored_as_labels_are_written(field, convention, typed, value):
    answer = AnswerReader(convention, TEXT).read_typed(field, typed)
    assert isinstance(answer, Answer)
    assert answer.value == value


def test_an_amount_that_reads_in_two_ways_is_a_choice_and_nobody_guesses():
    found = AnswerReader(GERMAN, TEXT).read_typed(spec("money"), "4.820")
    assert isinstance(found, Choice)
    # As the document writes it first, then as a label does.
    assert [option.value for option in found.options] == ["4820.00", "4.82"]
    assert [option.is_found for option in found.options] == [True, False]


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        (spec("date"), "04.03.26", "two digits"),
        (spec("money"), "viel", "no number"),
        (spec("enum", values={"EUR": ()}), "x", "neither"),
        (spec("text"), "a ||", "one side"),
    ],
)
def test_what_cannot_be_read_says_why(field, typed, problem):
    found = AnswerReader(GERMAN, TEXT).read_typed(field, typed)
    assert isinstance(found, Unread)
    assert problem in found.problem


def test_an_answer_says_where_it_stands():
    reader = AnswerReader(GERMAN, TEXT)
    amount = reader.read_typed(spec("money"), "4820.00")
    missing = reader.read_typed(spec("money"), "4820.10")
    assert (amount.is_found, amount.line) == (True, 3)
    assert (missing.is_found, missing.line) == (False, None)
    assert AnswerReader(GERMAN, None).read_typed(spec("text"), "x").is_found is None


def test_rows_are_typed_with_bars_or_tabs():
    reader = AnswerReader(GERMAN, TEXT)
    assert reader.read_cells(LINES, "Papier | 54,00") == {"what": "Papier", "amount": "54.00"}
    assert reader.read_cells(LINES, "Papier\t54,00") == {"what": "Papier", "amount": "54.00"}
    assert reader.read_cells(LINES, "Papier |") == {"what": "Papier", "amount": None}
    assert "expected 2" in reader.read_cells(LINES, "Papier").problem
    assert "4820.00 EUR or 4.82 EUR" in reader.read_cells(LINES, "Papier | 4.820").problem
    assert reader.read_cells(LINES, "Papier | viel").problem.startswith("amount:")


def test_lists_and_tables_of_a_file_are_read_part_by_part():
    reader = AnswerReader(GERMAN, TEXT)
    rows = [{"what": "Papier", "amount": "54,00"}, {"what": None, "amount": "1.00"}]
    assert reader.read_json(LINES, rows).value == [
        {"what": "Papier", "amount": "54.00"},
        {"what": None, "amount": "1.00"},
    ]
    assert reader.read_json(LINES, []).value is None
    assert "row 1" in reader.read_json(LINES, [{"what": "x"}]).problem
    dates = spec("list", item=FieldSpec(name="item", kind="date"))
    assert reader.read_json(dates, ["04.03.2026"]).value == ["2026-03-04"]
    assert "item 1" in reader.read_json(dates, ["04.03.26"]).problem
    assert reader.read_json(spec("money"), {"any": ["5,00", None]}).value == {"any": ["5.00", None]}


def test_a_value_that_no_kind_reads_can_be_kept_letter_by_letter():
    answer = AnswerReader(GERMAN, TEXT).as_it_is(spec("date"), "Ende März")
    assert answer.value == "Ende März"
    assert answer.steps


@given(
    amount=st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False),
    convention=st.sampled_from([GERMAN, BRITISH]),
)
@settings(max_examples=50)
def test_what_is_stored_reads_back_as_what_was_shown(amount, convention):
    written = format(amount, "f")
    typed = written.replace(".", ",") if convention is GERMAN else written
    answer = AnswerReader(convention, "").read_typed(spec("money"), typed)
    assert isinstance(answer, Answer)
    label = make_reader(spec("money"), convention, Side.LABEL).read(answer.value)
    assert label.text == answer.shown
    assert Decimal(str(answer.value)) == amount

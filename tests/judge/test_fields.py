"""A document's fields: outcomes, presence, accepted readings, traces, and what stays bounded."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import InputError, UnknownNameError
from evals_pipeline.core.outcomes import ExtractionStatus, FieldOutcome, Presence
from evals_pipeline.core.records import (
    FieldSpec,
    Fixture,
    GoldenDocument,
    JsonValue,
    SourceConvention,
)
from evals_pipeline.core.run_records import Extraction, FieldMatch, FieldValue, Provenance
from evals_pipeline.judge.fields import FieldJudge, compare_values, judge_document

FIELDS = (
    FieldSpec(name="number", kind="identifier"),
    FieldSpec(name="date", kind="date"),
    FieldSpec(name="total", kind="money"),
    FieldSpec(name="note", kind="text", threshold=0.8),
)
GERMAN = SourceConvention(locale="de_DE", currency="EUR")


def document(convention: SourceConvention = GERMAN, **labels: Any) -> GoldenDocument:
    return GoldenDocument(
        fixture=Fixture(
            fixture_id="f" * 64,
            name="quay-2026-07",
            sha256="f" * 64,
            source_type="INVOICE",
            media_type="text/plain",
        ),
        labelled_by="ab",
        labelled_at="2026-07-02",
        source=None,
        convention=convention,
        tags=(),
        labels={
            name: value if isinstance(value, tuple) else (value,) for name, value in labels.items()
        },
    )


def extraction(
    status: ExtractionStatus = ExtractionStatus.OK, reason: str | None = None, **values: JsonValue
) -> Extraction:
    return Extraction(
        fixture_id="f" * 64,
        run_index=2,
        status=status,
        reason=reason,
        fields={
            name: FieldValue(value=value, presence=Presence.VALUE, confidence=0.7)
            for name, value in values.items()
        },
        provenance=Provenance(extractor="x@1"),
    )


LABELS: dict[str, Any] = {
    "number": "QY-0042",
    "date": "2026-07-09",
    "total": "1240.50",
    "note": None,
}


def test_every_field_gets_one_match_in_order():
    matches = judge_document(
        FIELDS,
        document(**LABELS),
        extraction(number="qy 0042", date="9.7.2026", total="1.240,60 €", note="urgent"),
    )
    assert [match.field for match in matches] == [spec.name for spec in FIELDS]
    assert [match.outcome.value for match in matches] == ["correct", "correct", "wrong", "invented"]
    total = matches[2]
    assert (total.want, total.got) == ("1240.50 EUR", "1240.60 EUR")
    assert (total.want_raw, total.got_raw) == ('"1240.50"', '"1.240,60 €"')
    assert (total.document, total.run_index, total.kind) == ("quay-2026-07", 2, "money")
    assert total.confidence == 0.7
    assert total.trace[-1] == "wrong: they differ by 0.1"


def test_a_match_has_every_value_in_its_place():
    [match] = judge_document(
        (FieldSpec(name="sum", kind="money"),),
        document(sum=("1.00", "2.00")),
        extraction(sum="3,5"),
        text="in all 3,5",
    )
    trace = match.trace
    assert trace
    assert match == FieldMatch(
        fixture_id="f" * 64,
        document="quay-2026-07",
        run_index=2,
        field="sum",
        kind="money",
        outcome=FieldOutcome.WRONG,
        want="1.00 EUR | 2.00 EUR",
        got="3.50 EUR",
        want_raw='{"any": ["1.00", "2.00"]}',
        got_raw='"3,5"',
        presence=Presence.VALUE,
        answer="3.50 EUR",
        confidence=0.7,
        reading=None,
        trace=trace,
        in_document=True,
        note=None,
    )


def test_what_is_correct_carries_no_trace():
    matches = judge_document(FIELDS, document(**LABELS), extraction(date="9.7.2026"))
    assert matches[1].trace == ()
    assert matches[2].trace
    silent = judge_document(FIELDS, document(**LABELS), extraction(), with_trace=False)
    assert all(match.trace == () for match in silent)


class TestAbsence:
    def test_a_missing_key_null_and_blank_are_all_absence_and_kept_apart(self):
        fields = {
            "date": FieldValue(value=None, presence=Presence.NULL),
            "total": FieldValue(value=" ", presence=Presence.BLANK),
            "note": FieldValue(value="\u200b", presence=Presence.VALUE),
        }
        found = Extraction(
            fixture_id="f" * 64,
            run_index=0,
            status=ExtractionStatus.OK,
            fields=fields,
            provenance=Provenance(extractor="x@1"),
        )
        nothing = dict.fromkeys(LABELS, None)
        matches = judge_document(FIELDS, document(**nothing), found)
        assert {match.outcome for match in matches} == {FieldOutcome.CORRECT_NULL}
        assert [match.presence for match in matches] == [
            Presence.KEY_MISSING,
            Presence.NULL,
            Presence.BLANK,
            Presence.BLANK,
        ]
        assert matches[0].got_raw is None
        assert {match.answer for match in matches} == {""}

    def test_a_labelled_value_that_is_absent_is_missed(self):
        matches = judge_document(FIELDS, document(**LABELS), extraction(total=None))
        assert [match.outcome.value for match in matches] == [
            "missed",
            "missed",
            "missed",
            "correct_null",
        ]

    @pytest.mark.parametrize("word", ["N/A", "none", "-"])
    def test_a_word_for_absence_is_a_value_and_says_so(self, word: str):
        note = judge_document(FIELDS, document(**LABELS), extraction(note=word))[3]
        assert note.outcome is FieldOutcome.INVENTED
        assert note.note is not None
        assert "word for absence" in note.note


@pytest.mark.parametrize(
    "status", [status for status in ExtractionStatus if status is not ExtractionStatus.OK]
)
def test_an_extraction_that_failed_makes_every_field_an_error(status: ExtractionStatus):
    matches = judge_document(
        FIELDS, document(**LABELS), extraction(status, "the call broke off", number="QY-0042")
    )
    assert {match.outcome for match in matches} == {FieldOutcome.ERROR}
    assert all(match.answer is None and match.presence is None for match in matches)
    assert matches[0].want == "QY0042"
    assert matches[0].note == f"{status.value}: the call broke off"


class TestAcceptedReadings:
    def test_any_of_them_is_right_and_numbered(self):
        labels = {**LABELS, "total": ("1240.50", "1260.50")}
        total = judge_document(FIELDS, document(**labels), extraction(total="1260,50"))[2]
        assert total.outcome is FieldOutcome.CORRECT
        assert total.reading == 1
        assert total.want == "1260.50 EUR"
        assert total.want_raw == '{"any": ["1240.50", "1260.50"]}'

    def test_none_of_them_shows_them_all(self):
        labels = {**LABELS, "total": ("1240.50", "1260.50")}
        total = judge_document(FIELDS, document(**labels), extraction(total="3"))[2]
        assert total.outcome is FieldOutcome.WRONG
        assert total.reading is None
        assert total.want == "1240.50 EUR | 1260.50 EUR"
        assert sum(line.startswith("want ") for line in total.trace) == 2

    @pytest.mark.parametrize(
        ("got", "expected"),
        [(None, "correct_null"), ("urgent", "correct"), ("something else", "wrong")],
    )
    def test_absence_may_be_one_of_them(self, got: Any, expected: str):
        labels = {**LABELS, "note": (None, "urgent")}
        note = judge_document(FIELDS, document(**labels), extraction(note=got))[3]
        assert note.outcome.value == expected


class TestAnswers:
    """What disagreement compares."""

    def answers(self, *values: Any) -> set[str | None]:
        return {
            judge_document(FIELDS, document(**LABELS), extraction(total=value))[2].answer
            for value in values
        }

    def test_notation_is_no_disagreement(self):
        assert len(self.answers("1.240,50", "1240,5", "€ 1.240,50", Decimal("1240.5"))) == 1

    def test_every_kind_of_absence_is_the_same_answer(self):
        assert self.answers(None, "", " ") == {""}

    def test_unreadable_values_are_answers_of_their_own(self):
        assert len(self.answers("soon", "later", None)) == 3

    def test_they_do_not_depend_on_the_label(self):
        one = judge_document(FIELDS, document(**LABELS), extraction(total="3,1"))[2]
        other = judge_document(
            FIELDS, document(**{**LABELS, "total": "3.10"}), extraction(total="3,1")
        )[2]
        assert one.answer == other.answer


def test_an_unreadable_label_is_named_as_such():
    labels = {**LABELS, "date": "early July"}
    date = judge_document(FIELDS, document(**labels), extraction(date="2026-07-09"))[1]
    assert date.outcome is FieldOutcome.UNREADABLE
    assert "the label has no canonical form" in (date.note or "")


class TestConventions:
    def test_the_fields_own_go_first(self):
        spec = FieldSpec(name="total", kind="money", locale="en_US", currency="USD")
        found = compare_values(
            spec,
            ("1240.50",),
            FieldValue(value="1,240.50", presence=Presence.VALUE),
            convention=GERMAN,
        )
        assert found.want == "1240.50 USD"

    def test_columns_inherit_them(self):
        lines = FieldSpec(name="lines", kind="table", columns=(FIELDS[1], FIELDS[2]))
        found = compare_values(
            lines,
            ([{"date": "2026-07-09", "total": "1240.50"}],),
            FieldValue(value=[{"date": "9.7.2026", "total": "1.240,50"}], presence=Presence.VALUE),
            convention=GERMAN,
        )
        assert found.outcome is FieldOutcome.CORRECT

    def test_documents_of_two_sources_are_read_apart(self):
        judge = FieldJudge()
        british = SourceConvention(locale="en_GB", currency="GBP")
        labels = {**LABELS, "date": "2026-07-09"}
        for convention, got, expected in (
            (british, "09/07/2026", "correct"),
            (SourceConvention(locale="en_US"), "09/07/2026", "wrong"),
            (british, "09/07/2026", "correct"),
        ):
            match = judge.judge_document(
                FIELDS, document(convention, **labels), extraction(date=got)
            )[1]
            assert match.outcome.value == expected

    def test_a_locale_or_a_kind_that_does_not_exist_is_refused(self):
        with pytest.raises(InputError, match="xx_YY"):
            judge_document(
                FIELDS, document(SourceConvention(locale="xx_YY"), **LABELS), extraction()
            )
        with pytest.raises(UnknownNameError, match='Did you mean "money"'):
            compare_values(
                FieldSpec(name="a", kind="mony"), ("1",), None, convention=SourceConvention()
            )


class TestLookingBack:
    TEXT = "Rechnung QY-0042 vom 09.07.2026\nGesamt 1.240,50 €  davon Fracht 15,00 €"

    def test_a_miss_says_whether_its_value_is_in_the_document(self):
        matches = judge_document(
            FIELDS,
            document(**LABELS),
            extraction(number="QY-0043", date="2026-07-10", total="15", note="fracht"),
            text=self.TEXT,
        )
        assert [match.in_document for match in matches] == [False, False, True, True]

    def test_a_missed_value_is_looked_for_by_its_label(self):
        matches = judge_document(FIELDS, document(**LABELS), extraction(), text=self.TEXT)
        assert [match.in_document for match in matches] == [True, True, True, None]

    def test_it_says_nothing_without_a_text(self):
        matches = judge_document(FIELDS, document(**LABELS), extraction())
        assert {match.in_document for match in matches} == {None}


def test_what_is_kept_stays_bounded():
    judge = FieldJudge(most_kept=100)
    most = 0
    for number in range(300):
        value = FieldValue(value=f"A{number}", presence=Presence.VALUE)
        found = judge.compare(FIELDS[0], (f"a-{number}",), value, convention=GERMAN)
        assert found.outcome is FieldOutcome.CORRECT
        most = max(most, judge.n_kept)
    assert 60 < most < 130


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(
        st.one_of(
            st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["0", "1", "1.0", "", "x"])
        ),
        min_size=1,
        max_size=12,
    )
)
def test_a_judge_that_has_seen_much_judges_like_a_new_one(values: list[Any]):
    seasoned = FieldJudge()
    for spec in (
        *FIELDS,
        FieldSpec(name="flag", kind="boolean"),
        FieldSpec(name="n", kind="number"),
    ):
        for want in values:
            for got in values:
                value = FieldValue(value=got, presence=Presence.VALUE)
                one = seasoned.compare(spec, (want,), value, convention=GERMAN)
                new = FieldJudge().compare(spec, (want,), value, convention=GERMAN)
                assert one._replace(sides=new.sides) == new
                assert one.trace == new.trace

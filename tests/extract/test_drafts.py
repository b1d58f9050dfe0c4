"""From JSON values and model texts to claims and field values."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.run_records import Claim
from evals_pipeline.extract.drafts import draft_from_text, draft_from_value, field_value

FIELDS, CLAIMS = OutputKind.FIELDS, OutputKind.CLAIMS
OK = ExtractionStatus.OK
UNPARSABLE = ExtractionStatus.UNPARSABLE


def test_null_a_missing_key_and_blank_text_are_kept_apart():
    draft = draft_from_value(
        {"po": None, "note": "\u00a0 ", "total": "0"},
        output=FIELDS,
        field_names=("po", "note", "total", "iban"),
    )

    assert {name: value.presence for name, value in draft.fields.items()} == {
        "po": Presence.NULL,
        "note": Presence.BLANK,
        "total": Presence.VALUE,
        "iban": Presence.KEY_MISSING,
    }


@pytest.mark.parametrize("raw", [0, False, "0", Decimal("0.0"), "N/A"])
def test_zero_false_and_words_are_values(raw):
    assert field_value(raw).presence is Presence.VALUE


@pytest.mark.parametrize(
    ("raw", "value", "confidence", "flag"),
    [
        ({"value": "A-1", "confidence": Decimal("0.3")}, "A-1", 0.3, None),
        ({"value": None, "confidence": 0}, None, 0.0, None),
        ({"value": "A-1"}, "A-1", None, None),
        ({"value": "A-1", "confidence": "very sure"}, "A-1", None, "not a number"),
        ({"value": "A-1", "confidence": 70}, "A-1", None, "outside [0, 1]"),
        ({"value": "A-1", "confidence": True}, "A-1", None, "not a number"),
        ({"value": "A-1", "confidence": None}, "A-1", None, "null"),
    ],
)
def test_a_value_with_a_confidence_keeps_its_value_whatever_the_confidence(
    raw, value, confidence, flag
):
    read = field_value(raw)

    assert read.value == value
    assert read.confidence == confidence
    assert (read.confidence_flag or "").startswith(flag or "")
    assert (read.confidence_flag is None) == (flag is None)


def test_an_object_without_a_value_key_is_itself_the_value():
    assert field_value({"amount": "5", "currency": "EUR"}).value == {
        "amount": "5",
        "currency": "EUR",
    }


def test_keys_beyond_the_schema_are_kept():
    draft = draft_from_value({"a": 1, "zip": "02142"}, output=FIELDS, field_names=("a",))

    assert draft.fields["zip"].value == "02142"


def test_fields_may_stand_under_a_key_unless_the_schema_has_a_field_of_that_name():
    inner = draft_from_value({"fields": {"a": 1}}, output=FIELDS, field_names=("a",))
    outer = draft_from_value({"fields": {"a": 1}}, output=FIELDS, field_names=("fields",))

    assert inner.fields["a"].value == 1
    assert outer.fields["fields"].value == {"a": 1}


@pytest.mark.parametrize("value", [None, [], "x", 4, True])
def test_fields_that_are_no_object_are_unparsable(value):
    draft = draft_from_value(value, output=FIELDS, field_names=("a",))

    assert draft.status is UNPARSABLE
    assert not draft.fields


def test_claims_keep_content_confidence_subjects_and_the_rest():
    item = {
        "content": "Rainfall was 12 mm.",
        "confidence": Decimal("0.9"),
        "subjects": ["Porto", " "],
        "page": 3,
    }

    for value in ([item], {"claims": [item]}):
        draft = draft_from_value(value, output=CLAIMS)
        assert draft.claims == (
            Claim(
                content="Rainfall was 12 mm.",
                confidence=0.9,
                subjects=("Porto",),
                properties={"page": 3},
            ),
        )


@pytest.mark.parametrize(
    ("item", "flag"),
    [
        ({"content": "x"}, "absent"),
        ({"content": "x", "confidence": "certain"}, 'not a number: "certain"'),
        ({"content": "x", "confidence": Decimal("-0.1")}, "outside [0, 1]: -0.1"),
        ("x", "absent"),
    ],
)
def test_a_claim_without_a_usable_confidence_is_kept_and_flagged(item, flag):
    (claim,) = draft_from_value([item], output=CLAIMS).claims

    assert claim.content == "x"
    assert claim.confidence is None
    assert claim.confidence_flag == flag


def test_a_subject_may_be_one_name_or_null():
    one, none = draft_from_value(
        [{"content": "x", "subjects": "Porto"}, {"content": "y", "subjects": None}], output=CLAIMS
    ).claims

    assert (one.subjects, none.subjects) == (("Porto",), ())


def test_an_empty_list_of_claims_is_an_answer():
    draft = draft_from_value({"claims": []}, output=CLAIMS)

    assert (draft.status, draft.claims) == (OK, ())


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"facts": []}, '"claims"'),
        ({"claims": {}}, "an object"),
        ({"claims": None}, "null"),
        ("text", "a text"),
        ([{"content": "x"}, {"content": " "}], "claim 2"),
        ([{"content": 5}], "claim 1"),
        ([{"confidence": 1}], "claim 1"),
        ([["x"]], "claim 1"),
        ([{"content": "x", "subjects": [3]}], "claim 1"),
        ([{"content": "x", "subjects": {"name": "y"}}], "claim 1"),
    ],
)
def test_claims_out_of_form_make_the_answer_unparsable_and_say_where(value, place):
    draft = draft_from_value(value, output=CLAIMS)

    assert draft.status is UNPARSABLE
    assert place in (draft.reason or "")
    assert draft.claims == ()


def test_a_text_carries_over_how_it_was_read():
    fenced = draft_from_text('```\n{"a": 1,}\n```', finish_reason="stop", output=FIELDS)
    cut = draft_from_text('{"a": 1}', finish_reason="length", output=FIELDS)

    assert (fenced.status, fenced.recovered, fenced.repaired) == (OK, True, True)
    assert (cut.status, dict(cut.fields)) == (ExtractionStatus.TRUNCATED, {})


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.decimals(0, 2, places=1),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["claims", "fields", "content", "confidence", "subjects", "value"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None)
@given(JSON_VALUES, st.sampled_from(OutputKind))
def test_any_value_becomes_a_draft_with_values_or_with_a_reason(value, output):
    draft = draft_from_value(value, output=output, field_names=("content", "total"))

    assert (draft.status is OK) == (draft.reason is None)
    for claim in draft.claims:
        assert claim.confidence is None or 0 <= claim.confidence <= 1
        assert (claim.confidence is None) == (claim.confidence_flag is not None)

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from inspect import isclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core import figures, record_json, records, run_records
from evals_pipeline.core.outcomes import FieldOutcome, Presence
from evals_pipeline.core.record_json import RecordJsonError
from evals_pipeline.core.records import FieldSpec, Tolerance
from evals_pipeline.core.run_records import FieldValue
from tests.records import values_of

RECORDS = [
    item
    for module in (records, run_records, figures)
    for item in vars(module).values()
    if isclass(item) and dataclasses.is_dataclass(item)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    pair: tuple[int, str] = (1, "a")
    counts: Mapping[int, float] = dataclasses.field(default_factory=dict)
    outcomes: Mapping[FieldOutcome, int] = dataclasses.field(default_factory=dict)
    either: float | tuple[float, ...] = 0.0


@settings(max_examples=50)
@given(st.one_of(*map(values_of, RECORDS)))
def test_what_was_written_reads_back_equal(record):
    text = record_json.to_text(record)
    assert record_json.from_text(type(record), text) == record
    assert "\n" not in text


def test_the_annotation_decides_how_a_value_is_written():
    value = FieldValue(
        value={"total": Decimal("1.50"), "$x": [1, 1.5]}, presence=Presence.VALUE, confidence=1
    )
    assert record_json.encode(value) == {
        "value": {"$object": [["total", {"$decimal": "1.50"}], ["$x", [1, 1.5]]]},
        "presence": "value",
        "confidence": 1.0,
        "confidence_flag": None,
        "note": None,
    }


def test_a_decimal_keeps_its_zeros_and_a_fraction_is_exact():
    tolerance = Tolerance(fraction=Fraction(1, 3))
    spec = FieldSpec(name="total", kind="money", weight=Decimal("1.50"), tolerance=tolerance)
    again = record_json.from_text(FieldSpec, record_json.to_text(spec))
    assert (str(again.weight), again.tolerance) == ("1.50", tolerance)


def test_keys_of_mappings_and_their_order_survive():
    sample = Sample(
        counts={10: 0.5, 2: 0.25},
        outcomes={FieldOutcome.WRONG: 1},
        either=(0.1, 0.2),
        pair=(3, "b"),
    )
    again = record_json.from_text(Sample, record_json.to_text(sample))
    assert again == sample
    assert list(again.counts) == [10, 2]


def test_a_key_that_was_added_later_takes_its_default():
    assert record_json.decode(Sample, {}) == Sample()


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"pair": [1]}, "Sample.pair: got 1 items; expected 2"),
        ({"pair": [1, 2]}, "Sample.pair: got int; expected str"),
        ({"pair": "ab"}, "Sample.pair: got str; expected list"),
        ({"counts": {"one": 1.0}}, "Sample.counts.one: got 'one'; expected int"),
        ({"counts": {"1": True}}, "Sample.counts.1: got bool; expected float"),
        ({"outcomes": {"fine": 1}}, "Sample.outcomes.fine: got 'fine'; expected FieldOutcome"),
        ({"either": "x"}, "Sample.either: got str; expected list"),
        ({"colour": 1}, "Sample: unknown key 'colour'"),
        ([], "Sample: got list; expected dict"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(changed, place):
    with pytest.raises(RecordJsonError) as refused:
        record_json.decode(Sample, changed)
    assert str(refused.value).startswith(place)


def test_a_missing_key_without_a_default_is_refused():
    with pytest.raises(RecordJsonError, match="FieldSpec: missing kind"):
        record_json.decode(FieldSpec, {"name": "total"})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Inf")])
def test_a_number_that_json_does_not_have_is_refused(number):
    value = FieldValue(value=[number], presence=Presence.VALUE)
    with pytest.raises(RecordJsonError, match=r"FieldValue\.value: got "):
        record_json.to_text(value)


@pytest.mark.parametrize("text", ["{", "NaN", json.dumps({"confidence": 1})])
def test_text_that_is_no_record_is_refused(text):
    with pytest.raises(RecordJsonError, match="FieldValue"):
        record_json.from_text(FieldValue, text)


def test_a_record_of_another_class_is_refused():
    @dataclass(frozen=True)
    class Outer:
        spec: FieldSpec

    with pytest.raises(RecordJsonError, match=r"Outer\.spec: got Sample; expected FieldSpec"):
        record_json.encode(Outer(spec=Sample()))  # type: ignore[arg-type] # the refusal under test


def test_a_type_without_a_codec_is_a_mistake_of_the_programmer():
    @dataclass(frozen=True)
    class Odd:
        thing: complex

    with pytest.raises(TypeError, match="no codec"):
        record_json.encode(Odd(thing=1j))

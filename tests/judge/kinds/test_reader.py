"""Readers: conventions, caches that keep types apart, and kinds of other packages."""

from decimal import Decimal
from typing import Any

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, Kind, KindContext, Side
from evals_pipeline.judge.kinds.reader import MOST_KEPT, ValueReader, kinds, make_reader, raw_text


def reader(kind: str = "number", side: Side = Side.EXTRACTED, **convention: Any) -> ValueReader:
    spec = FieldSpec(name="value", kind=kind)
    return make_reader(spec, SourceConvention(**convention), side)


def test_every_kind_of_the_design_is_registered():
    assert set(kinds().names()) >= {
        "money", "number", "percent", "date", "identifier",
        "text", "enum", "boolean", "list", "table",
    }  # fmt: skip


def test_values_that_python_calls_equal_are_kept_apart():
    numbers = reader()
    values: list[JsonValue] = [True, 1, 1.0, Decimal(1), Decimal("1.0"), "1", "1.0"]
    texts = [numbers.read(value).text for value in values]
    assert texts == [None, *["1"] * 6]
    identifiers = reader("identifier")
    assert identifiers.read(Decimal("1.10")).text == "110"
    assert identifiers.read(Decimal("1.1")).text == "11"


def test_what_is_kept_is_bounded():
    numbers = reader()
    for number in range(MOST_KEPT + 10):
        numbers.read(str(number))
    assert numbers.n_kept <= MOST_KEPT


@pytest.mark.parametrize("locale", ["de_DE", "de-DE", " de_DE "])
def test_a_locale_is_one_however_it_is_written(locale: str):
    assert reader(locale=locale).context.locale == "de_DE"


@pytest.mark.parametrize(
    ("convention", "message"),
    [({"locale": "xx_YY"}, "not a locale"), ({"currency": "€"}, "not a currency")],
)
def test_a_convention_that_does_not_exist_is_refused(convention: dict[str, str], message: str):
    with pytest.raises(InputError, match=message):
        reader(**convention)


def test_a_currency_is_a_code_in_capitals():
    assert reader("money", currency="eur").read("3").text == "3.00 EUR"


@pytest.mark.parametrize(
    ("value", "text"),
    [('a"b', '"a\\"b"'), (None, "null"), (Decimal("1.10"), "1.10"), (float("nan"), "nan")],
)
def test_raw_text_is_json_where_json_has_it(value: Any, text: str):
    assert raw_text(value) == text


class ColourKind:
    """A kind as another package would write it."""

    name = "colour"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        if not isinstance(value, str) or not value.startswith("#"):
            return Canonical(text=None, problem="a colour starts with #")
        return Canonical(text=value.lower(), payload=int(value[1:3], 16))

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        assert isinstance(want.payload, int)
        assert isinstance(got.payload, int)
        distance = abs(want.payload - got.payload)
        return Comparison(is_equal=distance <= 2, reason=f"the reds differ by {distance}")


def test_a_kind_of_another_package_needs_only_two_methods():
    colours = ValueReader(
        ColourKind(),
        KindContext(spec=FieldSpec(name="paint", kind="colour"), side=Side.EXTRACTED),
    )
    assert isinstance(ColourKind(), Kind)
    want = colours.read("#10AA00")
    assert colours.judge(want, colours.read("#10aa00")).outcome is FieldOutcome.CORRECT
    assert colours.judge(want, colours.read("#12AA00")).outcome is FieldOutcome.CORRECT
    verdict = colours.judge(want, colours.read("#20AA00"))
    assert (verdict.outcome, verdict.reason) == (FieldOutcome.WRONG, "the reds differ by 16")
    assert colours.judge(want, colours.read("red")).outcome is FieldOutcome.UNREADABLE
    assert colours.judge(want, colours.read(" ")).outcome is FieldOutcome.MISSED

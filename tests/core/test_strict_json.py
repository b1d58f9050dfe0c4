from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import InputError
from evals_pipeline.core.strict_json import MAX_DEPTH, dumps, loads

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False, places=3)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


def refusal(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        loads(text, where="answer")
    return str(caught.value)


def test_fractions_keep_their_digits():
    assert loads('{"net": 310.50, "n": 7}', where="x") == {"net": Decimal("310.50"), "n": 7}
    assert str(loads("310.50", where="x")) == "310.50"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"net": NaN}', "NaN"),
        ("[-Infinity]", "-Infinity"),
        ('{"net": 2e400}', "not finite"),
        ("3e-99999999999", "not finite"),
        ("9" * 1001, "1001 digits"),
        ("0." + "1" * 1000, "1002 digits"),
        (r'{"name": "\uDC9F"}', "surrogate"),
        (r'{"\ud83d": 1}', "surrogate"),
        ("'\ud800'", "surrogate"),
        ('{"a": 1,}', "not JSON"),
        ('{"a": 1} {}', "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "nested deeper"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper"),
    ],
)
def test_what_json_cannot_mean_is_refused(text: str, problem: str):
    message = refusal(text)
    assert message.startswith("answer")
    assert problem in message


def test_a_pair_of_surrogates_is_one_letter():
    assert loads(r'"\ud83d\ude00"', where="x") == "\U0001f600"


def test_nesting_up_to_the_limit_is_read():
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH, where="x")


def test_every_repeated_key_is_named_with_its_lines():
    text = '{"a": {"k": "a: {",\n "k": 2},\n "b": [{"k": 1}, {"k": 2}],\n "b": 3}'
    assert refusal(text).splitlines() == [
        "answer:2: duplicate key 'k', first on line 1.",
        "answer:4: duplicate key 'b', first on line 3.",
    ]


def test_the_line_of_a_slip_is_named():
    assert refusal('{"a": 1,\n "b": tru}').startswith("answer:2:")


def test_bytes_are_utf8_with_or_without_mark():
    assert loads(b'\xef\xbb\xbf{"a": "\xc3\xa9"}', where="x") == {"a": "é"}
    assert "not UTF-8" in refusal(b'{"a": "\xe9"}')


def test_longer_texts_than_allowed_are_refused():
    with pytest.raises(InputError, match="longer than 10 bytes"):
        loads('"0123456789"', where="x", max_bytes=10)


def test_dumps_writes_one_text_for_one_value():
    assert dumps({"b": Decimal("1.10"), "a": ("ü", None, True)}) == (
        '{"a": ["ü", null, true], "b": 1.10}'
    )
    assert dumps({"b": [1], "a": {}}, indent=2) == '{\n  "a": {},\n  "b": [\n    1\n  ]\n}'


@pytest.mark.parametrize("value", [float("nan"), [Decimal("Infinity")], "\ud800"])
def test_dumps_refuses_what_is_no_json(value: object):
    with pytest.raises(ValueError, match=r"number|surrogate"):
        dumps(value)


@pytest.mark.parametrize("value", [Fraction(1, 3), {1: "a"}, {"a": {1, 2}}])
def test_dumps_refuses_values_without_a_form(value: object):
    with pytest.raises(TypeError):
        dumps(value)


@settings(max_examples=50)
@given(json_values)
def test_writing_then_reading_gives_the_same(value: object):
    assert loads(dumps(value), where="x") == value
    assert loads(dumps(value, indent=1), where="x") == value

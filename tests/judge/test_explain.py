"""Explaining one pair of values."""

from typing import Any

import pytest

from evals_pipeline.core.errors import InputError, UnknownNameError
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.judge.explain import explain_request, readings_of


def test_the_steps_lead_from_both_values_to_the_outcome():
    found = explain_request(
        {
            "kind": "money",
            "locale": "de_DE",
            "currency": "EUR",
            "golden": "1240.50",
            "extracted": "1.240,60 €",
        }
    )
    assert found.as_json() == {
        "equal": False,
        "outcome": "wrong",
        "want": "1240.50 EUR",
        "got": "1240.60 EUR",
        "trace": [
            'want: "1240.50" is 1240.50 EUR',
            'got: "1.240,60 €" is 1240.60 EUR',
            'got: de_DE marks decimals with ",": 1.240,60 is 1240.60',
            'got: "€" is EUR',
            "wrong: they differ by 0.1",
        ],
    }


@pytest.mark.parametrize(
    ("request_", "outcome"),
    [
        ({"kind": "text", "golden": "a", "extracted": None}, "missed"),
        ({"kind": "text", "golden": "a"}, "missed"),
        ({"kind": "text", "golden": None, "extracted": ""}, "correct_null"),
        ({"kind": "text", "golden": {"any": ["a", "b"]}, "extracted": "B"}, "correct"),
        ({"kind": "text", "golden": "abcd", "extracted": "abcx", "threshold": 0.7}, "correct"),
        ({"kind": "text", "golden": "abcd", "extracted": "abcx", "threshold": "0.7"}, "correct"),
        (
            {"kind": "date", "golden": "2026-07-09", "extracted": "9.7.26", "formats": "%d.%m.%y"},
            "unreadable",
        ),
        (
            {
                "kind": "date",
                "golden": "2026-07-09",
                "extracted": "9.7.26",
                "formats": ["%d.%m.%y"],
                "pivot": 2000,
            },
            "correct",
        ),
        ({"kind": "enum", "golden": "a", "extracted": "b", "values": {"a": ["b"]}}, "correct"),
        ({"kind": "enum", "golden": "a", "extracted": "B", "values": ["a", "b"]}, "wrong"),
        (
            {
                "kind": "list",
                "golden": ["2"],
                "extracted": ["2,0"],
                "item": "number",
                "locale": "fr",
            },
            "correct",
        ),
        (
            {
                "kind": "table",
                "golden": [{"a": "x", "b": "1"}],
                "extracted": [{"a": "X", "b": 1}],
                "key": "a",
                "columns": {"a": "text", "b": {"kind": "number", "absolute_tolerance": 1}},
            },
            "correct",
        ),
    ],
)
def test_a_request_may_state_what_a_schema_may(request_: Any, outcome: str):
    found = explain_request(request_)
    assert found.outcome is FieldOutcome(outcome)
    assert found.equal == outcome.startswith("correct")


def test_all_faults_of_a_request_are_named_at_once():
    with pytest.raises(InputError) as caught:
        explain_request(
            {"kind": "money", "treshold": 1, "threshold": 2, "pivot": "x", "columns": {"a": 3}},
            where="line 7",
        )
    text = str(caught.value)
    assert text.count("line 7") == len(caught.value.faults) == 5
    assert 'Did you mean "threshold"?' in text
    assert "golden: missing" in text


@pytest.mark.parametrize("request_", [None, [], "text", 1])
def test_a_request_is_an_object(request_: Any):
    with pytest.raises(InputError):
        explain_request(request_)


def test_unknown_names_are_answered_with_near_ones():
    with pytest.raises(UnknownNameError, match='Did you mean "identifier"'):
        explain_request({"kind": "identifer", "golden": "a", "extracted": "a"})
    with pytest.raises(InputError, match="not a locale"):
        explain_request({"kind": "date", "golden": "a", "extracted": "a", "locale": "xx_YY"})


def test_readings_of_a_label():
    assert readings_of({"any": ["a", None]}) == ("a", None)
    assert readings_of({"any": []}) == (None,)
    assert readings_of({"any": "a"}) == ({"any": "a"},)
    assert readings_of(["a"]) == (["a"],)

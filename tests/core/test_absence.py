"""The null policy."""

import pytest

from evals_pipeline.core.absence import is_absent, is_blank, presence_of
from evals_pipeline.core.outcomes import Presence


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\u200b", "\ufeff \u2066", "\x00"])
def test_what_shows_nothing_is_blank(text: str):
    assert is_blank(text)
    assert presence_of(text) is Presence.BLANK


@pytest.mark.parametrize("text", ["0", "-", "N/A", " x ", "\u200bx", "٠"])
def test_what_shows_something_is_a_value(text: str):
    assert not is_blank(text)
    assert presence_of(text) is Presence.VALUE


def test_null_and_blank_are_kept_apart_and_both_absent():
    assert presence_of(None) is Presence.NULL
    assert is_absent(None)
    assert is_absent("  ")


def test_nothing_in_a_list_or_an_object_is_absent():
    assert is_absent([])
    assert is_absent({})
    assert not is_absent([None])


@pytest.mark.parametrize("value", [0, False, 0.0])
def test_zero_and_false_are_values(value: float):
    assert not is_absent(value)

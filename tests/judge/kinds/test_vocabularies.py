"""Enumerations and booleans: closed vocabularies with stated synonyms."""

from typing import Any

import pytest

from tests.judge.kinds.asking import outcome
from tests.judge.kinds.contract import ScalarKindContract

STATES = {"paid": ("settled", "beglichen"), "open": (), "part-paid": ("partly paid",)}


class TestEnumKind(ScalarKindContract):
    kind = "enum"
    settings = {"values": STATES}
    readable = ["paid", "Settled", " OPEN ", "part–paid"]
    unreadable = ["void", 1, True, ["paid"]]


class TestBooleanKind(ScalarKindContract):
    kind = "boolean"
    readable = [True, False, "TRUE", "no"]
    unreadable = [1, 0, "1", "maybe", [True]]


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        ("paid", "Beglichen", "correct"),
        ("paid", "open", "wrong"),
        ("paid", "void", "unreadable"),
        ("void", "void", "correct"),
        ("paid", None, "missed"),
        (None, "paid", "invented"),
    ],
)
def test_synonyms_stand_for_their_member(want: Any, got: Any, expected: str):
    assert outcome("enum", want, got, values=STATES) == expected


def test_two_members_that_fold_alike_are_told_apart_as_written():
    cases = {"A": (), "a": ()}
    assert outcome("enum", "A", "a", values=cases) == "wrong"
    assert outcome("enum", "A", "A", values=cases) == "correct"


def test_without_a_vocabulary_words_are_compared_folded():
    assert outcome("enum", "Net 30", "NET  30") == "correct"
    assert outcome("enum", "Net 30", "Net 60") == "wrong"


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        (True, True, "correct"),
        (True, "yes", "correct"),
        (False, "No", "correct"),
        (True, False, "wrong"),
        (True, 1, "unreadable"),
        (False, 0, "unreadable"),
        (1, True, "unreadable"),
        (True, "ja", "unreadable"),
        (False, None, "missed"),
        (None, False, "invented"),
    ],
)
def test_true_is_not_one(want: Any, got: Any, expected: str):
    assert outcome("boolean", want, got) == expected


def test_a_schema_may_say_that_one_is_true():
    words = {"true": ("1", "ja"), "false": ("0", "nein")}
    assert outcome("boolean", True, 1, values=words) == "correct"
    assert outcome("boolean", True, "Ja", values=words) == "correct"
    assert outcome("boolean", True, "yes", values=words) == "unreadable"

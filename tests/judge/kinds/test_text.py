"""Free text: typesetting folded, similarity at the stated threshold, no blindness to a "not"."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.judge.kinds.text import LONGEST_COMPARED
from tests.judge.kinds.asking import compared, outcome
from tests.judge.kinds.contract import ScalarKindContract


class TestTextKind(ScalarKindContract):
    kind = "text"
    settings = {"threshold": 0.9}
    readable = ["Harbour  Office", "“Quoted”", 5, "カタカナ"]
    unreadable = [True, ["a"], {"a": "b"}]


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ("Harbour Office", "HARBOUR\u00a0 office "),
        ("Harbour\nOffice", "Harbour Office"),
        ("shuﬄe oﬃce", "shuffle office"),
        ("Ann’s “room” – east", 'Ann\'s "room" - east'),
        ("Ann…", "Ann..."),
        ("ab\u200bc\u202e", "abc"),
        ("Cafe\u0301", "Café"),
        ("STRASSE", "straße"),
        ("ﾊｰﾊﾞｰ", "ハーバー"),
        ("合　計", "合計"),
        ("5", "5"),
    ],
)
def test_typesetting_makes_no_difference(want: str, got: str):
    assert outcome("text", want, got) == "correct"
    assert outcome("text", got, want) == "correct"


@pytest.mark.parametrize(
    ("want", "got"), [("3² km", "32 km"), ("Harbour Office", "Harbor Office"), ("a b", "ab")]
)
def test_everything_else_does(want: str, got: str):
    assert outcome("text", want, got) == "wrong"


def test_several_values_where_one_is_asked_for_name_the_kind_that_compares_several():
    found = compared("text", "Harbour Office", ["Harbour Office", "Pilot Station"])
    assert found.outcome.value == "unreadable"
    assert found.note is not None
    assert "a list of 2 is not one text; kind list compares several" in found.note


def test_a_difference_says_which_threshold_is_stated():
    without = compared("text", "Harbour", "Harbor")
    assert without.trace[-1].endswith("the texts differ and the field states no threshold")
    at_one = compared("text", "Harbour", "Harbor", threshold=1)
    assert at_one.outcome == without.outcome == "wrong"
    assert at_one.trace[-1].endswith("the field's threshold is 1: only equal texts match")


def test_similar_counts_at_the_threshold():
    # 2 * 13 common / (14 + 13) characters = 0.963
    assert outcome("text", "Harbour Office", "Harbor Office", threshold=0.96) == "correct"
    assert outcome("text", "Harbour Office", "Harbor Office", threshold=0.97) == "wrong"
    # 2 * 4 / (5 + 5) is 0.8 exactly, and reaches 0.8.
    assert outcome("text", "abcde", "abcdx", threshold=0.8) == "correct"


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ("granted", "not granted"),
        ("The permit was not granted.", "The permit was granted."),
        ("valid licence", "invalid licence"),
        ("with warranty", "without warranty"),
        ("genehmigt", "nicht genehmigt"),
        ("Dock 7 North", "Dock 8 North"),
        ("Harbour Office", "Harbour Office - Dock 7"),
        ("1,250 crates", "12,50 crates"),
    ],
)
def test_a_number_or_a_negation_keeps_similar_texts_apart(want: str, got: str):
    assert outcome("text", want, got, threshold=0.5) == "wrong"
    assert outcome("text", got, want, threshold=0.5) == "wrong"


@pytest.mark.parametrize(
    ("want", "got"),
    [("No. 7 Quay", "Nr. 7 Quay"), ("1,250 crates", "1250 crates"), ("Quay Ltd.", "Quay Ltd")],
)
def test_a_number_sign_or_a_group_mark_does_not(want: str, got: str):
    assert outcome("text", want, got, threshold=0.8) == "correct"


def test_very_long_texts_are_equal_or_not():
    long = "x" * (LONGEST_COMPARED + 1)
    assert outcome("text", long, long.upper(), threshold=0.5) == "correct"
    found = compared("text", long, long + "y", threshold=0.5)
    assert found.outcome.value == "wrong"
    assert "too long" in found.trace[-1]


@settings(max_examples=50, deadline=None)
@given(want=st.text(max_size=30), got=st.text(max_size=30), threshold=st.floats(0.05, 1))
def test_similarity_is_symmetric(want: str, got: str, threshold: float):
    there = outcome("text", want, got, threshold=threshold)
    back = outcome("text", got, want, threshold=threshold)
    mirrored = {"missed": "invented", "invented": "missed"}
    assert back == mirrored.get(there, there)


@settings(max_examples=50, deadline=None)
@given(text=st.text(min_size=1, max_size=40))
def test_folding_twice_folds_once(text: str):
    once = compared("text", text, text).got
    if once is not None:
        assert compared("text", once, once).got == once

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.report.html.marking import (
    LONGEST_COMPARED,
    differences,
    words_of_one_side,
)

TEXTS = st.text(st.sampled_from("ab 1-.É🪙"), max_size=30)


def parts(text, ranges):
    return [text[start:end] for start, end in ranges]


@pytest.mark.parametrize(
    ("want", "got", "only_want", "only_got"),
    [
        ("2026-05-27", "2026-04-23", ["5", "7"], ["4", "3"]),
        ("F260460", "F26046O", ["0"], ["O"]),
        ("296.70 EUR", "269.70 EUR", ["296"], ["269"]),
        ("acme corp.", "acme corporation", ["corp."], ["corporation"]),
        ("acme", "bolt works", ["acme"], ["bolt works"]),
        ("7123", "007123", [], ["00"]),
    ],
)
def test_what_a_reader_sees_as_different(want, got, only_want, only_got) -> None:
    found = differences(want, got)
    assert parts(want, found.want) == only_want
    assert parts(got, found.got) == only_got


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_the_same_on_both_sides(want, got) -> None:
    found = differences(want, got)

    def rest(text, ranges):
        kept, at = [], 0
        for start, end in ranges:
            assert at <= start < end <= len(text)
            kept.append(text[at:start])
            at = end
        return "".join([*kept, text[at:]])

    assert rest(want, found.want) == rest(got, found.got)
    assert (found.want == found.got == ()) == (want == got)


def test_equal_texts_are_not_marked_and_far_too_long_ones_whole() -> None:
    long = "a" * (LONGEST_COMPARED + 1)
    assert differences(long, long).want == ()
    assert differences(long, "a").want == ((0, len(long)),)
    assert differences("", "a").got == ((0, 1),)


def test_paraphrases_are_marked_by_words_whatever_their_order() -> None:
    want = "Aldermouth Council closed the bridge on 13 October 2025."
    got = "On 13 October the bridge was closed by Aldermouth Council."
    found = words_of_one_side(want, got)
    assert parts(want, found.want) == ["2025"]
    assert parts(got, found.got) == ["was", "by"]


def test_a_number_with_its_separators_is_one_word() -> None:
    found = words_of_one_side("About 2,600 people.", "About 26,000 people.")
    assert parts("About 2,600 people.", found.want) == ["2,600"]

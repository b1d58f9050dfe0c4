import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.defs.sensor_decisions import (
    CellRequest,
    Seen,
    cells_of_prompts,
    cells_of_sets,
    decide,
)


def prompt(digest, **changes):
    return {"invoices": {"m1": Seen(digest=digest, **changes)}}


GONE = {"problem": "prompt.md: is not there"}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([("a", {})], [False], id="first look notes and runs nothing"),
        pytest.param([("a", {}), ("b", {})], [False, True], id="an edit"),
        pytest.param([("a", {}), ("a", {})], [False, False], id="touched, or edited and put back"),
        pytest.param(
            [("a", {}), ("b", {}), ("a", {})], [False, True, True], id="there and back again"
        ),
        pytest.param([("a", {}), (None, GONE), ("a", {})], [False] * 3, id="deleted and put back"),
        pytest.param(
            [("a", {}), (None, GONE), ("b", {})], [False, False, True], id="deleted and rewritten"
        ),
        pytest.param([(None, GONE), ("a", {})], [False, True], id="written where none was"),
    ],
)
def test_content_decides(steps, expected):
    cursor, found = None, []
    for digest, changes in steps:
        decision = decide(cursor, prompt(digest, **changes))
        cursor = decision.cursor
        found.append(decision.changed == {"invoices": ("m1",)})
        assert bool(decision.changed) == found[-1]
    assert found == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([("b", True), ("b", False)], [False, True], id="edited, then committed"),
        pytest.param([("b", True), ("a", False)], [False, False], id="edited, then reverted"),
        pytest.param([("b", False)], [True], id="committed between two looks"),
        pytest.param([("a", True)], [False], id="staged without a change of content"),
    ],
)
def test_with_the_setting_only_commits_count(steps, expected):
    cursor = decide(None, prompt("a"), waits_for_commit=True).cursor
    found = []
    for digest, is_dirty in steps:
        decision = decide(cursor, prompt(digest, is_dirty=is_dirty), waits_for_commit=True)
        cursor = decision.cursor
        found.append(bool(decision.changed))
    assert found == expected


def test_with_the_setting_what_was_dirty_at_the_first_look_runs_once_committed():
    first = decide(None, prompt("b", is_dirty=True), waits_for_commit=True)
    assert not first.changed
    assert decide(first.cursor, prompt("b"), waits_for_commit=True).changed


def test_without_the_setting_an_edit_need_not_be_committed():
    cursor = decide(None, prompt("a")).cursor
    assert decide(cursor, prompt("b", is_dirty=True)).changed


def test_each_request_has_a_number_of_its_own():
    cursor, generations = None, []
    for digest in ("a", "b", "b", "a", "b"):
        decision = decide(cursor, prompt(digest))
        cursor = decision.cursor
        generations.append(decision.generation)
    assert generations == [0, 1, 1, 2, 3]


def test_only_what_changed_is_named():
    first = {"x": {"m1": Seen(digest="1"), "m2": Seen(digest="2")}, "y": {"m1": Seen(digest="1")}}
    second = {"x": {"m1": Seen(digest="1"), "m2": Seen(digest="3")}, "y": {"m1": Seen(digest="1")}}
    assert decide(decide(None, first).cursor, second).changed == {"x": ("m2",)}


def test_a_set_that_comes_back_is_compared_with_what_it_was():
    cursor = decide(None, prompt("a")).cursor
    cursor = decide(cursor, {}).cursor
    assert not decide(cursor, prompt("a")).changed
    assert decide(cursor, prompt("b")).changed


def test_the_commit_of_the_last_look_is_handed_on():
    first = decide(None, prompt("a"), head="c1")
    second = decide(first.cursor, prompt("b"), head="c3")
    assert (first.before, second.before) == (None, "c1")


def test_what_is_left_alone_has_its_reason():
    missing = prompt(None, **GONE)
    assert decide(None, missing).reasons == ("invoices: m1: prompt.md: is not there",)
    assert decide(None, prompt("a")).reasons == (
        "seen for the first time, to run when it changes: invoices m1",
    )


@pytest.mark.parametrize(
    "cursor",
    [
        "{",
        "[]",
        "null",
        "7",
        json.dumps({"version": 0, "generation": 1, "head": None, "seen": {}}),
        json.dumps({"version": 1, "generation": "x", "head": None, "seen": {}}),
        json.dumps({"version": 1, "generation": 1, "head": 5, "seen": {}}),
        json.dumps({"version": 1, "generation": 1, "head": None, "seen": []}),
        json.dumps({"version": 1, "generation": 1, "head": None, "seen": {"a": {"m": 1}}}),
    ],
)
def test_a_corrupt_cursor_notes_anew_and_says_so(cursor):
    decision = decide(cursor, prompt("a"))
    assert decision.reasons[0] == "the cursor cannot be read; everything is noted anew"
    assert not decision.changed
    assert decide(decision.cursor, prompt("b")).changed


@settings(max_examples=50)
@given(st.text(), st.lists(st.sampled_from(["a", "b", None]), max_size=6))
def test_any_cursor_is_survived_and_a_change_is_never_dropped(cursor, digests):
    last = None
    for digest in digests:
        decision = decide(cursor, prompt(digest))
        cursor = decision.cursor
        if last is not None and digest is not None and digest != last:
            assert decision.changed
        last = digest or last


def cell(set_name, model_version, run_index, *, extracts=True):
    return CellRequest(
        set_name=set_name, model_version=model_version, run_index=run_index, extracts=extracts
    )


def test_a_prompt_concerns_the_model_versions_it_is_sent_to():
    assert list(cells_of_prompts({"x": ("m2",)}, (0, 1))) == [
        cell("x", "m2", 0),
        cell("x", "m2", 1),
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("documents",), [cell("x", "m1", 0), cell("x", "m2", 0)]),
        (("gold",), [cell("x", "m1", 0, extracts=False), cell("x", "m2", 0, extracts=False)]),
        (("predictions m2",), [cell("x", "m2", 0)]),
        (("gold", "question m1"), [cell("x", "m1", 0), cell("x", "m2", 0, extracts=False)]),
        (("gold", "predictions m2"), [cell("x", "m1", 0, extracts=False), cell("x", "m2", 0)]),
    ],
)
def test_a_change_of_a_set_concerns_what_was_made_from_it(names, expected):
    assert list(cells_of_sets({"x": names}, {"x": ("m1", "m2"), "y": ("m1",)}, (0,))) == expected

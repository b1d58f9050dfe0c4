import json
from collections.abc import Callable
from typing import Any

import pytest

from evals_pipeline.baseline.parse import parse_baseline
from evals_pipeline.baseline.record import dump_baseline, make_baseline
from evals_pipeline.core.errors import InputError
from tests.scored import document_id, measurement, policy

TEXT = dump_baseline(
    make_baseline(
        measurement({"total": {"a": "110", "b": "111"}, "due": {"a": "000", "b": "111"}}),
        policy=policy(),
    )
)


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse_baseline(text, where="baselines/acme.json")
    assert all(fault.where.startswith("baselines/acme.json") for fault in raised.value.faults)
    return [str(fault) for fault in raised.value.faults]


def edited(change: Callable[[Any], Any]) -> str:
    value = json.loads(TEXT)
    change(value)
    return json.dumps(value)


def line(value: Any, field: str = "total", name: str = "a") -> Any:
    return value["fields"][field][document_id(name)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda value: value.update(format=2), "format"),
        (lambda value: value.pop("pins"), "pins: missing"),
        (lambda value: value.update(pinned=1), "pinned: unknown key"),
        (lambda value: value["pins"].pop("n_runs"), "pins.n_runs: missing"),
        (lambda value: value["pins"].update(n_runs=0), "pins.n_runs"),
        (lambda value: value["pins"].update(provider_model=""), "pins.provider_model: is empty"),
        (lambda value: line(value).update(correct=4), "4 of 3 runs"),
        (lambda value: line(value).update(correct=-1), "correct"),
        (lambda value: line(value).update(correct=True), "whole number"),
        (lambda value: line(value).update(runs=5), "2 of 5 runs; expected at most 3 of 3"),
        (lambda value: line(value).update(note="x"), "unknown key"),
        (lambda value: line(value).pop("label"), "missing"),
        (lambda value: value["fields"]["due"].pop(document_id("b")), "1 documents that other"),
        (lambda value: value["calibration"].update(total=1.5), "calibration.total"),
        (lambda value: value.update(cost_usd=-1), "cost_usd"),
    ],
)
def test_what_a_hand_or_a_merge_did_is_a_fault(change: Callable[[Any], Any], expected: str) -> None:
    assert any(expected in fault for fault in faults(edited(change)))


def test_every_fault_is_given_at_once() -> None:
    def change(value: Any) -> None:
        line(value).update(correct=9)
        line(value, "due", "b").update(correct=9)

    assert len(faults(edited(change))) == 2


def test_a_document_twice_in_a_field_is_a_fault() -> None:
    of_a = next(text for text in TEXT.splitlines() if document_id("a") in text)
    found = faults(TEXT.replace(of_a, f"{of_a.rstrip(',')},\n{of_a}", 1))
    assert any("duplicate key" in fault for fault in found)


def test_a_file_that_git_could_not_merge_names_the_line() -> None:
    lines = TEXT.splitlines()
    text = "\n".join([*lines[:5], "<<<<<<< HEAD", *lines[5:]])
    (fault,) = faults(text)
    assert fault.startswith("baselines/acme.json:6: holds the markers of a merge conflict.")


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"format": NaN}'])
def test_what_is_no_baseline_at_all(text: str) -> None:
    assert faults(text)


def test_another_layout_of_the_same_json_is_read_the_same() -> None:
    assert parse_baseline(json.dumps(json.loads(TEXT), indent=4), where="b") == parse_baseline(
        TEXT, where="b"
    )

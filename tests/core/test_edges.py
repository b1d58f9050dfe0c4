from decimal import Decimal
from enum import StrEnum
from typing import Annotated

import pytest
from pydantic import BeforeValidator, Field

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import (
    Count,
    EdgeModel,
    Exact,
    Flag,
    Moment,
    Number,
    Text,
    member_of,
    spell_path,
    validate,
    validate_yaml,
)
from evals_pipeline.core.errors import InputError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(EdgeModel):
    share: Number = Field(default=0.5, ge=0, le=1)
    price: Exact | None = None
    count: Count = 1
    is_old: Flag = False
    at: Moment | None = None
    colour: Annotated[Colour, BeforeValidator(member_of(Colour))] = Colour.RED


class Tree(EdgeModel):
    name: Text
    leaf: Leaf | None = None
    leaves: tuple[Leaf, ...] = ()
    by_name: dict[str, Leaf] = Field(default_factory=dict)


def read(text: str) -> Tree:
    return validate_yaml(Tree, strict_yaml.loads(text, where="t.yaml"), where="t.yaml")


def refusal(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text)
    return str(caught.value).splitlines()


def test_plain_scalars_become_what_is_asked_for():
    found = read(
        "name: 007\nleaf: {share: .25, price: 1.10, count: -3, is_old: true, at: 2031-05-04,"
        " colour: blue}\n"
    )
    assert found.name == "007"
    assert found.leaf == Leaf(
        share=0.25,
        price=Decimal("1.10"),
        count=-3,
        is_old=True,
        at="2031-05-04",
        colour=Colour.BLUE,
    )
    assert str(found.leaf.price) == "1.10"


def test_typed_values_are_taken_as_they_are():
    found = validate(Leaf, {"share": Decimal("0.1"), "count": 4, "is_old": True}, where="t.json")
    assert (found.share, found.count, found.is_old) == (0.1, 4, True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("is_old: yes", "must be true or false, got 'yes'"),
        ('is_old: "true"', "must be a boolean; write true without quotes"),
        ("is_old: 1", "must be true or false"),
        ("is_old:", "must be true or false"),
        ("share: 5%", "must be a number, got '5%'"),
        ("share: 1_0", "must be a number"),
        ("share: .inf", "must be a number"),
        ("share: 1.01", "must be 1 or less, got '1.01'"),
        ("share: -0.01", "must be 0 or more"),
        ("share: '0.5'", "write it without quotes"),
        ("count: 1.0", "must be a whole number"),
        ("count: '4'", "write it without quotes"),
        ("count: 4e2", "must be a whole number"),
        ("at: 04.05.2031", "must be an ISO 8601 date"),
        ("colour: BLUE", "must be red or blue, got 'BLUE'. Did you mean \"blue\"?"),
        ("colour:", "is empty; expected red or blue."),
        ("colour: ''", "is empty; expected red or blue."),
        ("colour: bleu", "must be red or blue, got 'bleu'. Did you mean \"blue\"?"),
        ("colour: [red]", "must be red or blue"),
    ],
)
def test_scalars_that_only_look_like_it_are_refused(line: str, problem: str):
    [text] = refusal(f"name: x\nleaf:\n  {line}\n")
    assert text.startswith("t.yaml:3: leaf.")
    assert problem in text


def test_every_fault_comes_with_line_path_and_near_name():
    text = (
        "nmae: x\nleaf: {shar: 1}\nleaves:\n  - {count: x}\n  - 5\nby_name:\n  leaf: {coutn: 1}\n"
    )
    assert sorted(refusal(text)) == [
        "t.yaml:1: name: missing. Add it.",
        't.yaml:1: nmae: unknown key. Did you mean "name"?',
        't.yaml:2: leaf.shar: unknown key. Did you mean "share"?',
        "t.yaml:4: leaves[0].count: must be a whole number, got 'x'.",
        "t.yaml:5: leaves[1]: must be keys and values, got '5'.",
        't.yaml:7: by_name.leaf.coutn: unknown key. Did you mean "count"?',
    ]


@pytest.mark.parametrize("text", ["", "[a]", "just text"])
def test_a_file_of_keys_is_expected(text: str):
    assert "expected keys and values" in refusal(text)[0]


@pytest.mark.parametrize(
    ("name", "problem"), [("", "is empty"), ("' '", "is empty"), ("[a]", "a list")]
)
def test_text_says_something(name: str, problem: str):
    assert problem in refusal(f"name: {name}")[0]


def test_without_lines_the_path_stands_beside_the_file():
    with pytest.raises(InputError) as caught:
        validate(Leaf, {"count": None}, where="t.json", inside=("tool", 3))
    [fault] = caught.value.faults
    assert (fault.where, fault.line) == ("t.json: tool[3].count", None)


def test_values_stay_out_of_the_cause_of_a_refusal():
    with pytest.raises(InputError) as caught:
        validate(Leaf, {"count": "a secret"}, where="t.json")
    assert "a secret" not in str(caught.value.__cause__)


def test_paths_are_spelt_as_people_write_them():
    assert spell_path(("a", 0, "b", 1, 2)) == "a[0].b[1][2]"
    assert spell_path(()) == ""

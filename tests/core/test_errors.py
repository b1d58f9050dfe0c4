"""How one fault reads."""

import pytest

from evals_pipeline.core.errors import Fault, did_you_mean


@pytest.mark.parametrize(
    ("problem", "remedy", "text"),
    [
        ("is missing", None, "set.yaml:3: is missing."),
        ("is missing.", "Add it.", "set.yaml:3: is missing. Add it."),
        (
            'no such field. Did you mean "due"?',
            None,
            'set.yaml:3: no such field. Did you mean "due"?',
        ),
        ("what is this?", "Say so.", "set.yaml:3: what is this? Say so."),
    ],
)
def test_a_fault_ends_in_one_mark(problem, remedy, text):
    assert str(Fault(where="set.yaml", line=3, problem=problem, remedy=remedy)) == text


@pytest.mark.parametrize(
    ("name", "known", "offer"),
    [
        ("TOTAL", ["totals", "total"], "total"),
        ("Due", ["dues", "Dun", "due"], "due"),
        ("EPISTMIC", ["aleatoric", "epistemic"], "epistemic"),
        ("dew", ["DEW", "dew_point"], "DEW"),
    ],
)
def test_the_same_letters_in_another_case_are_the_nearest_name(name, known, offer):
    assert did_you_mean(name, known) == f'Did you mean "{offer}"?'


def test_a_name_that_is_near_to_none_is_answered_with_all():
    assert did_you_mean("x", ["total", "due"]) == "Known: due, total."
    assert did_you_mean("x", []) == ""

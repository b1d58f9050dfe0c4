"""How one fault reads."""

import pytest

from evals_pipeline.core.errors import Fault


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

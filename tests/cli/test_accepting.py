"""``evals gate --accept``, where it names what is not gated."""

import pytest


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_set_that_is_not_gated_is_refused_rather_than_passed_over(scored, evals, form):
    found = evals("gate", "bills", "--accept", "bils/total=cut off", "--format", form)
    assert (found.status, found.out) == (2, "")
    assert "bils/total accepts nothing" in found.err
    assert 'Did you mean "bills"?' in found.err


def test_a_field_that_the_gated_set_lacks_is_still_a_hint(scored, evals):
    found = evals("gate", "bills", "--model", "steady", "--accept", "bills/sum=cut off")
    assert found.status == 0
    assert "--accept acknowledges bills/sum, which is no field" in found.out

import pytest

from evals_pipeline.core.outcomes import GateVerdict

PASS, FAIL, REFUSED = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.REFUSED


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([PASS, PASS], PASS),
        ([PASS, REFUSED], REFUSED),
        ([REFUSED, FAIL, PASS], FAIL),
        ([], REFUSED),
    ],
)
def test_one_verdict_for_several_gates(verdicts: list[GateVerdict], expected: GateVerdict) -> None:
    assert GateVerdict.over(verdicts) is expected

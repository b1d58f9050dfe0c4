"""How long to wait before the next try."""

import pytest

from evals_pipeline.llm.failures import CallFailedError
from evals_pipeline.llm.retry import RetryPolicy

BUSY = CallFailedError("busy", is_transient=True)


def asked_to_wait(seconds):
    return CallFailedError("busy", retry_after_s=seconds, is_transient=True)


@pytest.mark.parametrize(
    ("n_failed", "longest"), [(1, 0.5), (2, 1.0), (3, 2.0), (7, 30.0), (10_000, 30.0)]
)
def test_waits_double_up_to_the_limit_and_lie_in_the_upper_half(n_failed, longest):
    policy = RetryPolicy()

    assert policy.wait_s(BUSY, n_failed=n_failed, jitter=0.0) == longest / 2
    assert longest / 2 < policy.wait_s(BUSY, n_failed=n_failed, jitter=0.99) < longest


def test_a_wait_that_the_provider_asks_for_is_kept_up_to_its_limit():
    policy = RetryPolicy(retry_after_cap_s=60)

    assert policy.wait_s(asked_to_wait(7.0), n_failed=1, jitter=0.5) == 7.0
    assert policy.wait_s(asked_to_wait(0.0), n_failed=5, jitter=0.5) == 0.0
    assert policy.wait_s(asked_to_wait(3600.0), n_failed=1, jitter=0.5) == 60

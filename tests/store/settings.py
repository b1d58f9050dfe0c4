"""How many examples a property of the store is tried with: each writes files and flushes them."""

from hypothesis import HealthCheck, settings

FEW = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

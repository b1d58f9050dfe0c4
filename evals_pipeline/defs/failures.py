"""Our errors as Dagster shows them: the message that says what mends it, and no stack trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from evals_pipeline.core.errors import EvalsError, InputError


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Turns an error of ours into a failure that is not tried again: a person has to mend it."""
    try:
        yield
    except EvalsError as error:
        faults = len(error.faults) if isinstance(error, InputError) else 1
        raise dg.Failure(
            description=str(error),
            metadata={"faults": faults, "kind": type(error).__name__},
            allow_retries=False,
        ) from error

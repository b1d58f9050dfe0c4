"""What a command says of suites that it could not load: at once with every fault, and at its end.

A long run scrolls its beginning away, so the end says again what is missing from the figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals_pipeline.cli.output import say
from evals_pipeline.core.errors import InputError
from evals_pipeline.pipeline.project import LoadFailure


def tell_skipped(failures: Sequence[LoadFailure]) -> None:
    """Each file that was skipped, with its faults."""
    for failure in failures:
        say(f"skipped {failure}, it does not load: {failure.error}")


def tell_missing(failures: Sequence[LoadFailure]) -> None:
    """One line at the end of a run; nothing where every suite could be loaded."""
    if not failures:
        return
    n = len(failures)
    named = ", ".join(str(one) for one in failures)
    say(
        f"not measured: {n} suite{'s' * (n != 1)} that could not be loaded: {named}. "
        "Every fault: evals validate"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """Names that somebody gave: those that can be run, and the files that the others mean."""

    names: tuple[str, ...]
    failures: tuple[LoadFailure, ...]

    @classmethod
    def among(
        cls, names: Sequence[str], failure_of: Callable[[str], LoadFailure | None]
    ) -> "AskedFor":
        """Parts names by whether their suite loads; ``failure_of`` gives the file that does not.

        Raises:
            InputError: every name means a file that does not load.
        """
        failures = {name: failure for name in names if (failure := failure_of(name)) is not None}
        left = tuple(name for name in names if name not in failures)
        if failures and not left:
            raise InputError(
                fault for name, one in failures.items() for fault in one.as_asked(name).faults
            )
        return cls(names=left, failures=tuple(failures.values()))

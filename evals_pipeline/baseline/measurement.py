"""What one model version scored, with its pins, and why it may be unfit to compare or to record.

The same conditions hold for today's side of a gate and for a baseline that is about to be written:
a figure that hides failed calls, or that an alias produced, misleads on either side.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import BaselinePins, SetFigures
from evals_pipeline.core.model_version import is_alias
from evals_pipeline.core.records import GatePolicy
from evals_pipeline.core.run_records import StatusCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A golden set's figures for one model version, with what a baseline of them is pinned to.

    ``requested_model`` is the name that the settings ask the provider for, where there is one;
    ``pins.provider_model`` the name that the provider gave back. ``n_unjudged`` counts answers
    that no judgement exists for. ``cost_usd`` is what the answers cost when they were first paid
    for; None is unknown.
    """

    figures: SetFigures
    pins: BaselinePins
    requested_model: str | None = None
    n_unjudged: int = 0
    cost_usd: Decimal | None = None


def single_provider_model(models: Iterable[str | None], *, fallback: str) -> str:
    """The one model that answered, for the pins; ``fallback`` where no answer names one.

    Raises:
        RefusedError: Several models answered, so no figure over them is any one model's.
    """
    named = sorted({model for model in models if model is not None})
    if len(named) > 1:
        raise RefusedError(
            f"{len(named)} models answered within one model version: {', '.join(named)}. The "
            "provider changed what the name means; sample all runs anew with --fresh, under the "
            "exact name."
        )
    return named[0] if named else fallback


def unfit_reasons(measurement: Measurement, policy: GatePolicy) -> tuple[str, ...]:
    """Why the figures can neither be gated nor become a baseline; empty when they can.

    Each reason ends with what mends it.
    """
    return tuple(_unfit(measurement, policy))


def _unfit(measurement: Measurement, policy: GatePolicy) -> Iterator[str]:
    figures, pins = measurement.figures, measurement.pins
    run = run_command(pins.set_name, pins.model_version)
    if not figures.fields or not figures.n:
        yield (
            nothing_planned(pins.set_name)
            if figures.run_indices
            else (f'no run of {pins.model_version} is scored. Run "{run}".')
        )
        return
    yield from _alias_reasons(measurement)
    if measurement.n_unjudged:
        yield (
            f"{counted(measurement.n_unjudged, 'answer')} unjudged, so no figure is complete. "
            f'Run "{run}" again; it judges what is missing.'
        )
    yield from _failure_reasons(figures.statuses, policy, run=run)
    if len(figures.run_indices) < policy.min_runs:
        yield (
            f"{len(figures.run_indices)} of at least {policy.min_runs} runs are scored. "
            f'Run "{run} --runs {policy.min_runs}".'
        )


def _alias_reasons(measurement: Measurement) -> Iterator[str]:
    pins = measurement.pins
    names = (pins.model_version, measurement.requested_model, pins.provider_model)
    for name in dict.fromkeys(name for name in names if name is not None and is_alias(name)):
        answered = "" if is_alias(pins.provider_model) else f", here {pins.provider_model}"
        yield (
            f"{name} is an alias: it points at whatever model is current, so nothing can be pinned "
            "to it. Name the exact version that the provider reports"
            f"{answered} in [tool.evals.models]."
        )


def _failure_reasons(statuses: StatusCounts, policy: GatePolicy, *, run: str) -> Iterator[str]:
    """Truncated and unparsable answers are answers: they count as wrong, and the gate sees that."""
    failed = {
        "error": statuses.error,
        "declined": statuses.declined,
        "absent": statuses.absent,
    }
    n_failed = sum(failed.values())
    parts = ", ".join(f"{count} {status}" for status, count in failed.items() if count)
    if statuses.planned and n_failed == statuses.planned:
        yield f'nothing was extracted: {n_failed} of {n_failed} failed ({parts}). Run "{run}".'
    elif n_failed > policy.max_errors:
        yield (
            f"{n_failed} of {statuses.planned} extractions failed ({parts}); the limit is "
            f'{policy.max_errors}. Run "{run}" again, it repeats only what failed; or argue a '
            "higher gate.max_errors in set.yaml."
        )


def nothing_planned(set_name: str) -> str:
    """The refusal of a set without documents or fields."""
    return (
        f"{set_name} holds no labelled document, so there is nothing to measure. "
        f'Add one with "evals golden add FILE --set {set_name}", then label it with '
        f'"evals golden label --set {set_name}".'
    )


def run_command(set_name: str, model_version: str) -> str:
    """The command that extracts, judges and scores."""
    return f"evals run {set_name} --model {model_version}"


def record_command(set_name: str, model_version: str) -> str:
    """The command that writes a baseline."""
    return f"evals baseline record {set_name} --model {model_version}"


def record_before_the_edit(set_name: str, model_version: str) -> str:
    """The sentence that tells how to get a baseline that is one."""
    run, record = run_command(set_name, model_version), record_command(set_name, model_version)
    return f'With everything as it was before the edit (git stash), run "{run} && {record}".'

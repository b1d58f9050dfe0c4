"""What a run would call, take and cost, before anything is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.freshness import ModelPlan
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.model_answers import estimate_model, total_usd
from evals_pipeline.pipeline.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """The sum over all sets and model versions of a run.

    ``usd`` is None where a price is unknown; ``n_unpriced_models`` says for how many.
    """

    calls: int
    recorded: int
    input_tokens: int
    output_tokens: int
    usd: Decimal | None
    n_unpriced_models: int
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The estimate in one line."""
        if not self.calls:
            return f"no call to make; {self.recorded} answers are recorded"
        money = "price unknown" if self.usd is None else f"about {self.usd:.4f} USD"
        return (
            f"{self.calls} calls ({self.recorded} more answers are recorded), about "
            f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out, {money}"
        )


def estimate_run(
    project: Project,
    plans: Sequence[ModelPlan],
    *,
    fresh: bool = False,
    also: Sequence[Estimate] = (),
) -> RunEstimate:
    """The estimate over everything that is planned; makes no call and needs no key.

    With ``fresh`` every run index is sampled anew, so nothing counts as recorded. ``also``: what
    else the same command calls, outside the grids.
    """
    found = [*also]
    for plan in plans:
        how = serving(project, plan.set_name, plan.model_version)
        runs = plan.runs if fresh else plan.stale_runs
        if how.prompt_path is not None and runs:
            found.append(estimate_model(project, plan.set_name, how, runs, ignore_recorded=fresh))
    return sum_of(found)


def sum_of(found: Sequence[Estimate]) -> RunEstimate:
    """The sum of some estimates."""
    return RunEstimate(
        calls=sum(one.calls for one in found),
        recorded=sum(one.recorded for one in found),
        input_tokens=sum(one.input_tokens for one in found),
        output_tokens=sum(one.output_tokens for one in found),
        usd=total_usd(list(found)),
        n_unpriced_models=sum(one.usd is None for one in found),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
    )

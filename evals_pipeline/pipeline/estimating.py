"""What a run would call, take and cost, before anything is asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from evals_pipeline.core.counts import counted
from evals_pipeline.core.judge_settings import JudgeSettings
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.llm.request import Purpose
from evals_pipeline.pipeline.extraction import known_extractions
from evals_pipeline.pipeline.freshness import ModelPlan
from evals_pipeline.pipeline.grid import Serving, serving
from evals_pipeline.pipeline.judge_calls import estimate_verdicts
from evals_pipeline.pipeline.judges import judge_of
from evals_pipeline.pipeline.model_answers import estimate_model, total_usd
from evals_pipeline.pipeline.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEstimate:
    """What one set takes with one model version; ``usd`` is None where the price is unknown."""

    set_name: str
    model_version: str
    calls: int
    usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """The sum over all sets and model versions of a run.

    ``usd`` is None where a price is unknown; ``n_unpriced_models`` says for how many. Of the
    ``calls`` ``judge_calls`` are the judge's, at most where ``is_judge_bound``; ``judge_assumed``
    of those are assumed, for documents whose claims are not there yet. ``cells`` are the sets and
    model versions that the calls are for, as far as they are for one.
    """

    calls: int
    recorded: int
    judge_calls: int
    judge_assumed: int
    is_judge_bound: bool
    input_tokens: int
    output_tokens: int
    usd: Decimal | None
    n_unpriced_models: int
    notes: tuple[str, ...]
    cells: tuple[CellEstimate, ...] = ()

    @property
    def sentence(self) -> str:
        """The estimate in one line."""
        if not self.calls:
            # Where nothing is planned no answer was looked for, and there may be many.
            found = f"; {counted(self.recorded, 'answer')} recorded" if self.recorded else ""
            return f"no call to make{found}"
        recorded = counted(self.recorded, "more answer")
        return (
            f"{counted(self.calls, 'call')} ({recorded} recorded), about "
            f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out, "
            f"{money_words(self.usd)}{self._judge}"
        )

    @property
    def _judge(self) -> str:
        if not self.judge_calls:
            return ""
        bound = "at most" if self.is_judge_bound else "about"
        return f"; {bound} {self.judge_calls} of the calls are the judge's"

    def as_json(self, *, confirm_limit: int) -> dict[str, JsonValue]:
        """The estimate as JSON; money as text, null where a price is unknown."""
        return {
            "calls": self.calls,
            "recorded": self.recorded,
            "judge_calls": self.judge_calls,
            "judge_calls_assumed": self.judge_assumed,
            "judge_calls_are_at_most": self.is_judge_bound,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "usd": None if self.usd is None else str(self.usd),
            "n_unpriced_models": self.n_unpriced_models,
            "confirm_limit": confirm_limit,
            "needs_yes": self.calls > confirm_limit,
            "notes": list(self.notes),
            "by": [
                {
                    "set": one.set_name,
                    "model_version": one.model_version,
                    "calls": one.calls,
                    "usd": None if one.usd is None else str(one.usd),
                }
                for one in self.cells
            ],
        }


def money_words(usd: Decimal | None) -> str:
    """An estimated cost, or that its price is unknown."""
    return "price unknown" if usd is None else f"about {usd:.4f} USD"


def estimate_run(
    project: Project,
    plans: Sequence[ModelPlan],
    *,
    fresh: bool = False,
    also: Sequence[Estimate] = (),
) -> RunEstimate:
    """The estimate over everything that is planned; makes no call and needs no key.

    What an LLM judge would be asked counts too. With ``fresh`` every run index is sampled anew, so
    no answer counts as recorded. ``also``: what else the same command calls, outside the grids.
    """
    found = [*also]
    for plan in plans:
        of_cell: list[Estimate] = []
        how = serving(project, plan.set_name, plan.model_version)
        runs = plan.runs if fresh else plan.stale_runs
        if how.prompt_path is not None and runs:
            of_cell.append(estimate_model(project, plan.set_name, how, runs, ignore_recorded=fresh))
        if runs and project.kind_of(plan.set_name) is SetKind.CLAIMS:
            judge = judge_of(project, plan.set_name, plan.model_version)
            of_cell += estimate_judge(project, judge, plan.set_name, how, runs, fresh=fresh)
        found += [of(one, plan.set_name, plan.model_version) for one in of_cell]
    return sum_of(found)


def of(estimate: Estimate, set_name: str, model_version: str) -> Estimate:
    """An estimate with the set and the model version that it is for."""
    return replace(estimate, set_name=set_name, model_version=model_version)


def estimate_judge(
    project: Project,
    judge: JudgeSettings,
    set_name: str,
    how: Serving,
    runs: Sequence[int],
    *,
    fresh: bool = False,
) -> list[Estimate]:
    """What judging an extractor's claims on a suite would call; empty where nobody is asked."""
    model_version = how.model.name
    keys = (
        PartitionKey(set_name=set_name, model_version=model_version, run_index=run) for run in runs
    )
    known = (known_extractions(project, how, key, fresh=fresh) for key in keys)
    return estimate_verdicts(project, judge, set_name, project.suite(set_name).cases, known)


def sum_of(found: Sequence[Estimate]) -> RunEstimate:
    """The sum of some estimates."""
    return RunEstimate(
        calls=sum(one.calls for one in found),
        recorded=sum(one.recorded for one in found),
        judge_calls=sum(one.calls for one in found if one.purpose is Purpose.JUDGE),
        judge_assumed=sum(one.assumed for one in found),
        is_judge_bound=all(one.is_bound for one in found),
        input_tokens=sum(one.input_tokens for one in found),
        output_tokens=sum(one.output_tokens for one in found),
        usd=total_usd(list(found)),
        n_unpriced_models=sum(one.usd is None for one in found),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
        cells=tuple(_cells(found)),
    )


def _cells(found: Sequence[Estimate]) -> Iterator[CellEstimate]:
    """The cells that call somebody, in the order of the plan."""
    by_cell: dict[tuple[str, str], list[Estimate]] = {}
    for one in found:
        if one.calls and one.set_name is not None and one.model_version is not None:
            by_cell.setdefault((one.set_name, one.model_version), []).append(one)
    for (set_name, model_version), estimates in by_cell.items():
        yield CellEstimate(
            set_name=set_name,
            model_version=model_version,
            calls=sum(one.calls for one in estimates),
            usd=total_usd(estimates),
        )

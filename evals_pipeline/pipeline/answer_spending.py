"""What the answers behind figures cost, and what was spent in this project, on what."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evals_pipeline.core.answer_costs import AnswerCost, cost_of
from evals_pipeline.core.counts import counted
from evals_pipeline.core.outcomes import ExtractionStatus
from evals_pipeline.core.run_records import Extraction, PartitionKey
from evals_pipeline.llm.archive import SpendLine, SpendTotal, spend_lines, total_of, totals_by
from evals_pipeline.pipeline.model_answers import record_of
from evals_pipeline.pipeline.project import Project

NO_COMMIT = "outside git"
GROUPS: Mapping[str, Callable[[SpendLine], str]] = {
    "set": lambda line: line.set_name,
    "model": lambda line: line.model_version,
    "day": lambda line: line.at.date().isoformat(),
    "commit": lambda line: line.commit or NO_COMMIT,
    "purpose": lambda line: line.purpose.value,
    "run": lambda line: line.run_id,
}
"""What spending can be summed by, in the order in which it is shown."""

USUAL_GROUPS = tuple(name for name in GROUPS if name != "run")
"""What it is summed by unasked: runs are too many for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Everything that was paid for in this project, or the part that was asked for.

    ``by`` holds for every grouping its groups with their sums. ``price_tables`` are the versions
    of the prices that were used; a later table changes no line.
    """

    total: SpendTotal
    by: Mapping[str, Mapping[str, SpendTotal]]
    price_tables: tuple[str, ...]


def spending(
    project: Project,
    *,
    sets: Sequence[str] = (),
    models: Sequence[str] = (),
    groups: Sequence[str] = USUAL_GROUPS,
) -> Spending:
    """What was spent, from the record of answers: every sample, superseded and failed ones too.

    Recordings that came with the project were paid for elsewhere and are not counted.

    Raises:
        UnknownNameError: a set or a model version does not exist, and nothing was spent on one of
            that name either.
    """
    lines = list(spend_lines(record_of(project)))
    _check(project, lines, sets, models)
    chosen = [
        line
        for line in lines
        if (not sets or line.set_name in sets) and (not models or line.model_version in models)
    ]
    return Spending(
        total=total_of(chosen),
        by={name: _totals(chosen, name) for name in groups},
        price_tables=tuple(sorted({line.price_table for line in chosen if line.price_table})),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpending:
    """What some runs spent on calls of their own: extractions, and a judge's verdicts.

    ``total`` is over the calls that were answered; ``n_unanswered`` calls never were, at no cost.
    """

    total: SpendTotal
    n_unanswered: int

    @property
    def sentence(self) -> str | None:
        """What was spent in one line; None where no call was made."""
        if not self.total.n and not self.n_unanswered:
            return None
        parts = [counted(self.total.n, "new call")]
        if self.total.usd is not None:
            parts.append(f"{self.total.usd:.4f} USD")
        if unpriced := self.total.n - self.total.n_priced:
            of = f"price of {unpriced}" if self.total.n_priced else "price"
            parts.append(f"{of} unknown")
        if self.n_unanswered:
            parts.append(f"{counted(self.n_unanswered, 'call')} without an answer")
        return ", ".join(parts)


def spent_by(project: Project, run_ids: Collection[str]) -> RunSpending:
    """What the runs of these ids spent, whichever set and model version it was on."""
    lines = [line for line in spend_lines(record_of(project)) if line.run_id in run_ids]
    answered = [line for line in lines if not _was_never_answered(line)]
    return RunSpending(total=total_of(answered), n_unanswered=len(lines) - len(answered))


def _was_never_answered(line: SpendLine) -> bool:
    return line.status is ExtractionStatus.ERROR and line.input_tokens is None


def _totals(lines: Sequence[SpendLine], name: str) -> Mapping[str, SpendTotal]:
    """The sums of one grouping, sorted by group; runs in the order in which they began."""
    totals = totals_by(lines, GROUPS[name])
    if name != "run":
        return totals
    began = {line.run_id: line.at for line in sorted(lines, key=lambda line: line.at, reverse=True)}
    return {run_id: totals[run_id] for run_id in sorted(totals, key=lambda one: (began[one], one))}


def answer_cost(
    project: Project, set_name: str, model_version: str, runs: Sequence[int]
) -> AnswerCost:
    """What the answers behind some runs cost when they were first paid for."""

    def found() -> Iterator[Extraction]:
        for run_index in runs:
            key = PartitionKey(set_name=set_name, model_version=model_version, run_index=run_index)
            yield from project.store.iter_extractions(key)

    return cost_of(found())


def _check(
    project: Project, lines: Sequence[SpendLine], sets: Sequence[str], models: Sequence[str]
) -> None:
    """A name that no set or model version has now may still have cost something."""
    for name in set(sets) - {line.set_name for line in lines}:
        project.kind_of(name)
    for name in set(models) - {line.model_version for line in lines}:
        project.model(name)

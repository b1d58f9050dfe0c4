"""How a run ends: what it spent, and whether there was anything to measure."""

from collections.abc import Collection, Iterator, Sequence

from evals_pipeline.cli.output import say
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.pipeline.answer_spending import RunSpending, spent_by
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import AnyFigures


def tell_spent(project: Project, run_ids: Collection[str]) -> RunSpending:
    """Says what runs spent on calls; silent where they made none."""
    spent = spent_by(project, run_ids)
    if spent.sentence is not None:
        say(f"spent: {spent.sentence}")
    return spent


def spent_json(spent: RunSpending) -> dict[str, JsonValue]:
    """What was spent, for other tools; money as text, null where nothing has a price."""
    total = spent.total
    return {
        "calls": total.n,
        "priced": total.n_priced,
        "unanswered": spent.n_unanswered,
        "input_tokens": total.input_tokens,
        "cached_input_tokens": total.cached_input_tokens,
        "output_tokens": total.output_tokens,
        "usd": None if total.usd is None else str(total.usd),
    }


def unmeasured(figures: Sequence[AnyFigures | HarnessFigures], *, by_model: bool) -> Iterator[str]:
    """The sets with nothing to measure, or from which nothing was extracted at all; with why.

    ``by_model``: each model version of a set has to have extracted something, not one of them.
    """
    groups: dict[str, list[StatusCounts]] = {}
    of_set: dict[str, str] = {}
    for one in figures:
        name = f"{one.set_name}, {one.model_version}" if by_model else one.set_name
        groups.setdefault(name, []).append(one.statuses)
        of_set[name] = one.set_name
    for name, statuses in groups.items():
        if not any(counts.planned for counts in statuses):
            yield f"{name}: nothing to measure; the set holds no labelled document and no case"
        elif not any(counts.planned - counts.error - counts.absent for counts in statuses):
            n = sum(counts.planned for counts in statuses)
            yield (
                f"{name}: nothing was extracted; {n} of {n} extractions failed. "
                f"Why: evals trace {of_set[name]}"
            )

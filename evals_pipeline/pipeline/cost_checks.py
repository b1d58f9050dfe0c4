"""What the answers behind figures cost, against what somebody wanted to spend."""

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.counts import counted
from evals_pipeline.pipeline.answer_spending import answer_cost
from evals_pipeline.pipeline.check_results import CheckResult, Facts
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import read_figures


def figures_cost(project: Project, set_name: str, model_version: str) -> AnswerCost | None:
    """What the answers behind the stored figures cost when first paid for; None without figures."""
    stored = read_figures(project, set_name, model_version)
    if stored is None:
        return None
    return answer_cost(project, set_name, model_version, stored.figures.run_indices)


def cost_within_budget(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether asking for these figures once costs no more than the model version's budget_usd.

    The budget itself stops a run before the call that would exceed it. This says it before: one
    who samples everything anew under that budget gets all of the figures.
    """
    cost = figures_cost(project, set_name, model_version)
    if cost is None:
        said = f'Nothing is scored. Run "evals run {set_name} --model {model_version}".'
        return CheckResult(passed=False, description=said)
    budget = project.model(model_version).budget_usd
    facts: Facts = {"answers": cost.n_answers, "answers_without_price": _unpriced(cost)}
    if cost.usd is not None:
        facts = {**facts, "cost_usd": float(cost.usd)}
    if budget is None:
        said = f"{_said(cost, model_version)} No budget_usd is set for it."
        return CheckResult(passed=True, description=said, facts=facts)
    facts = {**facts, "budget_usd": float(budget)}
    table = f"[tool.evals.models.{model_version!r}]".replace("'", '"')
    if cost.usd is not None and cost.usd > budget:
        said = (
            f"{_said(cost, model_version)} Its budget is {budget:f} USD, so a run that asks anew "
            f"would stop halfway. Raise budget_usd in {table}, or take fewer runs or documents."
        )
        return CheckResult(passed=False, description=said, facts=facts)
    if not cost.is_complete:
        said = (
            f"{_said(cost, model_version)} That cannot be compared with its budget of {budget:f} "
            f"USD. State the prices in [tool.evals.prices]."
        )
        return CheckResult(passed=False, description=said, facts=facts)
    said = f"{_said(cost, model_version)} Its budget is {budget:f} USD."
    return CheckResult(passed=True, description=said, facts=facts)


def _said(cost: AnswerCost, model_version: str) -> str:
    if cost.n_metered == 0:
        return f"The answers of {model_version} cost nothing: no model was asked."
    amount = "an unknown amount" if cost.usd is None else f"{cost.usd:f} USD"
    unpriced = _unpriced(cost)
    without = f", without {counted(unpriced, 'answer')} of no known price" if unpriced else ""
    return (
        f"The {counted(cost.n_answers, 'answer')} of {model_version} behind these figures cost "
        f"{amount} when first paid for{without}."
    )


def _unpriced(cost: AnswerCost) -> int:
    return cost.n_metered - cost.n_priced

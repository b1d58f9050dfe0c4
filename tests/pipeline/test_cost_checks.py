"""What figures cost against the budget of their model version."""

import pytest

from evals_pipeline.pipeline.cost_checks import cost_within_budget, figures_cost

PRICES = '\n[tool.evals.prices."asked-2026-01-01"]\ninput = 2\noutput = 10\n'
# 6 answers · (100 · 2 + 20 · 10) / 1,000,000 = 0.0024 USD


@pytest.fixture
def asked(bills, opened, run, model_server):
    """Scores ``asked@1``; the budget is set afterwards, since it would stop the run itself."""

    def scored(budget, prices=PRICES):
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8") + prices
        bills.write("pyproject.toml", settings)
        run(opened(), "asked@1")
        if budget is not None:
            limited = settings.replace('sets = ["bills"]', f'sets = ["bills"]\n{budget}')
            bills.write("pyproject.toml", limited)
        return opened()

    return scored


@pytest.mark.parametrize(
    ("budget", "passed", "said"),
    [
        (None, True, "cost 0.0024 USD when first paid for. No budget_usd is set for it."),
        ("budget_usd = 0.0024", True, "Its budget is 0.0024 USD."),
        ("budget_usd = 0.0023", False, "a run that asks anew would stop halfway. Raise budget_usd"),
    ],
)
def test_the_cost_of_the_figures_against_the_budget(asked, budget, passed, said):
    answer = cost_within_budget(asked(budget), "bills", "asked@1")
    assert answer.passed == passed
    assert said in answer.description
    assert answer.facts["cost_usd"] == pytest.approx(0.0024)


def test_answers_of_no_known_price_are_never_within_a_budget(asked):
    answer = cost_within_budget(asked("budget_usd = 1", prices=""), "bills", "asked@1")
    assert not answer.passed
    assert "an unknown amount" in answer.description
    assert "[tool.evals.prices]" in answer.description
    assert "cost_usd" not in answer.facts


def test_what_asks_no_model_costs_nothing(opened, run):
    project = opened()
    assert figures_cost(project, "bills", "steady") is None
    assert not cost_within_budget(project, "bills", "steady").passed
    run(project, "steady")
    answer = cost_within_budget(project, "bills", "steady")
    assert answer.passed
    assert answer.description.startswith("The answers of steady cost nothing")

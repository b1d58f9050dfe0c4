"""``evals costs``: every call that was paid for, summed."""

import json
from decimal import Decimal

import pytest

from tests.cli.scoring import score
from tests.llm.loopback import completion, loopback

PRICES = '\n[tool.evals.prices."asked-2026-01-01"]\ninput = 2\noutput = 10\n'


@pytest.fixture
def asked(bills, monkeypatch):
    """``asked@1`` has answered for every bill in two runs: 6 calls of 100 tokens in, 20 out."""

    def answer(call):
        number = call.asked.split("Bill ")[1].split("\n")[0]
        fields = {"number": number, "due": "2026-05-01"}
        return completion(json.dumps(fields), model="asked-2026-01-01")

    with loopback(answer) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        bills.write(
            "pyproject.toml", settings.replace("http://127.0.0.1:9/v1", server.url) + PRICES
        )
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        bills.commit("Start")
        score(bills, "asked@1")
        yield bills


def test_nothing_was_spent(bills, evals):
    assert "nothing was spent" in evals("costs").out
    value = json.loads(evals("costs", "--format", "json").out)
    assert value["total"]["calls"] == 0
    assert value["total"]["usd"] is None


def test_by_set_model_day_and_commit(asked, evals):
    value = json.loads(evals("costs", "--format", "json").out)
    # 6 · (100 · 2 + 20 · 10) / 1,000,000 = 0.0024
    assert Decimal(value["total"]["usd"]) == Decimal("0.0024")
    assert (value["total"]["calls"], value["total"]["priced"]) == (6, 6)
    assert (value["total"]["input_tokens"], value["total"]["output_tokens"]) == (600, 120)
    assert list(value["by"]) == ["commit", "day", "model", "purpose", "set"]
    assert set(value["by"]["set"]) == {"bills"}
    assert set(value["by"]["model"]) == {"asked@1"}
    assert set(value["by"]["purpose"]) == {"extraction"}
    commit = asked.git("rev-parse", "HEAD")
    assert set(value["by"]["commit"]) == {commit}
    assert sum(one["calls"] for one in value["by"]["day"].values()) == 6
    assert value["price_tables"][0].startswith("settings ")


def test_the_table_groups_and_ends_with_the_total(asked, evals):
    found = evals("costs", "bills", "--by", "model")
    assert found.status == 0
    assert "asked@1" in found.out
    assert "0.0024" in found.out
    assert "6 of 6" in found.out
    assert "purpose" not in found.out


def test_a_price_that_is_unknown_is_not_free(asked, evals):
    path = next((asked.root / "storage" / "answers").rglob("*.json"))
    record = json.loads(path.read_text(encoding="utf-8"))
    record["samples"][0]["cost"]["usd"] = None
    path.write_text(json.dumps(record), encoding="utf-8")
    value = json.loads(evals("costs", "--format", "json").out)
    assert (value["total"]["calls"], value["total"]["priced"]) == (6, 5)
    assert Decimal(value["total"]["usd"]) == Decimal("0.0020")
    assert "5 of 6" in evals("costs").out


def test_a_call_that_failed_does_not_stand_for_a_price(asked, evals):
    """Six calls: five of no known price, and one that ended in HTTP 500, for 0 in the record."""
    paths = sorted((asked.root / "storage" / "answers").rglob("*.json"))
    for path in paths:
        record = json.loads(path.read_text(encoding="utf-8"))
        for sample in record["samples"]:
            sample["cost"]["usd"] = None
            if path == paths[0]:
                sample |= {"status": "error", "reason": "HTTP 500 (after 1 call)", "usage": None}
                sample["cost"]["usd"] = "0"
        path.write_text(json.dumps(record), encoding="utf-8")
    total = json.loads(evals("costs", "--format", "json").out)["total"]
    assert (total["calls"], total["priced"], total["usd"]) == (6, 0, None)
    [row] = [line for line in evals("costs", "--by", "set").out.splitlines() if "total" in line]
    assert "unknown" in row
    assert "0 of 6" in row
    assert "0.0000" not in row


def test_names(asked, evals):
    assert evals("costs", "facts-001").out.startswith("nothing was spent")
    wrong = evals("costs", "bilss")
    assert wrong.status == 2
    assert 'Did you mean "bills"?' in wrong.err
    assert 'Did you mean "asked@1"?' in evals("costs", "--model", "asked@2").err


def test_a_run_says_what_it_spent_and_costs_can_be_asked_by_run(asked, evals):
    def spent(*more):
        found = evals("run", "bills", "--model", "asked@1", *more, "--format", "json")
        assert found.status == 0, found.err
        return found.err, json.loads(found.out)["spent"]

    told, nothing = spent()
    assert "spent:" not in told
    assert (nothing["calls"], nothing["usd"]) == (0, None)
    told, anew = spent("--runs", "1", "--fresh")
    # 3 · (100 · 2 + 20 · 10) / 1,000,000 = 0.0012
    assert "spent: 3 new calls, 0.0012 USD\n" in told
    assert Decimal(anew.pop("usd")) == Decimal("0.0012")
    assert anew == {
        "calls": 3,
        "priced": 3,
        "unanswered": 0,
        "input_tokens": 300,
        "cached_input_tokens": 0,
        "output_tokens": 60,
    }
    runs = json.loads(evals("costs", "--by", "run", "--format", "json").out)["by"]["run"]
    assert sorted(one["calls"] for one in runs.values()) == [3, 6]
    newest = next(run_id for run_id, one in runs.items() if one["calls"] == 3)
    told = evals("costs", "--by", "run").out
    rows = [line.split()[0] for line in told.splitlines() if line.split()]
    assert rows[rows.index("total") - 1] == newest[:12]
    assert "run" not in json.loads(evals("costs", "--format", "json").out)["by"]


def test_a_run_without_a_price_says_so(asked, evals):
    settings = (asked.root / "pyproject.toml").read_text(encoding="utf-8")
    asked.write("pyproject.toml", settings.replace(PRICES, ""))
    told = evals("run", "bills", "--model", "asked@1", "--runs", "1", "--fresh").err
    assert "spent: 3 new calls, price unknown\n" in told

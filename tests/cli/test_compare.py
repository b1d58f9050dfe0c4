"""``evals compare``: who is right more often, on the same documents."""

import json

import pytest

from tests.llm.loopback import completion, loopback


def rows(found):
    (comparison,) = json.loads(found.out)["comparisons"]
    return {row["name"]: row for row in comparison["rows"]}, comparison


def test_fields_are_paired_by_document(scored, evals):
    found = evals("compare", "bills", "--model", "steady", "--model", "hasty", "--format", "json")
    assert found.status == 0, found.err
    by_name, comparison = rows(found)
    due = by_name["due"]
    # One of three documents is right in none of two runs instead of both.
    assert (due["first"], round(due["second"], 6), round(due["delta"], 6)) == (
        1.0, 0.666667, -0.333333,
    )  # fmt: skip
    assert (due["better"], due["worse"], due["pairs"], due["paired_on"]) == (0, 1, 3, "document")
    assert due["p_value"] == 1.0
    assert (due["first_counts"], due["second_counts"]) == (
        {"right": 6, "of": 6}, {"right": 4, "of": 6},
    )  # fmt: skip
    assert comparison["overall"]["second_counts"] == {"right": 10, "of": 12}
    assert by_name["number"]["delta"] == 0
    assert comparison["overall"]["name"] == "overall (information)"
    assert (comparison["first"]["name"], comparison["second"]["name"]) == ("steady", "hasty")
    assert comparison["first"]["cost_usd"] is None
    assert (comparison["first"]["answers"], comparison["first"]["metered"]) == (6, 0)


def test_the_order_turns_the_sign(scored, evals):
    found = evals("compare", "bills", "--model", "hasty", "--model", "steady", "--format", "json")
    by_name, _ = rows(found)
    assert (by_name["due"]["better"], by_name["due"]["worse"]) == (1, 0)


def test_the_table_fits_and_names_what_is_paired(scored, evals, monkeypatch):
    wide = evals("compare", "--model", "steady", "--model", "hasty").out.splitlines()
    [row] = [line for line in wide if line.split()[:1] == ["due"]]
    assert "0.667 4/6" in row
    assert "3 documents" in row
    monkeypatch.setenv("COLUMNS", "80")
    found = evals("compare", "--model", "steady", "--model", "hasty")
    assert "-0.333" in found.out
    assert "first: steady, 2 runs, 6 planned, 6 ok, no metered answers" in found.out
    lines = found.out.splitlines()
    due = next(n for n, line in enumerate(lines) if line.split()[:1] == ["due"])
    assert lines[due + 1].split() == ["6/6", "4/6", "documents"]
    assert max(len(line.rstrip()) for line in found.out.splitlines()) <= 80


def test_what_cannot_be_compared_is_refused_all_at_once(scored, evals):
    missing = evals("compare", "bills", "--model", "steady", "--model", "asked@1")
    assert missing.status == 2
    assert "evals run bills --model asked@1" in missing.err
    scored.label("A-1", due="2026-05-02")
    stale = evals("compare", "bills", "--model", "steady", "--model", "hasty")
    assert stale.status == 2
    assert stale.err.count("labels or gold claims changed") == 2
    assert "selected 0 sets" in evals("compare", "--model", "steady", "--model", "teller").err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--model", "steady"),
        ("--model", "steady", "--model", "steady"),
        ("--extractor-id", "general"),
        ("--extractor-id", "a", "--extractor-id", "b", "--model", "c", "--model", "d"),
    ],
)
def test_two_are_needed(scored, evals, arguments):
    found = evals("compare", *arguments)
    assert found.status == 2
    assert "Usage" in found.err


def test_names_that_do_not_exist(scored, evals):
    model = evals("compare", "bills", "--model", "steady", "--model", "hastie")
    assert 'Did you mean "hasty"?' in model.err
    extractor = evals("compare", "--extractor-id", "coin-catalog", "--extractor-id", "general")
    assert extractor.status == 2
    assert 'Did you mean "coin-catalogue"?' in extractor.err
    golden = evals("compare", "bills", "--extractor-id", "a", "--extractor-id", "b")
    assert "golden set" in golden.err


PROMPT = "---\noutput: claims\n---\nSay what %s.\n<!-- user -->\n{{ document }}\n"


@pytest.fixture
def tellers(bills):
    """Two prompts that emit claims, answered by one server: the second says one thing more."""

    def answer(call):
        asked = json.dumps(call.body["messages"])
        claims = [{"content": "A ship sank.", "confidence": 0.9, "subjects": []}]
        if "everything" in asked:
            claims.append({"content": "A ship sank.", "confidence": 0.4, "subjects": []})
        return completion(json.dumps({"claims": claims}), model="asked-2026-01-01")

    with loopback(answer) as server:
        settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
        settings = settings.replace("http://127.0.0.1:9/v1", server.url).replace(
            'sets = ["bills"]\n', ""
        )
        for name in ("brief", "full"):
            settings += f'\n[tool.evals.extractors.{name}]\nprompt = "suites/{name}.md"\n'
        bills.write("pyproject.toml", settings)
        bills.write("suites/brief.md", PROMPT % "matters")
        bills.write("suites/full.md", PROMPT % "everything is")
        yield server


def test_extractors_whatever_the_routing(tellers, bills, evals, monkeypatch, stored_vectors):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    arguments = ("compare", "--extractor-id", "brief", "--extractor-id", "full")
    estimate = evals(*arguments, "--estimate")
    assert "4 calls" in estimate.err
    assert len(tellers.calls) == 0
    found = evals(*arguments, "--format", "json")
    assert found.status == 0, found.err
    by_name, comparison = rows(found)
    assert comparison["first"]["name"] == "brief as asked@1"
    assert comparison["set_version"] == "1.0.0"
    assert comparison["second"]["name"] == "full as asked@1"
    counts = {name: row["second_counts"] for name, row in by_name.items()}
    assert (counts["precision"], counts["recall"]) == (
        {"right": 2, "of": 4}, {"right": 2, "of": 2},
    )  # fmt: skip
    assert counts["calibration_error"] == {"right": None, "of": 4}
    # Of two equal claims one matches the one gold claim, so precision halves and recall stays.
    assert (by_name["precision"]["first"], by_name["precision"]["second"]) == (1.0, 0.5)
    assert (by_name["precision"]["worse"], by_name["precision"]["pairs"]) == (1, 1)
    assert by_name["recall"]["delta"] == 0
    assert by_name["recall"]["paired_on"] == "gold claim"
    assert by_name["calibration_error"]["p_value"] is None
    n_calls = len(tellers.calls)
    again = evals(*arguments, "--format", "json")
    assert again.out == found.out
    assert len(tellers.calls) == n_calls
    assert not (bills.root / "storage" / "tables" / "extractions" / "set=facts-001").exists()


@pytest.fixture
def stored_vectors(bills):
    """The vector of the one text, stored as if it had been embedded."""
    import numpy as np

    from evals_pipeline.judge.encoder import make_encoder
    from evals_pipeline.judge.vectors import VectorCache

    class Known:
        name = make_encoder(None).name

        def encode(self, texts):
            return np.ones((len(texts), 1), dtype=np.float32)

    VectorCache(bills.root / "storage" / "vectors", Known()).vectors(["A ship sank."])


def test_a_benchmark_off_the_grid_says_what_it_will_call(
    tellers, bills, evals, monkeypatch, stored_vectors
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("EVALS_CONFIRM_LIMIT", "1")
    # Routing gives the suite to another extractor; naming it measures this one all the same.
    arguments = ("benchmark", "full", "--suite", "facts-001", "--no-save", "--format", "json")
    estimate = evals(*arguments, "--estimate")
    assert estimate.status == 0
    assert "2 calls" in estimate.err
    refused = evals(*arguments)
    assert refused.status == 2
    assert "above the confirm limit" in refused.err
    assert len(tellers.calls) == 0
    found = evals(*arguments, "--yes")
    assert found.status == 0, found.err
    assert json.loads(found.out)["metrics"]["precision"]["mean"] == 0.5
    assert len(tellers.calls) == 2


def test_the_heaviest_field_comes_first(scored, evals):
    schema = (scored.folder / "set.yaml").read_text(encoding="utf-8")
    heavier = schema.replace("due: {kind: date}", "due: {kind: date, weight: 3}")
    (scored.folder / "set.yaml").write_text(heavier, encoding="utf-8")
    models = ("--model", "steady", "--model", "hasty")
    # A weight is no input of a figure: nothing is scored again for it.
    again = evals("run", "bills", *models, "--format", "json")
    assert "nothing was recomputed" in again.err
    assert [one["weight"] for one in json.loads(again.out)["figures"][0]["fields"]] == [1, 3]
    found = evals("compare", "bills", *models, "--format", "json")
    (one,) = json.loads(found.out)["comparisons"]
    assert [row["name"] for row in one["rows"]] == ["due", "number"]

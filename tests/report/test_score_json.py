import json
from dataclasses import replace

import pytest

from evals_pipeline.core import strict_json
from evals_pipeline.core.figures import ClaimFigures, Figure
from evals_pipeline.core.judge_settings import JudgedBy, JudgeSettings
from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    GoldOutcome,
    UncertaintyNature,
)
from evals_pipeline.core.records import GoldClaim
from evals_pipeline.core.run_records import Claim, JudgedCase, JudgedClaim, JudgedGold, StatusCounts
from evals_pipeline.report.score_json import claims_json, fields_json
from evals_pipeline.report.score_table import claims_text, fields_text
from evals_pipeline.score.claims import score_claims
from tests.report.expected import assert_as_accepted
from tests.scored import figures, golden_set, spec

PICTURE = {"total": {"acme-1": "11", "acme-2": "1e"}, "po": {"acme-1": "ni", "acme-2": "ne"}}


def gold(content: str, *, required: bool = True) -> GoldClaim:
    return GoldClaim(
        content=content,
        confidence_min=0.5,
        uncertainty_nature=UncertaintyNature.EPISTEMIC,
        required=required,
    )


def suite_figures() -> ClaimFigures:
    aluminium, year = gold("The coin is of aluminium."), gold("It was struck in 1948.")
    case = JudgedCase(
        case_id="coin-1",
        run_index=0,
        status=ExtractionStatus.OK,
        claims=(
            JudgedClaim(
                claim=Claim(content="The coin is aluminium.", confidence=0.9),
                outcome=ClaimOutcome.MATCHED,
                gold_index=0,
                similarity=0.93,
                rendering="The coin is aluminium.",
            ),
            JudgedClaim(
                claim=Claim(content="It is round.", confidence=None, confidence_flag="absent"),
                outcome=ClaimOutcome.SPURIOUS,
                gold_index=None,
                similarity=0.41,
                rendering="It is round.",
            ),
        ),
        gold=(
            JudgedGold(gold=aluminium, outcome=GoldOutcome.MATCHED, claim_index=0, similarity=0.93),
            JudgedGold(gold=year, outcome=GoldOutcome.MISSED, claim_index=None, similarity=0.2),
        ),
    )
    return score_claims(
        [case],
        set_name="coins",
        model_version="coin-rules@1",
        run_indices=(0,),
        statuses=StatusCounts(planned=1, ok=1),
    )


def test_fields_that_others_rely_on() -> None:
    value = fields_json(figures(PICTURE))
    assert (value["set"], value["kind"], value["runs"]) == ("invoices", "fields", 2)
    total, po = value["fields"]
    assert (total["field"], total["kind"], total["n"], total["correct"]) == ("total", "text", 4, 3)
    assert total["accuracy"] == 0.75
    assert total["ci_low"] < 0.75 < total["ci_high"]
    assert (total["value_recall"], total["invention_rate"]) == (0.75, None)
    assert (po["value_recall"], po["invention_rate"]) == (None, 0.25)
    assert total["outcomes"]["error"] == 1
    assert total["misses"][0]["run_index"] == 1
    assert po["misses"][0] == {
        "document": po["misses"][0]["document"],
        "name": "acme-1",
        "run_index": 1,
        "want": None,
        "got": "2026-03-04",
        "outcome": "invented",
        "trace": [],
        "in_document": None,
        "note": None,
        "labelled_by": "rk",
        "labelled_at": "2026-07-02",
        "corrections": [],
    }
    assert value["overall"] == {"n": 8, "correct": 5, "accuracy": 0.625}
    assert (value["counts"]["planned"], value["counts"]["error"]) == (4, 1)


def test_claims_that_others_rely_on() -> None:
    value = claims_json(suite_figures())
    assert (value["set"], value["kind"], value["runs"]) == ("coins", "claims", 1)
    assert set(value["metrics"]) == {
        "precision", "recall", "calibration_error", "calibration_error_semantic",
    }  # fmt: skip
    precision = value["metrics"]["precision"]
    assert {key: precision[key] for key in ("mean", "min", "max", "range", "stdev", "values")} == {
        "mean": 0.5, "min": 0.5, "max": 0.5, "range": 0.0, "stdev": None, "values": [0.5],
    }  # fmt: skip
    (case,) = value["cases"]
    assert (case["case_id"], case["run_index"]) == ("coin-1", 0)
    first, second = case["claims"]
    assert first["matched_expected"] == "The coin is of aluminium."
    assert (second["outcome"], second["matched_expected"], second["confidence"]) == (
        "spurious", None, None,
    )  # fmt: skip
    assert [one["content"] for one in case["missed"]] == ["It was struck in 1948."]


def test_the_suite_s_version_and_who_judged_stand_beside_the_figures() -> None:
    settings = JudgeSettings.model_validate(
        {"kind": "llm", "model": "m@1", "assignment": "optimal", "threshold": "0.75"}
    )
    told = replace(suite_figures(), set_version="0.2.0", judged_by=JudgedBy.of(settings))
    value = claims_json(told)
    names = ("set_version", "judge", "judge_model", "threshold", "asked_from", "assignment")
    assert [value[name] for name in (*names, "guards")] == [
        "0.2.0", "llm", "m@1", 0.75, 0.65, "optimal", "flag",
    ]  # fmt: skip
    assert claims_text(told).splitlines()[:2] == [
        "coins, coin-rules@1, 1 run, 1 planned, 1 ok",
        "suite version 0.2.0; judged by llm (m@1) between 0.65 and 0.75, optimal assignment, "
        "guards flag",
    ]
    alone = claims_json(replace(told, judged_by=JudgedBy.of(JudgeSettings())))
    assert (alone["assignment"], alone["asked_from"], alone["judge_model"]) == (
        "greedy", None, None,
    )  # fmt: skip
    unnoted = claims_json(suite_figures())
    assert [unnoted[name] for name in names] == [None] * len(names)


def test_the_range_of_the_runs_fits_a_narrow_terminal() -> None:
    figures = suite_figures()
    wide = Figure(mean=0.7, min=0.5, max=0.9, stdev=0.2, values=(0.5, 0.7, 0.9))
    figures = replace(figures, metrics={**figures.metrics, "calibration_error_semantic": wide})
    assert claims_json(figures)["metrics"]["calibration_error_semantic"]["range"] == 0.4
    lines = claims_text(figures, width=80).splitlines()
    [row] = [line for line in lines if line.split()[:1] == ["calibration_error_semantic"]]
    assert row.split()[1:] == ["0.700", "0.500", "0.900", "0.400", "0.200"]


def test_claim_text_can_be_kept_out() -> None:
    text = strict_json.dumps(claims_json(suite_figures(), with_claim_text=False))
    assert "round" not in text
    assert "The coin is aluminium." not in text
    assert "The coin is of aluminium." in text


@pytest.mark.parametrize("value", [fields_json(figures(PICTURE)), claims_json(suite_figures())])
def test_it_is_strict_and_sorted(value) -> None:
    text = strict_json.dumps(value, indent=2)
    assert strict_json.loads(text, where="score")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False)


def test_fields_in_the_terminal() -> None:
    assert_as_accepted(fields_text(figures(PICTURE)), "fields.txt")


def test_claims_in_the_terminal() -> None:
    assert_as_accepted(claims_text(suite_figures()), "claims.txt")


def test_a_cosine_below_zero_is_shown_as_no_similarity() -> None:
    figures = suite_figures()
    [case] = figures.cases
    unlike = replace(case.claims[1], similarity=-0.001)
    missed = replace(case.gold[1], similarity=-0.12)
    changed = replace(case, claims=(case.claims[0], unlike), gold=(case.gold[0], missed))
    figures = replace(figures, cases=(changed,))
    text = claims_text(figures)
    assert text.count("nearest 0.00") == 2
    assert "-0." not in text
    [said] = claims_json(figures)["cases"]
    assert (said["claims"][1]["similarity"], said["missed"][0]["similarity"]) == (0.0, 0.0)


def test_a_miss_of_optional_gold_is_shown_last_and_is_not_in_recall() -> None:
    figures = suite_figures()
    [case] = figures.cases
    mint = JudgedGold(
        gold=gold("It was struck at Berlin.", required=False),
        outcome=GoldOutcome.MISSED,
        claim_index=None,
        similarity=0.745,
    )
    with_optional = score_claims(
        [replace(case, gold=(mint, *case.gold))],
        set_name="coins",
        model_version="coin-rules@1",
        run_indices=(0,),
        statuses=StatusCounts(planned=1, ok=1),
    )
    assert with_optional.metrics["recall"].mean == figures.metrics["recall"].mean == 0.5
    lines = claims_text(with_optional).splitlines()
    assert lines[-2:] == [
        "coin-1, run 0: missed (nearest 0.20): It was struck in 1948.",
        "coin-1, run 0: missed, optional, not in recall (nearest 0.74): It was struck at Berlin.",
    ]
    [said] = claims_json(with_optional)["cases"]
    assert [one["required"] for one in said["missed"]] == [False, True]


def test_the_heaviest_field_comes_first_and_the_order_of_the_set_decides_among_equals() -> None:
    picture = {name: {"a": "0", "b": "1"} for name in ("first", "light", "heavy", "second")}
    weights = {"heavy": 10, "light": 0}
    fields = tuple(spec(name, weight=weights.get(name, 1)) for name in picture)
    text = fields_text(figures(picture, golden_set(picture, fields=fields)))
    named = [line.split()[0].rstrip(":") for line in text.splitlines() if line.split()]
    order = ["heavy", "first", "second", "light"]
    # Once in the table, once over its misses.
    assert [name for name in named if name in picture] == order * 2

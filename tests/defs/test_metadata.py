import os
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.figures import CalibrationFigures, ClaimFigures, Figure, ReliabilityBin
from evals_pipeline.core.judge_settings import JudgedBy, JudgeSettings
from evals_pipeline.core.run_records import InputDigests, PartitionKey, RunStamp, StatusCounts
from evals_pipeline.defs.figures_metadata import (
    cost_metadata,
    figures_metadata,
    reliability_markdown,
)
from evals_pipeline.defs.metadata import (
    baseline_metadata,
    extraction_metadata,
    page_metadata,
    version_of_rows,
)
from evals_pipeline.pipeline.extraction import ExtractionSummary
from evals_pipeline.store.parquet import Header

DIGESTS = InputDigests(corpus="c", prompt=None, extractor="e", gold="g", schema="s", judge="j")
STAMP = RunStamp(run_id="r", commit=None, at=datetime(2026, 7, 1, tzinfo=UTC), package_version="1")
HEADER = Header(stamp=STAMP, digests=DIGESTS, extras={}, n_rows=3)
SUMMARY = ExtractionSummary(
    key=PartitionKey(set_name="s", model_version="m", run_index=0),
    counts=StatusCounts(planned=3, ok=2, truncated=1),
)


def test_an_unknown_cost_is_left_out_and_never_nought():
    metadata = extraction_metadata(replace(SUMMARY, n_unpriced=2), HEADER)
    assert "cost_usd" not in metadata
    assert metadata["answers_without_price"].value == 2


def test_a_cost_is_a_number_to_plot_and_its_exact_text():
    asked = replace(SUMMARY, n_calls=3, cost_usd=Decimal("0.00001230"))
    metadata = extraction_metadata(asked, HEADER)
    assert metadata["cost_usd"].value == 0.0000123
    assert metadata["cost_usd_exact"].value == "0.00001230"


def test_what_asked_no_model_shows_no_calls_and_no_money():
    metadata = extraction_metadata(replace(SUMMARY, spent_usd=Decimal(0)), HEADER)
    assert not {"calls", "answers_from_record", "spent_usd", "cost_usd"} & set(metadata)


def test_figures_show_what_their_answers_cost_and_how_many_have_no_price():
    assert cost_metadata(AnswerCost(n_answers=3)) == {}
    cost = AnswerCost(n_answers=3, n_metered=3, n_priced=2, usd=Decimal("0.02"), input_tokens=90)
    shown = {name: one.value for name, one in cost_metadata(cost).items()}
    assert shown == {
        "answers": 3,
        "tokens/input": 90,
        "tokens/output": 0,
        "cost_usd": 0.02,
        "cost_usd_exact": "0.02",
        "answers_without_price": 1,
    }


def test_statuses_that_occur_are_shown_and_planned_and_ok_always():
    metadata = extraction_metadata(SUMMARY, HEADER)
    shown = {name: one.value for name, one in metadata.items() if name.startswith("documents/")}
    assert shown == {"documents/planned": 3, "documents/ok": 2, "documents/truncated": 1}
    assert metadata["commit"].value == "outside git"


def test_rows_made_anew_have_another_version_and_untouched_ones_the_same():
    later = replace(HEADER, stamp=replace(STAMP, at=datetime(2026, 7, 2, tzinfo=UTC)))
    changed = replace(HEADER, digests=replace(DIGESTS, gold="g2"))
    same = replace(HEADER, n_rows=4)
    versions = [version_of_rows(one) for one in (HEADER, same, later, changed, None)]
    assert versions[0] == versions[1]
    assert len({version.value for version in versions}) == 4


def test_empty_bins_are_not_drawn_as_nought():
    full = ReliabilityBin(lower=0.8, upper=0.9, n=4, mean_confidence=0.85, accuracy=0.75)
    empty = ReliabilityBin(lower=0.9, upper=1.0, n=0, mean_confidence=None, accuracy=None)
    text = reliability_markdown(CalibrationFigures(ece=0.1, n=4, n_left_out=0, bins=(full, empty)))
    assert "| 0.8–0.9 | 4 | 0.850 | 0.750 | `███████████████░░░░░` |" in text
    assert "0.9–1.0" not in text


def test_nothing_measured_says_why():
    nothing = CalibrationFigures(ece=None, n=0, n_left_out=3, bins=(), reason="none is stated")
    assert reliability_markdown(nothing) == "none is stated"


def test_no_baseline_says_so():
    assert baseline_metadata(None)["note"].value == "No baseline is recorded."


def test_a_suite_s_figures_tell_its_version_its_judge_and_the_range_of_the_runs():
    nothing = CalibrationFigures(ece=None, n=0, n_left_out=0, bins=(), reason="none is stated")
    figures = ClaimFigures(
        set_name="coins",
        model_version="m",
        run_indices=(0, 1),
        metrics={"recall": Figure(mean=0.6, min=0.5, max=0.75, stdev=0.1, values=(0.5, 0.75))},
        counts={},
        statuses=StatusCounts(planned=2, ok=2),
        calibration=nothing,
        calibration_semantic=nothing,
        cases=(),
        set_version="0.2.0",
        judged_by=JudgedBy.of(JudgeSettings()),
    )
    shown = figures_metadata(figures, DIGESTS, STAMP, AnswerCost())
    assert shown["suite_version"].value == "0.2.0"
    assert shown["judged_by"].value == "embedding from 0.8, greedy assignment, guards flag"
    [row] = [record.data for record in shown["figures"].records]
    assert (row["min"], row["max"], row["range"]) == ("0.500", "0.750", "0.250")


def test_a_report_that_is_there_is_named_with_its_moment_and_one_that_is_not_with_its_command(
    tmp_path,
):
    missing = page_metadata(tmp_path, "invoices")["report_page"].value
    assert missing == "not written yet: `evals report invoices --output report.html`"
    page = tmp_path / "report.html"
    page.write_text("x", encoding="utf-8")
    # 2026-07-01 00:00:00 UTC
    os.utime(page, (1782864000, 1782864000))
    there = page_metadata(tmp_path, "invoices")["report_page"].value
    assert there == (
        f"`{page}`, of 2026-07-01 00:00:00 UTC; anew: `evals report invoices --output report.html`"
    )

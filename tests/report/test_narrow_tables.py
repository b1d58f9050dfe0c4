"""Tables in terminals that are too narrow for all of their columns: no name may be lost."""

from dataclasses import replace

import pytest
from rich.table import Column, Table

from evals_pipeline.cli.output import print_table
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.report.calibration_table import fit_table
from evals_pipeline.report.comparison import (
    ComparedRow,
    ComparedSide,
    Comparison,
    Counts,
    comparison_text,
)
from evals_pipeline.report.score_table import fields_text
from evals_pipeline.report.terminal import Fitting, as_text
from tests.calibrate.populations import fit, labels
from tests.scored import figures

PICTURE = {
    "invoice_number": {"acme-1": "111", "acme-2": "101"},
    "purchase_order": {"acme-1": "nnn", "acme-2": "iii"},
}


@pytest.mark.parametrize("width", [80, 90, 100, 120, 200])
def test_every_field_keeps_its_name_and_its_figures(width: int):
    text = fields_text(figures(PICTURE), width=width)
    lines = text.splitlines()
    assert all(len(line) <= width for line in lines)
    for name, right in (("invoice_number", "5/6"), ("purchase_order", "3/6")):
        row = next(line for line in lines if line.split()[:1] == [name])
        assert right in row
    assert "…" not in text


def test_a_wide_terminal_shows_the_counts_and_a_narrow_one_does_without():
    scored = figures(PICTURE)
    assert "0.833 of 6" in fields_text(scored, width=120)
    assert " of 6" not in fields_text(scored, width=80)


OVERSURE = {0.95: labels(30, 10), 0.6: labels(5, 5)}
UNSTABLE = {name: {"a": "1n0", "b": "10n", "c": "111"} for name in (*PICTURE, "purchase_order_no")}


@pytest.mark.parametrize("width", [40, 60, 70, 80, 100])
def test_a_field_keeps_its_name_beside_the_mark_of_unstable_ones(width: int):
    text = fields_text(figures(UNSTABLE), width=width)
    words = text.split()
    assert all(len(line) <= width for line in text.splitlines())
    assert "purchase_order_no" in words
    assert words.count("unstable") == len(UNSTABLE)


def compared(name: str) -> str:
    side = ComparedSide(name="m", n_runs=3, statuses=StatusCounts(planned=12, ok=12), cost=None)
    row = ComparedRow(
        name=name,
        first=0.35,
        second=0.093,
        first_counts=Counts(right=18, of=171),
        second_counts=Counts(right=142, of=171),
        paired_on="gold claim",
        n_pairs=57,
        better=48,
        worse=2,
        p_value=0.0001,
    )
    one = Comparison(set_name="s", kind=SetKind.CLAIMS, first=side, second=side, rows=(row,))
    return comparison_text([one], width=80)


def test_a_comparison_keeps_the_name_of_a_long_metric_and_every_count():
    assert "metric " in compared("recall")
    text = " ".join(compared("calibration_error_semantic").split())
    said = "first 0.350 18/171, second 0.093 142/171, delta -0.257, better 48, worse 2, p <0.001"
    assert f"calibration_error_semantic {said}, pairs 57 gold claims" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_a_fit_was_fitted_on_keeps_its_name(width: int):
    names = ("prose-calibration-001", "prose-calibration-002-of-another-house")
    text = as_text(fit_table(replace(fit(OVERSURE), sources=names)), width=width)
    assert "prose-calibration-001," in text.split()
    assert names[1] in text.split()


@pytest.mark.parametrize("width", [30, 44, 60])
def test_no_column_is_narrowed_beyond_its_longest_word(width: int):
    table = Table(Column("name", no_wrap=True), Column("said"), Column("why"))
    table.add_row("a b c d", "it is so " * 9, "unquestionably so")
    words = as_text(Fitting(table), width=width).split()
    assert "unquestionably" in words
    assert "unquestionably" in as_text(Fitting(table), width=200).split()


def test_a_printed_table_breaks_no_word_beside_a_column_of_several_words(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "50")
    row = ("journal entries 1.0.0", "9 of 9 0 of 9", "false_non_falsifiable_rate 0.1")
    print_table(("set", "answers", "figures"), [row], whole=("answers",))
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines if line.strip()] == [
        "set journal entries 1.0.0",
        "answers  9 of 9 0 of 9",
        "figures  false_non_falsifiable_rate 0.1",
    ]

"""Tables in terminals that are too narrow for all of their columns: no name may be lost."""

import pytest

from evals_pipeline.report.score_table import fields_text
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

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.baseline.compare import refused
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.report.gate_markdown import MOST_MISSES, gate_markdown
from evals_pipeline.report.markdown_text import code, plain
from tests.report.examples import hostile, miss, of_everything, report, row
from tests.report.expected import assert_as_accepted
from tests.screens import gate_report


def test_the_story_of_a_hint_that_moves_one_date_into_another() -> None:
    assert_as_accepted(gate_markdown([gate_report()]), "gate.md")


def test_everything_there_is() -> None:
    assert_as_accepted(gate_markdown([of_everything()]), "gate_everything.md")


def test_ten_lines_tell_the_story_and_the_rest_is_folded() -> None:
    for one in (gate_report(), of_everything()):
        told, _, folded = gate_markdown([one]).partition("<details>")
        assert len(told.strip().splitlines()) <= 10
        assert folded.count("<summary>") == folded.count("</details>")


def test_a_document_makes_no_table_link_mention_or_markup() -> None:
    text = gate_markdown([hostile()])
    ours = re.sub(r"</?(details|summary|code)>", "", text)
    assert "<" not in ours
    assert not re.search(r"[@`]", ours)
    assert "\x1b" not in text
    broken_rows = [line for line in text.splitlines() if line.startswith("|") and "img" in line]
    assert [line.count("|") for line in broken_rows] == [5]


def test_field_names_and_dates_stay_readable() -> None:
    assert plain("due_date 2026-03-04 4820.15") == "due_date 2026-03-04 4820.15"


@settings(max_examples=50)
@given(st.text(max_size=30))
def test_escaped_text_holds_no_structure(text: str) -> None:
    escaped = re.sub(r"&#\d+;", "", code(text).removeprefix("<code>").removesuffix("</code>"))
    assert not re.search(r"[<>`*\[\]|~$@&\n]|\\(?![nrtxuU])|://|www\.", escaped)


def test_a_comment_stays_within_what_a_pull_request_takes() -> None:
    long = "&" * 500
    misses = tuple(miss(f"acme-{n:03}", want=long, got=long) for n in range(400))
    text = gate_markdown(
        [report(fields=(row(FieldVerdict.REGRESSION, reason="r", misses=misses),))]
    )
    assert f"and {400 - MOST_MISSES} more" in text
    assert len(text) < 65_536


def test_many_reasons_are_folded_after_the_first() -> None:
    reasons = tuple(f"field_{n} regressed" for n in range(9))
    text = gate_markdown([report(verdict=GateVerdict.FAIL, reasons=reasons)])
    told, _, folded = text.partition("<details>")
    assert "and 5 more reasons" in told
    assert "field_8 regressed" in folded


def test_a_refusal_and_several_gates() -> None:
    text = gate_markdown([refused("bills", "m", ["no baseline. Run this."]), report()])
    assert text.startswith("**REFUSED: 2 gates, 1 refused, 1 passed**")
    assert "### REFUSED: bills, m" in text
    assert "- no baseline. Run this." in text


def test_nothing_selected_is_refused() -> None:
    assert gate_markdown([]).startswith("**REFUSED**: selected 0 sets")

"""The rows that the page's script shows: joined, ordered, compact, and marked where they differ."""

import json
from dataclasses import replace

from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.report.html.claim_rows import claim_rows
from evals_pipeline.report.html.field_rows import field_rows
from evals_pipeline.report.html.page import Excerpt, Side, TextMark
from evals_pipeline.report.html.rows import ABSENT, Rows
from tests.report.pages import golden_model, golden_section, passing, suite_section
from tests.scored import document_id


def told(data: dict, place: int) -> dict:
    """One row with what its numbers refer to."""
    row = {name: values[place] for name, values in data["rows"].items()}

    def text(name):
        return None if row[name] == ABSENT else data["texts"][row[name]]

    return {
        "model": data["models"][row["model"]],
        "outcome": data["outcomes"][row["outcome"]],
        "document": data["doc_names"][row["doc"]],
        "runs": data["lists"][row["runs"]],
        "want": text("want"),
        "got": text("got"),
        "marks": None if row["mark"] == ABSENT else data["marks"][row["mark"]],
        "note": text("note"),
        "row": row,
    }


def all_of(data: dict) -> list[dict]:
    return [told(data, place) for place in range(len(data["rows"]["model"]))]


def test_alike_misses_of_several_runs_are_one_row() -> None:
    data = field_rows(golden_section())
    due = [one for one in all_of(data) if data["fields"][one["row"]["field"]] == "due_date"]
    # acme-03, -17 and -29 in all five runs, -31 in one; the baseline's own misses of -38 and -39.
    assert [(one["document"], one["runs"]) for one in due[:4]] == [
        ("acme-03", [0, 1, 2, 3, 4]),
        ("acme-17", [0, 1, 2, 3, 4]),
        ("acme-29", [0, 1, 2, 3, 4]),
        ("acme-31", [4]),
    ]
    assert {one["outcome"] for one in due} == {"wrong", "invented"}


def test_what_failed_and_what_newly_fails_comes_first() -> None:
    data = field_rows(golden_section(passing(), golden_model()))
    assert data["models"] == ["acme-2026-08-15", "acme-2026-07-01"]
    assert data["fields"][0] == "due_date"
    changes = [place for place in data["rows"]["change"] if place != ABSENT]
    assert len(changes) == 4
    assert data["rows"]["change"][:4] == changes
    assert data["texts"][changes[0]] == "newly failing: 5/5 before, 0/5 now"


def test_want_and_got_are_marked_where_they_differ() -> None:
    first = told(field_rows(golden_section()), 0)
    assert (first["want"], first["got"]) == ("2026-04-03", "2026-03-04")
    want, got = first["marks"]
    assert [first["want"][a:b] for a, b in zip(want[::2], want[1::2], strict=True)] == ["4", "3"]
    assert [first["got"][a:b] for a, b in zip(got[::2], got[1::2], strict=True)] == ["3", "4"]


def test_absence_is_no_text() -> None:
    invented = next(one for one in all_of(field_rows(golden_section())) if one["want"] is None)
    assert (invented["outcome"], invented["got"]) == ("invented", "2026-03-04")
    assert invented["marks"] is None


def test_slices_and_excerpts_belong_to_their_documents() -> None:
    data = field_rows(golden_section())
    names = dict(zip(data["doc_names"], data["doc_slices"], strict=True))
    assert [data["slices"][place] for place in names["acme-03"]] == ["source=acme", "tag=fax"]
    assert names["acme-31"] == []
    ((line, text, marks),) = data["places"][told(data, 0)["row"]["place"]]
    shown = data["texts"][text]
    assert line == 7
    assert [(shown[a:b], side) for a, b, side in zip(*[iter(marks)] * 3, strict=True)] == [
        ("04/03/2026", 1),
        ("03/04/2026", 0),
    ]


def test_marks_count_as_the_script_counts_and_move_with_what_is_written_out() -> None:
    rows = Rows(())
    # A coin sign outside the basic plane takes two of JavaScript's units, \x07 becomes \\x07.
    text = "🪙\x07 due 3 May"
    at = text.index("3 May")
    place = rows.excerpts(
        (Excerpt(text=text, line=1, marks=(TextMark(start=at, end=at + 5, side=Side.BOTH),)),)
    )
    ((_, shown, (start, end, side)),) = rows.places.kept[place]
    units = rows.texts.kept[shown].encode("utf-16-le")
    assert units[2 * start : 2 * end].decode("utf-16-le") == "3 May"
    assert side == 2


def test_tables_stand_cell_by_cell() -> None:
    model = golden_model()
    want = '[{"item": "hinge", "amount": "1.00"}, {"item": "lock", "amount": "2.00"}]'
    got = '[{"item": "lock", "amount": "2.00"}, {"item": "hinge", "amount": "7.00"}]'
    first = model.figures.fields[0]
    miss = replace(first.misses[0], want=want, got=got)
    figures = replace(
        model.figures, fields=(replace(first, misses=(miss,)), *model.figures.fields[1:])
    )
    data = field_rows(golden_section(replace(model, figures=figures)))
    (table,) = data["tables"]
    assert table["columns"] == ["item", "amount"]
    assert table["rows"] == [
        [["hinge", "1.00"], ["hinge", "7.00"]],
        [["lock", "2.00"], ["lock", "2.00"]],
    ]


def test_claims_in_trouble_come_first() -> None:
    data = claim_rows(suite_section())
    assert [one["outcome"] for one in all_of(data)] == [
        "missed", "spurious", "under_confidence", "missed_optional", "matched",
    ]  # fmt: skip
    missed, spurious, timid, optional, matched = all_of(data)
    assert all(one["runs"] == [0, 1] for one in all_of(data))
    assert (missed["want"], missed["got"]) == ("The coin weighs 1.1 grams.", None)
    assert (spurious["want"], spurious["got"]) == (None, "It is round.")
    assert timid["row"]["floor"] == 0.8
    assert optional["want"] == "The edge is plain."
    why = [data["texts"][place] for place in data["lists"][matched["row"]["trace"]]]
    assert "suspect: numbers: want 1948, got 1984" in why
    assert "compared as: the coin: It was struck in 1984." in why
    nearest = data["nears"][missed["row"]["near"]][0]
    assert (data["texts"][nearest[0]], nearest[1]) == ("It is of aluminium.", 0.71)


def test_a_hundred_thousand_rows_stay_a_page_that_opens() -> None:
    model = golden_model()
    first = model.figures.fields[0]
    miss = replace(first.misses[0], trace=("want: absent", "got: 1", "wrong"))
    many = tuple(
        replace(
            miss,
            fixture_id=document_id(str(n)),
            document=f"doc-{n}",
            want=str(n % 997),
            outcome=FieldOutcome.WRONG,
        )
        for n in range(20_000)
    )
    figures = replace(
        model.figures, fields=(replace(first, misses=many), *model.figures.fields[1:])
    )
    data = field_rows(golden_section(replace(model, figures=figures, places={})))
    size = len(json.dumps(data, separators=(",", ":")))
    # Beside its document's own id and name a row takes a few dozen characters.
    assert len(data["rows"]["model"]) >= 20_000
    assert size / 20_000 < 64 + 70

"""``evals report``: the page from the command line."""

import json
import re

from tests.cli.scoring import score


def page(path):
    return path.read_text(encoding="utf-8")


def test_one_file_with_the_verdict_first(scored, evals, tmp_path):
    target = tmp_path / "out" / "report.html"
    found = evals("report", "bills", "--output", str(target))
    assert found.status == 0, found.err
    assert found.out.strip() == "FAIL: 1 failed, 1 passed"
    assert f"wrote {target}" in found.err
    html = page(target)
    assert html.index("FAIL") < html.index("due regressed by 0.333")
    assert "bill-A-2" in html
    assert not re.search(r'(?:src|href)="(?!#)', html)


def test_only_what_is_asked_for(scored, evals, tmp_path):
    target = tmp_path / "steady.html"
    found = evals("report", "bills", "--model", "steady", "--output", str(target))
    assert found.out.strip() == "PASS: 1 passed"
    assert "hasty" not in page(target)


def test_a_revision_to_gate_against(scored, evals, tmp_path):
    target = tmp_path / "since.html"
    found = evals(
        "report", "bills", "--model", "steady", "--since", "HEAD", "--output", str(target)
    )
    assert found.status == 0
    assert "--since HEAD" in page(target)
    wrong = evals(
        "report", "bills", "--model", "steady", "--since", "nowhere", "--output", str(target)
    )
    # The page says that the gate refused, and why; writing it is no failure.
    assert wrong.status == 0
    assert wrong.out.strip() == "REFUSED: 1 refused"
    assert "no commit here has that name" in page(target)


def test_all_sets_by_default_with_what_is_missing_named(scored, evals, tmp_path):
    target = tmp_path / "all.html"
    assert evals("report", "--output", str(target)).status == 0
    html = page(target)
    assert "facts-001" in html
    assert "evals run facts-001 --model teller" in html


def test_nothing_scored_and_unknown_names_write_nothing(bills, evals, tmp_path):
    target = tmp_path / "none.html"
    empty = evals("report", "--output", str(target))
    assert empty.status == 2
    assert "evals run bills facts-001" in empty.err
    unknown = evals("report", "bilsl", "--output", str(target))
    assert unknown.status == 2
    assert 'Did you mean "bills"?' in unknown.err
    model = evals("report", "bills", "--model", "stedy", "--output", str(target))
    assert 'Did you mean "steady"?' in model.err
    assert not target.exists()
    assert evals("report", "bills").status == 2


def test_a_file_that_cannot_be_written_is_said(scored, evals, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    found = evals("report", "bills", "--output", str(blocked / "report.html"))
    assert found.status == 2
    assert "Choose another --output" in found.err


def test_the_store_is_left_as_it_was(scored, evals, tmp_path):
    before = sorted(path for path in (scored.root / "storage").rglob("*"))
    assert evals("report", "bills", "--output", str(tmp_path / "r.html")).status == 0
    assert sorted(path for path in (scored.root / "storage").rglob("*")) == before


def test_a_document_that_would_break_out_stays_text(bills, evals, scored, tmp_path):
    text = "</script><img src=x onerror=alert(1)> \u202e =1+1 \x1b[31m"
    scored.predict("hasty", {"A-2": text})
    score(scored, "hasty")
    target = tmp_path / "hostile.html"
    evals("report", "bills", "--model", "hasty", "--output", str(target))
    html = page(target)
    assert "<img" not in html
    assert not set("\u202e\x1b") & set(html)
    rows = re.search(r'id="g1-rows">(.*?)</script>', html, re.DOTALL)
    assert rows is not None
    assert any("onerror=alert(1)" in one for one in json.loads(rows[1])["texts"])

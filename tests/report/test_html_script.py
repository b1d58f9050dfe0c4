"""The page's script in a real browser: rows drawn, filtered by the address, nothing run or loaded.

Needs Chromium, and is passed over where it is not installed.
"""

import re
import shutil
import subprocess
from html import unescape

import pytest

from evals_pipeline.report.html import render_page
from tests.report.pages import hostile_page, page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=4000", "--dump-dom",
)  # fmt: skip
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")


@pytest.fixture
def opened(tmp_path):
    """The text of the page after its script ran, at an address."""

    def open_page(record, address=""):
        path = tmp_path / "report.html"
        path.write_text(render_page(record), encoding="utf-8")
        found = subprocess.run(
            [
                CHROMIUM,
                *FLAGS,
                f"--user-data-dir={tmp_path / 'profile'}",
                f"{path.as_uri()}{address}",
            ],
            capture_output=True,
            timeout=100,
            check=True,
        )
        return found.stdout.decode("utf-8")

    return open_page


def shown(dom: str, key: str) -> str:
    section = dom[dom.index(f'id="{key}-misses"') :]
    found = re.search(r'role="status">(.*?)</p>', section)
    assert found is not None
    return unescape(found[1])


def rows(dom: str, key: str) -> list[str]:
    section = dom[dom.index(f'id="{key}-misses"') :]
    listed = section[: section.index(f'id="{key}-rows"')]
    found = re.findall(r'<li class="row.*?(?=<li class="row|</ol>\s*<nav)', listed, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", one)).split()) for one in found]


def test_rows_are_drawn_page_by_page_what_newly_fails_first(opened) -> None:
    dom = opened(page())
    # 15 misses of the failing model version and 14 of each of the other two.
    assert shown(dom, "g1") == "1–25 of 43 misses"
    listed = rows(dom, "g1")
    assert len(listed) == 25
    assert listed[0].startswith("wrong due_date acme-03")
    assert "newly failing: 5/5 before, 0/5 now" in listed[0]
    assert "Due date: 03/04/2026" in listed[0]
    assert shown(dom, "c1") == "1–5 of 5 claims"
    assert "nearest, not matched: It is of aluminium." in rows(dom, "c1")[0]
    assert "page 2 of 2" in dom


def test_an_address_leads_to_the_same_rows(opened) -> None:
    address = "#g1-misses:model=acme-2026-08-15&field=due_date&outcome=invented&run=3"
    dom = opened(page(), address)
    assert shown(dom, "g1") == "1–1 of 1 (all: 43) misses"
    (only,) = rows(dom, "g1")
    assert only.startswith("invented due_date acme-29")
    assert "Filter (4)" in dom


def test_an_address_that_names_nothing_shows_everything(opened) -> None:
    dom = opened(page(), "#g1-misses:field=nowhere&page=99&run=%E0%A4%A&__proto__=1")
    assert shown(dom, "g1") == "1–25 of 43 misses"


def test_no_text_of_a_document_becomes_an_element(opened) -> None:
    dom = opened(hostile_page())
    body = re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
    assert "<img" not in body
    assert "&lt;img src=x onerror=alert(1)&gt;" in body
    assert len(rows(dom, "g1")) == 15

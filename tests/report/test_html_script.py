"""The page's script: rows drawn, filtered by the address, nothing run or loaded.

Every test runs in an engine without a browser, over a small stand-in for the document, and once
more in Chromium where it is installed; where it is not, that half is skipped and says so.
"""

import re
import shutil
import subprocess
from html import unescape

import pytest

from evals_pipeline.report.html import render_page
from tests.report.browserless import OpenPage
from tests.report.pages import hostile_page, page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=4000", "--dump-dom",
)  # fmt: skip
MISSING = "Chromium is not installed: the same test ran without a browser; layout is not covered"


def in_chromium(html: str, address: str, folder) -> str:
    """The page as Chromium dumps it; on a busy machine it now and then does so before any script.

    Whether the script ran shows in the lines that say how many rows there are: empty before.
    """
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    for attempt in ("first", "second", "third"):
        profile = f"--user-data-dir={folder / attempt}"
        found = subprocess.run(
            [CHROMIUM, *FLAGS, profile, f"{path.as_uri()}{address}"],
            capture_output=True,
            timeout=100,
            check=True,
        )
        dom = found.stdout.decode("utf-8")
        if 'role="status"></p>' not in dom:
            break
    return dom


@pytest.fixture(
    params=[
        "engine",
        pytest.param("chromium", marks=pytest.mark.skipif(not CHROMIUM, reason=MISSING)),
    ]
)
def opened(request, tmp_path):
    """The text of the page after its script ran, at an address."""

    def open_page(record, address=""):
        html = render_page(record)
        if request.param == "engine":
            return OpenPage(html, address).dom
        return in_chromium(html, address, tmp_path)

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


# --- what a person does: in the engine alone, since Chromium only dumps a page ------------------


def test_a_filter_shows_its_rows_and_the_address_remembers_it() -> None:
    report = OpenPage(render_page(page()))
    choose = (
        "const field = of('g1').querySelectorAll('[data-key]')"
        ".find((one) => one.dataset.key === '{}'); "
    )
    name = "field.value = field.children.find((one) => one.textContent === '{}').value; "
    change = "field.dispatch('change');"
    report.do(choose.format("field") + name.format("due_date") + change)
    report.do(choose.format("outcome") + name.format("invented") + change)
    assert report.address == "#g1-misses:field=due_date&outcome=invented"
    assert "Filter (2)" in report.dom
    listed = rows(report.dom, "g1")
    assert listed
    assert all(one.startswith("invented due_date") for one in listed)
    again = OpenPage(render_page(page()), report.address)
    assert rows(again.dom, "g1") == listed
    report.do(
        "of('g1').querySelectorAll('button').find((one) => one.textContent === 'Reset')"
        ".dispatch('click');"
    )
    assert shown(report.dom, "g1") == "1–25 of 43 misses"
    assert report.address == "#g1-misses"


def test_words_are_searched_in_documents_and_values() -> None:
    report = OpenPage(render_page(page()))
    report.do(
        "const box = of('g1').querySelectorAll('input').find((one) => one.dataset.key === 'text'); "
        "box.value = ' ACME-03 '; box.dispatch('input');"
    )
    listed = rows(report.dom, "g1")
    assert listed
    assert all("acme-03" in one for one in listed)
    assert report.address.endswith(":text=acme-03")


def test_pages_are_turned() -> None:
    report = OpenPage(render_page(page()))
    report.do(
        "of('g1').querySelector('.pages').querySelectorAll('button')"
        ".find((one) => one.textContent === 'Next').dispatch('click');"
    )
    assert shown(report.dom, "g1") == "26–43 of 43 misses"
    assert report.address == "#g1-misses:page=2"


def test_the_count_of_a_field_leads_to_its_misses() -> None:
    report = OpenPage(render_page(page()))
    report.do(
        "root.querySelectorAll('a[data-rows]').find((one) => one.dataset.field === 'due_date' "
        "&& one.dataset.model === 'acme-2026-08-15').dispatch('click');"
    )
    listed = rows(report.dom, "g1")
    assert listed
    assert all(" due_date " in one for one in listed)
    assert "model=acme-2026-08-15&field=due_date" in report.address


def test_the_theme_is_chosen_and_kept() -> None:
    report = OpenPage(render_page(page()))
    assert "data-theme" not in report.dom[: report.dom.index("<head>")]
    press = "document.getElementById('theme').dispatch('click');"
    report.do(press)
    report.do(press)
    assert 'data-theme="dark"' in report.dom[: report.dom.index("<head>")]
    report.do(press)
    assert "data-theme" not in report.dom[: report.dom.index("<head>")]

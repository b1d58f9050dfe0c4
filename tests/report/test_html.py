"""The page as a whole: what it says, that it loads nothing, that nothing breaks out of it."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from evals_pipeline.report.html import render_page
from tests.report.expected import assert_as_accepted
from tests.report.pages import (
    BREAKING_OUT,
    fits,
    golden_model,
    golden_section,
    hostile_page,
    measured,
    page,
    passing,
    refusing,
    suite_section,
)

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Elements, texts and attributes, and whether every element is closed where it should be."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.unbalanced: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        (self.scripts if self.open and self.open[-1] == "script" else self.texts).append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def said(html: str) -> str:
    """What the page says without its script, on one line."""
    reader = read(re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))
    return " ".join(" ".join(reader.texts).split())


def rows_of(html: str, key: str = "g1") -> dict:
    found = re.search(rf'id="{key}-rows">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def scrubbed(html: str) -> str:
    """Without style, script and drawings, whose every change would hide what the page says."""
    for tag in ("style", "svg"):
        html = re.sub(rf"<{tag}\b.*?</{tag}>", f"<{tag}>…</{tag}>", html, flags=re.DOTALL)
    html = re.sub(r"<script>.*?</script>", "<script>…</script>", html, flags=re.DOTALL)
    html = re.sub(r"sha256-[A-Za-z0-9+/=]+", "sha256-…", html)
    return re.sub(r"\n\s*\n+", "\n", html)


def test_everything_there_is() -> None:
    assert_as_accepted(scrubbed(render_page(page())), "page.html")


def test_it_is_one_page_that_is_whole() -> None:
    reader = read(render_page(page()))
    assert reader.unbalanced == []
    assert reader.open == []
    identities = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(identities) == len(set(identities))
    links = [str(attrs["href"]) for tag, attrs in reader.tags if tag == "a" and "href" in attrs]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(identities)


def test_it_loads_nothing_and_runs_only_its_own_script() -> None:
    html = render_page(page())
    reader = read(html)
    for tag, attrs in reader.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in attrs
        assert not any(name.startswith("on") for name in attrs)
    assert not re.search(r"(?:url\(|@import|//[a-z]+\.)", re.sub(r"<script.*", "", html))
    policy = next(
        str(attrs["content"])
        for tag, attrs in reader.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    script = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_the_verdict_comes_first_and_reads_without_a_script() -> None:
    text = said(render_page(page()))
    assert text.index("FAIL") < text.index("due_date regressed by 0.080")
    assert text.index("due_date regressed") < text.index("Golden set")
    row = text[text.index("due_date text") :]
    for cell in ("0.960", "0.880", "-0.080", "0.02", "REGRESSION"):
        assert cell in row[:300]


@pytest.mark.parametrize(
    ("golden", "word", "lead"),
    [
        ((golden_section(passing()),), "PASS", "No field dropped beyond what was accepted"),
        ((golden_section(refusing()),), "REFUSED", "there is no baseline. Record one."),
        ((), "MEASURED", "measured, not gated"),
    ],
)
def test_every_verdict_has_its_word(golden, word: str, lead: str) -> None:
    text = said(render_page(page(golden=golden)))
    assert f"Evaluation report {word}" in text
    assert lead in text


def test_several_reasons_say_what_is_wrong_and_keep_the_remedy_for_below() -> None:
    model = golden_model()
    reasons = tuple(f"field_{n} regressed by 0.1. Mend the change." for n in range(6))
    several = replace(model, gate=replace(model.gate, reasons=reasons))
    text = said(render_page(page(golden=(golden_section(several),))))
    top = text[: text.index("Sets and model versions")]
    assert "field_3 regressed by 0.1." in top
    assert "Mend the change" not in top
    assert "and 2 more reasons, below" in top


def test_reasons_of_several_model_versions_name_whose_they_are() -> None:
    alone = said(render_page(page(golden=(golden_section(golden_model(), passing()),))))
    assert "invoices: due_date regressed" in alone
    other = golden_model(measured=measured("acme-2026-09-01"))
    both = said(render_page(page(golden=(golden_section(golden_model(), other),))))
    assert "invoices, acme-2026-09-01: due_date regressed" in both
    many = golden_model(measured=measured("acme-2026-10-01"))
    reasons = (*many.gate.reasons, "total regressed by 0.1. Mend the change.")
    many = replace(many, gate=replace(many.gate, reasons=reasons))
    all_three = said(render_page(page(golden=(golden_section(golden_model(), other, many),))))
    top = all_three[: all_three.index("Sets and model versions")]
    assert top.count("due_date regressed") == 3
    assert f", and {len(reasons) - 1} more" in top
    assert "total regressed" not in top


def test_nothing_that_a_document_says_becomes_markup() -> None:
    html = render_page(hostile_page())
    reader = read(html)
    assert reader.unbalanced == []
    plain = read(render_page(page(golden=(golden_section(),))))
    assert {tag for tag, _ in reader.tags} <= {tag for tag, _ in plain.tags}
    assert sum(tag == "script" for tag, _ in reader.tags) == 3
    assert "alert(1)" in " ".join(reader.texts)


def test_nothing_invisible_or_turned_round_reaches_the_page() -> None:
    html = render_page(hostile_page())
    assert not set("\x00\x1b\u202e\u2066\u2028") & set(html)
    for key in ("g1", "c1"):
        texts = json.dumps(rows_of(html, key), ensure_ascii=False)
        assert not set("\x00\x1b\u202e\u2066\u2028") & set(texts)


def test_rows_cannot_end_the_element_that_holds_them() -> None:
    html = render_page(hostile_page())
    for raw in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL):
        assert not set("<>&") & set(raw)
        assert any("alert(1)" in text for text in json.loads(raw)["texts"])


def test_a_line_of_ten_thousand_characters_is_cut_and_says_so() -> None:
    rows = rows_of(render_page(hostile_page()))
    longest = max((text for text in rows["texts"] if "characters)" in text), key=len)
    assert len(longest) < len(BREAKING_OUT)
    assert f"({len(BREAKING_OUT)} characters)" in longest


def test_claim_text_that_the_settings_keep_out_is_kept_out() -> None:
    section = suite_section("A secret of the fixture.", with_claim_text=False)
    html = render_page(page(golden=(), suites=(section,)))
    assert "secret of the fixture" not in html
    assert "keep claim text out" in html
    assert "The coin weighs 1.1 grams." in html


def test_fits_stand_beside_the_diagrams_with_their_counts_and_refusals() -> None:
    text = said(render_page(page(golden=(), suites=(suite_section(),))))
    accepted, refused = (one.fit for one in fits())
    assert f"ACCEPTED T {accepted.parameters['temperature']:.3f} 70 47 right, 70 movable" in text
    assert "2026-08-01, outdated REFUSED" in text
    assert f"{refused.refusal_code}: {refused.refusal}. {refused.remedy}" in text
    assert "3 left out" in text
    assert "fitted on fit-001, held out notes-001; 2 of 2 passes pooled" in text


def test_without_a_fit_the_page_says_what_makes_one() -> None:
    section = suite_section()
    (model,) = section.models
    bare = replace(model, measured=replace(model.measured, fits=()))
    text = said(render_page(page(golden=(), suites=(replace(section, models=(bare,)),))))
    assert "evals calibrate coins --model coin-catalogue@1" in text


def test_a_page_is_the_same_for_the_same_record() -> None:
    assert render_page(page()) == render_page(page())


def test_places_that_were_not_looked_for_are_counted() -> None:
    section = golden_section(replace(golden_model(), n_not_looked_for=12_345))
    assert "12,345 misses are shown without their place" in said(
        render_page(page(golden=(section,)))
    )


def test_an_unknown_price_is_unknown_and_one_of_many_is_counted() -> None:
    text = said(render_page(page(golden=(golden_section(refusing()),))))
    assert "Cost unknown" in text
    assert "With a known price 0" in text

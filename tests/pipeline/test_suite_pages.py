"""What the page shows of a claim suite: curves from stored vectors, and passages of documents."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.passages import passages_of_claims
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.reporting import PageRequest, gather_page
from evals_pipeline.pipeline.threshold_curves import curve_of
from evals_pipeline.report.html import render_page
from evals_pipeline.report.html.page import Side

ARTICLE = """The Marten sank off Skerry Point.

All nine of its crew were rescued by a trawler. The cargo of 400 tonnes of grain was lost.
"""
GOLD = ("The Marten sank off Skerry Point.", "The crew of nine was rescued.", "The grain was lost.")
CLAIMS = (
    "The Marten went down off Skerry Point.",
    "Nine people were rescued.",
    "It was a Tuesday.",
)
# Each text's vector; the cosines between gold and claims are those of the angles below.
ANGLES = {GOLD[0]: 0, CLAIMS[0]: 20, GOLD[1]: 100, CLAIMS[1]: 150, GOLD[2]: 230, CLAIMS[2]: 310}


class Angles:
    """Stands for the packaged encoder: what it would embed is known beforehand."""

    name = make_encoder(None).name

    def encode(self, texts):
        radians = [np.deg2rad(ANGLES[text]) for text in texts]
        return np.array([[np.cos(one), np.sin(one)] for one in radians], dtype=np.float32)


@pytest.fixture
def suite(bills, opened, run):
    """``facts-001`` scored, its vectors stored as if they had been embedded."""
    suite = {
        "suite_id": "facts-001",
        "name": "Facts",
        "version": "1.0.0",
        "domain": "shipping",
        "source_types": ["NOTE"],
        "cases": [
            {
                "case_id": "note-1",
                "source_snapshot": {"content_hash": hashlib.sha256(ARTICLE.encode()).hexdigest()},
                "inline_content": ARTICLE,
                "expected": [
                    {"content": text, "confidence_min": 0.5, "uncertainty_nature": "EPISTEMIC"}
                    for text in GOLD
                ],
            }
        ],
    }
    bills.write("suites/facts-001.yaml", json.dumps(suite))
    claims = [{"content": text, "confidence": 0.9} for text in CLAIMS]
    lines = [{"fixture": "note-1", "run_index": run, "claims": claims} for run in (0, 1)]
    bills.write("suites/teller.jsonl", "\n".join(map(json.dumps, lines)))
    VectorCache(bills.root / "storage" / "vectors", Angles()).vectors(list(ANGLES))
    project = opened()
    run(project, "teller", set_name="facts-001")
    return project


def page_of(project: Project):
    return gather_page(project, PageRequest(cells=(("facts-001", "teller"),)))


def test_the_curve_passes_through_the_figures(suite) -> None:
    (section,) = page_of(suite).suites
    (model,) = section.models
    # cos 20° = 0.940 matches at 0.8; cos 50° = 0.643 would match below it; cos 80° never.
    assert model.figures.metrics["precision"].mean == pytest.approx(1 / 3)
    points = {point.threshold: (point.precision, point.recall) for point in model.curve}
    assert points[0.8] == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert points[0.64] == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert points[0.65] == points[0.8]
    assert points[0.95] == (0, 0)
    assert section.judge == "sentence embeddings at 0.8, matched greedily, guards flag"
    assert "Precision and recall over thresholds" in render_page(page_of(suite))


def test_without_its_vectors_nothing_is_embedded_for_a_drawing(suite) -> None:
    for path in (suite.root / "storage" / "vectors").rglob("*.segment"):
        path.unlink()
    suite_record = suite.suite("facts-001")
    (section,) = page_of(suite).suites
    assert section.models[0].curve == ()
    figures = section.models[0].figures
    assert curve_of(suite, suite_record, figures, suite.settings.judge) == ()


def test_what_did_not_match_is_shown_where_the_document_speaks_of_it(suite) -> None:
    (section,) = page_of(suite).suites
    passages = section.models[0].passages
    missed = passages["note-1", GOLD[1]]
    assert (missed.text, missed.line) == ("All nine of its crew were rescued by a trawler.", 3)
    marked = [missed.text[mark.start : mark.end] for mark in missed.marks]
    assert marked == ["nine", "crew", "rescued"]
    assert {mark.side for mark in missed.marks} == {Side.BOTH}
    assert ("note-1", CLAIMS[2]) not in passages
    assert ("note-1", GOLD[0]) not in passages


def test_fixture_text_that_the_settings_keep_out_is_not_shown(suite, bills, opened) -> None:
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    bills.write(
        "pyproject.toml", settings.replace("runs = 2", "runs = 2\nrecord_claim_text = false")
    )
    (section,) = page_of(opened()).suites
    assert section.models[0].passages == {}
    html = render_page(page_of(opened()))
    assert CLAIMS[1] not in html
    assert "trawler" not in html


def test_words_that_stand_everywhere_tell_nothing(suite) -> None:
    figures = page_of(suite).suites[0].models[0].figures
    text = "".join(f"The ship number {n} left the harbour.\n" for n in range(1, 12))
    record = suite.suite("facts-001")
    case = record.cases[0]
    content = (text + "The nine of the crew were rescued.").encode()
    fixture = replace(
        case.fixture, inline=content, sha256=hashlib.sha256(content).hexdigest(), path=None
    )
    other = replace(record, cases=(replace(case, fixture=fixture),))
    found = passages_of_claims(other, figures)["note-1", GOLD[1]]
    assert [found.text[mark.start : mark.end] for mark in found.marks] == [
        "nine",
        "crew",
        "rescued",
    ]

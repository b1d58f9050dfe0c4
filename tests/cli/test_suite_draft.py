import json
import shutil
from pathlib import Path

import pytest

from evals_pipeline.extract.coins import CoinCatalogueExtractor
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.pipeline.documents import source_document
from evals_pipeline.sets.suites import load_suite

REPOSITORY = Path(__file__).parents[2]
SETTINGS = """
[tool.evals.models."coin-catalogue@1"]
provider = "code"

[tool.evals.models.asked]
provider = "openai"
model = "asked-2026-01-01"
base_url = "http://127.0.0.1:9/v1"

[tool.evals.extractors.general]
prompt = "general.md"
"""
PAGE = ' A ship sank.\n\tIt was "old": very old.\n\n'
CLAIMS = [
    {"content": 'It was "old": # no\nNO', "confidence": 0.62, "subjects": ["The Ship"]},
    {"content": "A ship sank.", "confidence": 0.93},
    {"content": "A ship sank.", "confidence": 0.5},
    {"content": "\x07bell\u2028end", "confidence": "high"},
]


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    root = tmp_path / "project"
    for name in ("coin-norway-krone-1925", "coin-athens-tetradrachm"):
        place = Path("suites/fixtures") / name
        shutil.copytree(REPOSITORY / place, root / place)
    (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    prompt = "---\noutput: claims\n---\nState the facts.\n{{ document }}\n"
    (root / "general.md").write_text(prompt, encoding="utf-8")
    monkeypatch.chdir(root)
    for name in ("EVALS_PROJECT", "EVALS_RUNS"):
        monkeypatch.delenv(name, raising=False)
    return root


def predictions(root, claims=CLAIMS) -> str:
    path = root.parent / "told.jsonl"
    line = {"fixture": "page", "run_index": 0, "claims": claims}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return str(path)


def page(root, text=PAGE) -> str:
    path = root.parent / "page.html"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_draft_says_what_the_extractor_said_and_what_to_do_about_it(root, evals):
    called = evals("suite", "draft", "coin-catalogue", "coin-norway-krone-1925")
    assert called.status == 0, called.err
    path = root / "suites" / "coin-catalogue-draft-001.yaml"
    suite = load_suite(path, fixtures_dirs=[root / "suites" / "fixtures"])
    assert suite.source_types == ("NUMISTA_API_COIN",)
    (case,) = suite.cases
    document = source_document(case.fixture)
    extraction = run_code_extractor(CoinCatalogueExtractor(), document, run_index=0)
    stated = {claim.content: claim.confidence for claim in extraction.claims}
    assert len(stated) > 5
    assert {one.content: one.confidence_min for one in case.expected} == stated
    assert all(one.required == (one.confidence_min >= 0.9) for one in case.expected)
    text = path.read_text(encoding="utf-8")
    for word in (
        "no gold yet",
        "required",
        "precision",
        "confidence_min",
        "Subjects",
        "evals bench",
    ):
        assert word in text
    assert "ATTENTION" not in text


def test_a_file_becomes_inline_content_letter_by_letter(root, evals):
    called = evals("suite", "draft", "general", page(root), "--predictions", predictions(root))
    assert called.status == 0, called.err
    suite = load_suite(root / "suites" / "general-draft-001.yaml", fixtures_dirs=[])
    (case,) = suite.cases
    assert case.fixture.inline == PAGE.encode()
    assert suite.source_types == ("WEB_PAGE",)
    found = [(one.content, one.confidence_min, one.required) for one in case.expected]
    assert found == [
        ('It was "old": # no\nNO', 0.62, False),
        ("A ship sank.", 0.93, True),
        ("\x07bell\u2028end", 0.0, False),
    ]
    text = (root / "suites" / "general-draft-001.yaml").read_text(encoding="utf-8")
    assert "# subjects: The Ship" in text
    assert "# none was stated" in text


def test_the_surest_claim_is_required_where_none_is_sure(root, evals):
    told = predictions(root, [{"content": "a", "confidence": 0.3}, {"content": "b"}])
    evals("suite", "draft", "general", page(root), "--predictions", told)
    suite = load_suite(root / "suites" / "general-draft-001.yaml", fixtures_dirs=[])
    assert [one.required for one in suite.cases[0].expected] == [True, False]


def test_a_suite_that_is_there_is_not_replaced(root, evals):
    first = evals("suite", "draft", "coin-catalogue", "coin-athens-tetradrachm", "--suite-id", "x")
    assert first.status == 0
    before = (root / "suites" / "x.yaml").read_bytes()
    taken = evals("suite", "draft", "coin-catalogue", "coin-norway-krone-1925", "--suite-id", "x")
    again = evals(
        "suite", "draft", "coin-catalogue", "coin-norway-krone-1925", "--output", "suites/x.yaml"
    )
    assert (taken.status, again.status) == (2, 2)
    assert "another set" in taken.err
    assert "exists already" in again.err
    assert (root / "suites" / "x.yaml").read_bytes() == before
    # Without an id the next free one is taken.
    evals("suite", "draft", "coin-catalogue", "coin-norway-krone-1925")
    evals("suite", "draft", "coin-catalogue", "coin-norway-krone-1925")
    assert (root / "suites" / "coin-catalogue-draft-002.yaml").is_file()


def test_another_extractors_types_are_pointed_out(root, evals):
    told = predictions(root)
    called = evals(
        "suite",
        "draft",
        "general",
        page(root),
        "--predictions",
        told,
        "--source-type",
        "NUMISTA_API_COIN",
    )
    assert called.status == 0
    text = (root / "suites" / "general-draft-001.yaml").read_text(encoding="utf-8")
    assert "ATTENTION: routing gives NUMISTA_API_COIN to coin-catalogue" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("coin-catalog", "coin-norway-krone-1925"), 'Did you mean "coin-catalogue"'),
        (("coin-catalogue", "coin-norway"), 'Did you mean "coin-norway-krone-1925"'),
        (("coin-catalogue", "coin-norway-krone-1925", "coin-norway-krone-1925"), "named twice"),
        (("general", "coin-norway-krone-1925"), "--model, or give its outputs"),
        (("coin-catalogue", "coin-norway-krone-1925", "--model", "asked"), "does not run as"),
        (("coin-catalogue", "../page.html"), "nothing was drafted. page: declined"),
        (("coin-catalogue", "coin-norway-krone-1925", "--suite-id", "No Id"), "suite_id"),
    ],
)
def test_what_cannot_be_drafted_is_told_and_nothing_is_written(arguments, reason, root, evals):
    page(root)
    called = evals("suite", "draft", *arguments)
    assert called.status == 2
    assert reason in called.err
    assert list((root / "suites").glob("*.yaml")) == []


def test_a_model_is_asked_only_after_its_cost_was_said(root, evals):
    called = evals("suite", "draft", "general", page(root), "--model", "asked", "--estimate")
    assert called.status == 0, called.err
    assert "estimate: 1 call " in called.err
    assert list((root / "suites").glob("*.yaml")) == []


def test_a_file_that_identifies_people_is_refused(root, evals):
    told = predictions(root)
    path = page(root, "<p>Mail ada.hope@quay.example</p>")
    refused = evals("suite", "draft", "general", path, "--predictions", told)
    assert refused.status == 2
    assert "holds EMAIL 1" in refused.err
    declared = evals("suite", "draft", "general", path, "--predictions", told, "--already-masked")
    assert declared.status == 0

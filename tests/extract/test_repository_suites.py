"""The suites of this repository against the extractor they were written for."""

from pathlib import Path

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.extract.coins import CoinCatalogueExtractor
from evals_pipeline.extract.conformance import conformance_report, contract_of
from evals_pipeline.extract.predictions import PredictionFile
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.extract.registry import code_extractors
from evals_pipeline.extract.routing import owner_of
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.sets.content import read_content
from evals_pipeline.sets.fixtures import load_fixture
from evals_pipeline.sets.suites import load_suite

SUITES = Path(__file__).parents[2] / "suites"
FIXTURES = SUITES / "fixtures"


def load(name):
    path = SUITES / name
    return load_suite(
        path, fixtures_dirs=[FIXTURES], is_calibration=path.parent.name == "calibration"
    )


def extracted(fixture):
    document = SourceDocument(
        fixture_id=fixture.fixture_id,
        name=fixture.name,
        source_type=fixture.source_type,
        media_type=fixture.media_type,
        content=read_content(fixture),
        text=None,
    )
    return run_code_extractor(CoinCatalogueExtractor(), document, run_index=0)


def named_and_emitted(suite):
    """Pairs of case and content: what the gold names, what the extractor states."""
    named = {(case.case_id, gold.content) for case in suite.cases for gold in case.expected}
    emitted = {
        (case.case_id, claim.content)
        for case in suite.cases
        for claim in extracted(case.fixture).claims
    }
    return named, emitted


@pytest.mark.parametrize(
    "name",
    [
        "coin-catalogue-001.yaml",
        "prose-articles-001.yaml",
        "calibration/coin-catalogue-calibration-001.yaml",
        "calibration/prose-calibration-001.yaml",
    ],
)
def test_every_suite_loads_without_a_warning(name):
    assert load(name).warnings == ()


def test_coin_suites_belong_to_the_coin_extractor_and_prose_to_no_code():
    extractors = code_extractors()

    assert owner_of(load("coin-catalogue-001.yaml").source_types, extractors) == ("coin-catalogue",)
    assert owner_of(load("prose-articles-001.yaml").source_types, extractors) == ()


def test_the_coin_suite_names_all_but_one_of_what_is_emitted():
    named, emitted = named_and_emitted(load("coin-catalogue-001.yaml"))

    # Of 72 emissions one is left out and four are reworded; two gold claims are never emitted.
    assert len(emitted) == 72
    assert len(emitted - named) == 1 + 4
    assert len(named - emitted) == 2 + 4


def test_no_emission_of_the_coin_suite_is_stated_below_its_floor():
    for case in load("coin-catalogue-001.yaml").cases:
        stated = {claim.content: claim.confidence for claim in extracted(case.fixture).claims}
        for gold in case.expected:
            assert stated.get(gold.content, 1.0) >= gold.confidence_min


def test_the_calibration_suite_names_two_thirds_to_three_quarters_of_what_is_emitted():
    named, emitted = named_and_emitted(load("calibration/coin-catalogue-calibration-001.yaml"))

    assert named <= emitted
    assert 2 / 3 <= len(named) / len(emitted) <= 3 / 4


def test_the_coin_extractor_conforms_on_the_fixtures():
    fixtures = [load_fixture(folder) for folder in sorted(FIXTURES.iterdir())]
    cases = {case.case_id: case for case in load("coin-catalogue-001.yaml").cases}
    report = conformance_report(
        contract_of(CoinCatalogueExtractor()),
        [extracted(cases[fixture.fixture_id].fixture) for fixture in fixtures],
        acceptors={fixture.fixture_id: fixture.expected_acceptors for fixture in fixtures},
        corpus_hash="0" * 64,
    )

    assert report.is_conformant
    assert {share.name: share.filled for share in report.properties if share.filled < 6} == {
        # the sparse record has none of these
        "weight_g": 5,
        "edge": 5,
        "mint": 5,
    }


@pytest.mark.parametrize(
    ("suite", "predictions"),
    [
        ("prose-articles-001.yaml", "prose-constructed-2026-11.jsonl"),
        (
            "calibration/prose-calibration-001.yaml",
            "prose-constructed-2026-11.calibration.jsonl",
        ),
    ],
)
def test_the_constructed_predictions_answer_every_article_in_three_runs(suite, predictions):
    fixtures = [case.fixture for case in load(suite).cases]
    file = PredictionFile.open(SUITES / "predictions" / predictions)
    bound = file.bind(fixtures, output=OutputKind.CLAIMS)

    assert file.models() == ("prose-constructed-2026-11",)
    assert bound.runs() == (0, 1, 2)
    for run_index in bound.runs():
        for fixture in fixtures:
            extraction = bound.extraction(fixture, run_index)
            assert extraction.status is ExtractionStatus.OK
            assert len(extraction.claims) > 10
            assert all(claim.confidence is not None for claim in extraction.claims)

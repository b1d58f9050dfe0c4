"""Schemas and loaders of suites and golden sets; ingestion, redaction and labelling."""

from evals_pipeline.sets.content import read_content
from evals_pipeline.sets.corpus import FaultyFixture, FixtureCorpus, load_corpus
from evals_pipeline.sets.fixtures import SuiteFixture
from evals_pipeline.sets.golden import (
    SetOutline,
    discover_golden_sets,
    load_golden_set,
    read_outline,
)
from evals_pipeline.sets.golden_survey import GoldenSurvey
from evals_pipeline.sets.suite_ids import stated_suite_id
from evals_pipeline.sets.suites import (
    SuiteDiscovery,
    corpus_digest,
    discover_calibration_suites,
    discover_claim_suites,
    discover_suites,
    load_suite,
)
from evals_pipeline.sets.text import check_pdf_opens, text_of
from evals_pipeline.sets.tree import TreeCheck, validate_path, validate_tree

__all__ = [
    "FaultyFixture",
    "FixtureCorpus",
    "GoldenSurvey",
    "SetOutline",
    "SuiteDiscovery",
    "SuiteFixture",
    "TreeCheck",
    "check_pdf_opens",
    "corpus_digest",
    "discover_calibration_suites",
    "discover_claim_suites",
    "discover_golden_sets",
    "discover_suites",
    "load_corpus",
    "load_golden_set",
    "load_suite",
    "read_content",
    "read_outline",
    "stated_suite_id",
    "text_of",
    "validate_path",
    "validate_tree",
]

"""Suites of the harnesses beside claim suites: modality, polarity and validity of claims."""

from evals_pipeline.sets.harnesses.load import (
    HarnessDiscovery,
    discover_harness_suites,
    load_harness_suite,
)

__all__ = ["HarnessDiscovery", "discover_harness_suites", "load_harness_suite"]

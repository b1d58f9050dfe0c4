"""The code extractors that are installed."""

import pytest

from evals_pipeline.core.errors import SetupError
from evals_pipeline.extract import registry
from tests.extract.fakes import FakeExtractor


def test_the_packages_own_extractors_come_first_under_their_entry_points_names():
    ids = [extractor.extractor_id for extractor in registry.code_extractors()]

    assert ids[:2] == ["coin-catalogue", "invoice-rules"]


def test_a_plugin_that_cannot_be_made_says_so():
    def broken():
        raise OSError("no licence")

    with pytest.raises(SetupError, match="takes no arguments"):
        registry.made("broken", broken)


def test_a_plugin_under_another_name_is_refused():
    with pytest.raises(SetupError, match="Make the two equal"):
        registry.made("other", lambda: FakeExtractor("fake"))


def test_a_plugin_that_is_no_extractor_is_refused():
    with pytest.raises(SetupError, match="lacks a member"):
        registry.made("thing", dict)

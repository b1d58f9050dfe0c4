from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.run_records import FieldMatch, JudgedCase
from evals_pipeline.store.tables import FIELD_MATCHES
from tests.records import values_of
from tests.store import samples
from tests.store.samples import rows
from tests.store.settings import FEW


@FEW
@given(cases=st.lists(values_of(JudgedCase), max_size=2).map(tuple))
def test_judged_cases_read_back_equal(store, key, digests, stamp, cases):
    store.write_judged_cases(key, cases, digests, stamp)
    assert store.read_judged_cases(key).cases == cases


@FEW
@given(matches=st.lists(values_of(FieldMatch), max_size=3))
def test_field_matches_read_back_equal(store, key, digests, stamp, matches):
    matches = [match._replace(run_index=key.run_index) for match in matches]
    store.write_field_matches(key, iter(matches), digests, stamp)
    assert list(store.iter_field_matches(key)) == matches


def test_matches_lead_back_to_the_answer(store, key, digests, stamp):
    provenance = {"a": samples.PROVENANCE}
    store.write_field_matches(key, [samples.match()], digests, stamp, provenance=provenance)
    store.write_judged_cases(key, [samples.case()], digests, stamp, provenance=provenance)
    sql = "SELECT DISTINCT extractor, answer_key FROM "
    assert rows(store, sql + "field_matches") == [("general", "a" * 64)]
    assert rows(store, sql + "claim_matches") == [("general", "a" * 64)]
    sql = "SELECT side, position, outcome, matched_position FROM claim_matches ORDER BY ALL"
    assert rows(store, sql) == [
        ("claim", 0, "matched", 0),
        ("gold", 0, "matched", 0),
        ("gold", 1, "missed", None),
    ]


def test_every_attribute_of_a_field_match_has_its_column():
    columns = {column.name for column in FIELD_MATCHES.all_columns}
    assert set(FieldMatch._fields) <= columns


def test_rows_of_other_inputs_than_expected_are_refused(store, key, digests, stamp):
    store.write_field_matches(key, [samples.match()], digests, stamp)
    assert list(store.iter_field_matches(key, expected=digests)) == [samples.match()]
    with pytest.raises(RefusedError, match="made anew from other inputs"):
        list(store.iter_field_matches(key, expected=replace(digests, prompt="p2")))

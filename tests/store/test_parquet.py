from dataclasses import replace

import pytest

from evals_pipeline.core import run_records
from evals_pipeline.core.errors import EvalsError, RefusedError
from evals_pipeline.core.figures import (
    CalibrationFigures,
    ClaimFigures,
)
from evals_pipeline.core.outcomes import Presence
from evals_pipeline.core.run_records import InputDigests, RunStamp, StatusCounts
from tests.store import samples


def claim_figures(**changes) -> ClaimFigures:
    calibration = CalibrationFigures(ece=None, n=0, n_left_out=0, bins=(), reason="no pairs")
    values = {
        "set_name": "s", "model_version": "m", "run_indices": (0,), "metrics": {}, "counts": {},
        "statuses": StatusCounts(planned=0, ok=0), "calibration": calibration,
        "calibration_semantic": calibration, "cases": (),
    }  # fmt: skip
    return ClaimFigures(**(values | changes))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_nan_reaches_a_table(store, key, digests, stamp, number):
    store.write_field_matches(key, [samples.match("before")], digests, stamp)
    with pytest.raises(RefusedError, match=r"field_matches\.confidence"):
        store.write_field_matches(key, [samples.match(confidence=number)], digests, stamp)
    assert [match.fixture_id for match in store.iter_field_matches(key)] == ["before"]
    ece = CalibrationFigures(ece=number, n=1, n_left_out=0, bins=())
    with pytest.raises(RefusedError, match=r"metrics\.value"):
        store.write_metrics(claim_figures(calibration=ece), digests, stamp)
    value = run_records.FieldValue(value=[number], presence=Presence.VALUE)
    with pytest.raises(RefusedError, match="JSON"):
        store.write_extractions(key, [samples.extraction(fields={"x": value})], {}, digests, stamp)
    assert store.read_extractions(key) is None


def test_half_a_character_is_refused(store, key, digests, stamp):
    with pytest.raises(RefusedError, match=r"field_matches\.want"):
        store.write_field_matches(key, [samples.match(want="\ud800")], digests, stamp)


def test_an_error_of_the_rows_own_maker_comes_out_as_it_was(store, key, digests, stamp):
    def judged():
        yield samples.match()
        raise EvalsError("the judge is gone")

    with pytest.raises(EvalsError, match=r"^the judge is gone$"):
        store.write_field_matches(key, judged(), digests, stamp)
    assert store.header("field_matches", key) is None
    assert not list(store.root.rglob("*.tmp"))


def test_a_moment_without_a_zone_is_refused(store, key, digests, stamp):
    naive = replace(stamp, at=stamp.at.replace(tzinfo=None))
    with pytest.raises(RefusedError, match="no time zone"):
        store.write_extractions(key, [], {}, digests, naive)


def test_the_stamp_and_the_digests_can_be_read_without_the_rows(store, key, digests, stamp):
    store.write_extractions(key, [samples.extraction()], {}, digests, stamp)
    header = store.header("extractions", key)
    assert (header.digests, header.stamp, header.n_rows) == (digests, stamp, 1)
    assert isinstance(header.digests, InputDigests)
    assert isinstance(header.stamp, RunStamp)

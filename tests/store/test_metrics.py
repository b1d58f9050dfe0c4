from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from evals_pipeline.core.figures import (
    ClaimFigures,
    DocumentTally,
    FieldFigures,
    Miss,
    SetFigures,
)
from evals_pipeline.core.harness_records import HarnessFigures
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import StatusCounts
from tests.records import values_of
from tests.store.samples import rows
from tests.store.settings import FEW


@FEW
@given(
    figures=values_of(SetFigures) | values_of(ClaimFigures), names=st.tuples(*[values_of(str)] * 2)
)
def test_figures_read_back_equal(store, digests, stamp, figures, names):
    figures = replace(figures, set_name=f"s{names[0]}".replace("\0", ""), model_version="m")
    store.write_metrics(figures, digests, stamp)
    stored = store.read_figures(figures.set_name, "m")
    assert (stored.record, stored.digests, stored.stamp) == (figures, digests, stamp)


def test_long_parts_of_a_record_keep_their_order(store, digests, stamp):
    tallies = tuple(
        DocumentTally(fixture_id=str(i), document="d", correct=1, n=1, gold_digest="g")
        for i in range(4_500)
    )
    misses = (
        Miss(
            fixture_id="1", document="d", run_index=0, want="x", got=None,
            outcome=FieldOutcome.MISSED,
        ),
    )  # fmt: skip
    fields = tuple(
        FieldFigures(
            field=name, kind="text", weight=Decimal(1), n=1, correct=0, accuracy=0.0, ci_low=0.0,
            ci_high=0.5, value_recall=None, invention_rate=None, disagreement=None,
            is_unstable=False, outcomes={FieldOutcome.MISSED: 1}, misses=misses,
            documents=tallies, accuracy_by_run=(0.0, None),
        )
        for name in ("b", "a")
    )  # fmt: skip
    figures = SetFigures(
        set_name="s", model_version="m", run_indices=(0, 1), fields=fields, slices=(),
        statuses=StatusCounts(planned=2, ok=1, error=1), n=2, correct=0,
    )  # fmt: skip
    store.write_metrics(figures, digests, stamp, n_runs_expected=3)
    assert store.read_figures("s", "m").record == figures
    sql = "SELECT value, reason, count, n, n_runs_used, n_runs_expected FROM metrics WHERE "
    assert rows(store, sql + "field = 'a' AND metric = 'accuracy'") == [(0.0, None, 0, 1, 2, 3)]
    assert rows(store, sql + "field = 'a' AND metric = 'value_recall'") == [
        (None, "no document has a labelled value", None, 0, 2, 3)
    ]
    assert rows(store, sql + "metric = 'status.error'") == [(0.5, None, 1, 2, 2, 3)]


@FEW
@given(
    figures=values_of(HarnessFigures), resolved=values_of(ResolutionFigures), name=values_of(str)
)
def test_figures_beside_the_grid_read_back_equal(store, digests, stamp, figures, resolved, name):
    name = f"s{name}".replace("\0", "")
    figures = replace(figures, set_name=name, model_version="m")
    store.write_harness(figures, digests, stamp)
    stored = store.read_harness(name, "m")
    assert (stored.record, stored.digests, stored.stamp) == (figures, digests, stamp)
    resolved = replace(resolved, set_name=name)
    store.write_resolution(resolved, digests, stamp)
    assert store.read_resolution(name).record == resolved
    assert store.read_figures(name, "m") is None

"""Harness figures and subject resolution as they are stored, and when they are made again."""

from dataclasses import replace

import pytest

from evals_pipeline.core.errors import RefusedError, UnknownNameError
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.run_scope import plan_beside, run_scope
from evals_pipeline.pipeline.stored_harnesses import (
    Beside,
    harness_cell,
    harness_digests,
    harness_suite,
    measure_harness,
    needs_measuring,
    select_harness_cells,
    stored_harness,
)
from evals_pipeline.pipeline.stored_resolution import (
    measure_resolution,
    needs_resolving,
    resolution_digests,
)
from tests.judge.fakes import WordEncoder
from tests.pipeline.harness_project import POLARITY, predict, with_records, with_subjects
from tests.pipeline.tellers import STAMP, Tellers


@pytest.fixture
def tellers(tmp_path):
    """A polarity suite that ``teller`` answers, its texts embedded beforehand."""
    made = Tellers(tmp_path).make()
    with_records(made)
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = ["Paper tickets are kept.", "Ticket machines are used."]
    VectorCache(made.root / "storage" / "vectors", encoder).vectors(texts)
    return made


def cell_of(tellers, **environ):
    project = tellers.open(**environ)
    return project, harness_cell(project, "records-001", "teller")


def measured(tellers):
    project, cell = cell_of(tellers)
    return measure_harness(project, cell, stamp=STAMP)


def test_what_is_measured_reads_back_equal_with_its_rows(tellers):
    figures = measured(tellers)
    # Of two labels, one ASSERTED, in two runs; run 1 says of it that it is DECLINED.
    [rate] = [one for one in figures.rates if one.name == "wrong_declined_rate"]
    assert (rate.figure.mean, rate.count, rate.n) == (0.5, 1, 2)
    project, cell = cell_of(tellers)
    assert stored_harness(project, cell).figures == figures
    with project.store.connect() as connection:
        rows = connection.execute(
            "SELECT metric, value, count, n FROM metrics WHERE metric IN "
            "('wrong_declined_rate', 'confusion.ASSERTED.DECLINED', 'aligned', 'status.ok') "
            "ORDER BY metric"
        ).fetchall()
    assert rows == [
        ("aligned", 1.0, 4, 4),
        ("confusion.ASSERTED.DECLINED", 1.0, 1, None),
        ("status.ok", 1.0, 2, 2),
        ("wrong_declined_rate", 0.5, 1, 2),
    ]


def test_figures_are_of_today_until_a_label_an_answer_or_a_setting_changes(tellers):
    assert needs_measuring(*cell_of(tellers))
    measured(tellers)
    assert not needs_measuring(*cell_of(tellers))
    # One run less, another judge, another answer, another label: each by itself.
    assert stored_harness(*cell_of(tellers, EVALS_RUNS="1")).outdated == ("runs",)
    assert stored_harness(*cell_of(tellers, EVALS_JUDGE_LOW="0.7")).outdated == ("judge settings",)
    predict(tellers, "DECLINED", "DECLINED")
    assert stored_harness(*cell_of(tellers)).outdated == ("extractor or its parameters",)
    predict(tellers, "ASSERTED", "DECLINED")
    tellers.write("suites/polarity/records-001.yaml", f"# corrected\n{POLARITY}")
    assert stored_harness(*cell_of(tellers)).outdated == ("labels or gold claims",)
    tellers.write("suites/polarity/records-001.yaml", POLARITY.replace("We keep", "They keep"))
    assert "documents" in stored_harness(*cell_of(tellers)).outdated


def test_an_answer_that_failed_is_asked_for_again(tellers):
    project, _ = cell_of(tellers)
    cell = harness_cell(project, "records-001", "asked@1")
    figures = measured(tellers)
    statuses = replace(figures.statuses, ok=1, error=1)
    for counts, needed in ((figures.statuses, False), (statuses, True)):
        kept = replace(figures, model_version="asked@1", statuses=counts)
        project.store.write_harness(kept, harness_digests(project, cell), STAMP)
        assert needs_measuring(project, cell) is needed


def test_a_damaged_file_is_made_again(tellers):
    measured(tellers)
    for path in (tellers.root / "storage" / "tables" / "records").rglob("part=harness/*.parquet"):
        path.write_bytes(b"no parquet")
    assert needs_measuring(*cell_of(tellers))


def test_names_that_mean_nothing_are_refused(tellers):
    project, _ = cell_of(tellers)
    with pytest.raises(UnknownNameError, match="Did you mean"):
        harness_suite(project, "record-001")
    with pytest.raises(RefusedError, match=r"those that can: teller, asked@1"):
        harness_cell(project, "records-001", "coin-catalogue@1")
    with pytest.raises(RefusedError, match="coin-catalogue@1 cannot answer"):
        select_harness_cells(project, ["records-001"], ["coin-catalogue@1"])


def test_a_run_selects_harness_suites_by_name_and_with_all(tellers):
    project, _ = cell_of(tellers)
    named = run_scope(project, ["records-001"], ["teller"])
    assert (named.cells, named.resolved) == ((), ())
    assert [one.model_version for one in named.harnesses] == ["teller"]
    everything = run_scope(project, (), ())
    assert [one.model_version for one in everything.harnesses] == ["teller", "asked@1"]
    assert ("facts-001", "teller") in everything.cells
    assert plan_beside(project, named).todo == (
        Beside(set_name="records-001", model_version="teller"),
    )
    asked = plan_beside(project, run_scope(project, ["records-001"], ["asked@1"]))
    assert [one.calls for one in asked.estimates] == [2]
    measured(tellers)
    assert plan_beside(project, named).todo == ()
    with pytest.raises(UnknownNameError):
        run_scope(project, ["record-001"], ())


def test_subjects_are_resolved_once_and_again_when_the_authority_file_changes(tellers):
    with_subjects(tellers)
    project = tellers.open()
    scope = run_scope(project, ["facts-001"], ())
    assert scope.resolved == ("facts-001",)
    assert run_scope(project, ["facts-001"], ["teller"]).resolved == ()
    assert Beside(set_name="facts-001") in plan_beside(project, scope).todo
    figures = measure_resolution(project, "facts-001", stamp=STAMP)
    # Turin has a reference and none is found; the ship has none, and none is found.
    assert (figures.accuracy, figures.wrong_ref, figures.bare_local) == (0.5, 0.0, 0.5)
    assert project.store.read_resolution("facts-001").record == figures
    assert not needs_resolving(tellers.open(), "facts-001")
    tellers.write("suites/subjects/authority.yaml", "entries: []\n")
    assert needs_resolving(tellers.open(), "facts-001")


def test_an_outage_is_asked_about_again(tellers):
    with_subjects(tellers)
    project = tellers.open()
    figures = measure_resolution(project, "facts-001", stamp=STAMP)
    short = replace(figures, n_outages=1, n_resolved=1)
    project.store.write_resolution(short, resolution_digests(project, "facts-001"), STAMP)
    assert needs_resolving(project, "facts-001")


def test_a_project_of_harness_suites_alone_runs_them(tellers):
    for path in (*tellers.root.glob("suites/*.yaml"), *tellers.root.glob("suites/cal*/*.yaml")):
        path.unlink()
    scope = run_scope(tellers.open(), (), ["teller"])
    assert scope.cells == ()
    assert [one.suite.suite_id for one in scope.harnesses] == ["records-001"]

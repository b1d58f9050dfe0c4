"""What the page shows of a real project: figures, gates, places, prompt, history, costs."""

import json

import pytest

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.outcomes import FieldOutcome, GateVerdict
from evals_pipeline.pipeline.baselines import record_baseline
from evals_pipeline.pipeline.places import places_of_misses
from evals_pipeline.pipeline.prompt_changes import difference
from evals_pipeline.pipeline.reporting import PageRequest, gather_page, report_cells
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.html import render_page
from evals_pipeline.report.html.page import DiffKind, Side


def page_of(project, *sets, models=(), **request):
    cells = report_cells(project, sets or project.set_names(), models)
    return gather_page(project, PageRequest(cells=cells, **request))


def test_everything_that_is_scored_and_what_is_not(bills, opened, run) -> None:
    project = opened()
    for model in ("steady", "hasty"):
        run(project, model)
    told = []
    cells = report_cells(project, project.set_names(), ())
    page = gather_page(project, PageRequest(cells=cells), on_cell=told.append)
    (section,) = page.golden
    assert told[0] == "bills, steady"
    assert section.n_documents == 3
    assert [model.measured.model_version for model in section.models] == ["steady", "hasty"]
    assert [(one.model_version, one.reason) for one in section.unmeasured] == [
        ("asked@1", 'Run "evals run bills --model asked@1".')
    ]
    assert page.suites[0].models == ()
    assert page.verdict is GateVerdict.FAIL
    hasty = section.models[1]
    assert hasty.gate.baseline_source == "steady, its figures of today"
    assert hasty.tolerances == {"number": "0", "due": "0"}
    assert hasty.measured.cost.n_answers == 6
    assert "predictions file" in (hasty.measured.change.note or "")
    assert json.dumps(bills.root.name) in json.dumps(page.project)
    assert "<h1" in render_page(page)


def test_a_miss_is_shown_in_its_document(bills, opened, run) -> None:
    bills.predict("hasty", {"A-2": None, "A-3": "A-3"})
    project = opened()
    run(project, "hasty")
    (section,) = page_of(project, "bills", models=("hasty",)).golden
    places = section.models[0].places
    by_got = {key[3]: excerpts for key, excerpts in places.items()}
    (missed,) = by_got[None]
    assert (missed.text, missed.line) == ("Bill A-2\nDue 1 May 2026", 1)
    ((mark),) = missed.marks
    assert (missed.text[mark.start : mark.end], mark.side) == ("1 May 2026", Side.WANT)
    outcomes = {miss.outcome for one in section.models[0].figures.fields for miss in one.misses}
    assert FieldOutcome.UNREADABLE in outcomes


def test_beyond_a_limit_places_are_counted_and_not_looked_for(opened, run) -> None:
    project = opened()
    run(project, "hasty")
    stored = project.store.read_figures("bills", "hasty")
    assert stored is not None
    found = places_of_misses(project.golden_set("bills"), stored.record, limit=0)
    # One document's due date is wrong, in the same way in both runs.
    assert (found.places, found.n_not_looked_for) == ({}, 1)


def test_a_prompt_that_changed_is_shown_against_the_baselines(
    bills, opened, run, model_server
) -> None:
    project = opened(OPENAI_API_KEY="none")
    run(project, "asked@1")
    record_baseline(project, "bills", "asked@1", stamp=make_stamp(project.root))
    bills.commit("Start")
    bills.prompt.write_text(bills.prompt.read_text() + "Never guess.\n", encoding="utf-8")
    changed = opened(OPENAI_API_KEY="none")
    run(changed, "asked@1")
    (section,) = page_of(changed, "bills", models=("asked@1",)).golden
    change = section.models[0].measured.change
    assert change.path == "golden/bills/prompt.md"
    assert "HEAD, the change is not committed" in (change.before or "")
    assert [line.text for line in change.lines if line.kind is DiffKind.ADDED] == ["Never guess."]
    assert not [line for line in change.lines if line.kind is DiffKind.REMOVED]
    history = section.models[0].history
    assert [point.subject for point in history] == ["Start", "figures of today"]
    assert history[0].shares == {"number": 1.0, "due": 1.0}
    cost = section.models[0].measured.cost
    assert (cost.n_metered, cost.n_priced, cost.provider_models) == (6, 0, ("asked-2026-01-01",))
    assert cost.input_tokens == 600


def test_a_prompt_gated_against_another_version_is_compared_with_that_ones(
    bills, opened, run, model_server
) -> None:
    bills.write("golden/bills/short.md", "---\noutput: fields\n---\n{{ document }}\n")
    settings = (bills.root / "pyproject.toml").read_text(encoding="utf-8")
    server = next(line for line in settings.splitlines() if line.startswith("base_url"))
    bills.write(
        "pyproject.toml",
        f'{settings}\n[tool.evals.models."asked@2"]\nprovider = "openai"\n{server}\n'
        'model = "asked-2026-01-01"\nsets = ["bills"]\nagainst = "asked@1"\n'
        'prompts = {bills = "golden/bills/short.md"}\n',
    )
    project = opened(OPENAI_API_KEY="none")
    for model in ("asked@1", "asked@2"):
        run(project, model)
    (section,) = page_of(project, "bills", models=("asked@2",)).golden
    change = section.models[0].measured.change
    assert (change.path, change.before) == ("golden/bills/short.md", "asked@1")
    assert [line.text for line in change.lines if line.kind is DiffKind.REMOVED] == [
        "Read the bill.",
        "",
    ]


def test_figures_of_other_files_are_shown_as_out_of_date(bills, opened, run) -> None:
    run(opened(), "steady")
    bills.label("A-1", due="2026-05-02")
    (section,) = page_of(opened(), "bills", models=("steady",)).golden
    model = section.models[0]
    assert "labels or gold claims" in model.measured.outdated
    assert model.gate.verdict is GateVerdict.REFUSED


def test_nothing_to_show_is_refused_with_what_makes_something(opened) -> None:
    with pytest.raises(RefusedError, match="evals run bills facts-001"):
        page_of(opened())
    with pytest.raises(RefusedError, match="selected 0"):
        gather_page(opened(), PageRequest(cells=()))


def test_a_set_that_does_not_load_is_named_beside_the_others(bills, opened, run) -> None:
    run(opened(), "steady")
    bills.write("golden/broken/set.yaml", "set: broken\nfields: 3\n")
    project = opened()
    cells = (*report_cells(project, ("bills",), ("steady",)), ("broken", "steady"))
    page = gather_page(project, PageRequest(cells=cells))
    assert page.failures
    assert "broken" in page.failures[0]
    assert len(page.golden) == 1


def test_outside_git_there_is_no_earlier_prompt(bills, opened, run, model_server) -> None:
    project = opened(OPENAI_API_KEY="none")
    run(project, "asked@1")
    page = page_of(project, "bills", models=("asked@1",))
    assert page.commit is None
    change = page.golden[0].models[0].measured.change
    assert change.lines == ()
    assert "Outside git" in (change.note or "")
    assert page.golden[0].models[0].history == ()


def test_a_difference_shows_two_lines_around_what_changed() -> None:
    before = "\n".join(f"line {n}" for n in range(20))
    after = before.replace("line 3\n", "").replace("line 15", "line fifteen")
    lines = list(difference(before, after))
    assert [(line.kind.value, line.text) for line in lines[:6]] == [
        ("gap", ""),
        ("same", "line 1"),
        ("same", "line 2"),
        ("removed", "line 3"),
        ("same", "line 4"),
        ("same", "line 5"),
    ]
    assert [line.text for line in lines if line.kind is DiffKind.ADDED] == ["line fifteen"]
    assert sum(line.kind is DiffKind.GAP for line in lines) == 2
    assert list(difference(before, before)) == []

"""The resolution column of a suite: settings, recordings, outages, end to end on loopback."""

import pytest

from evals_pipeline.core.errors import InputError, SetupError
from evals_pipeline.core.settings import WikidataUse
from evals_pipeline.judge.encoder import make_encoder
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.pipeline.resolution import resolve_suite
from evals_pipeline.pipeline.validation import validate_project
from tests.judge.fakes import WordEncoder
from tests.pipeline.tellers import Tellers
from tests.resolve.stand_in import hits, stand_in

SUBJECTS = """gold_subjects:
  - {case_id: facts-001-1, name: Turin, ref: "wikidata:Q495", mention: "It sails to Turin."}
  - {case_id: facts-001-1, name: Brenholt, ref: "wikidata:Q11", mention: "A harbour town."}
  - {case_id: facts-001-1, name: Quillhaven, ref: null, mention: "Quillhaven owns it."}
"""
FILE = "suites/subjects/authority.yaml"
AUTHORITY = 'subjects:\n  - {ref: "wikidata:Q495", name: Turin}\n'


@pytest.fixture
def tellers(tmp_path):
    made = Tellers(tmp_path).make()
    path = made.root / "suites" / "facts-001.yaml"
    path.write_text(path.read_text(encoding="utf-8") + SUBJECTS, encoding="utf-8")
    made.write(FILE, AUTHORITY)
    encoder = WordEncoder(name=make_encoder(None).name)
    texts = ["A harbour town.", "harbour town"]
    VectorCache(made.root / "storage" / "vectors", encoder).vectors(texts)
    return made


def settings(tellers, text):
    old = (tellers.root / "pyproject.toml").read_text(encoding="utf-8")
    tellers.write("pyproject.toml", f"{old}\n[tool.evals.resolve]\n{text}\n")
    return tellers.open()


def outcomes(figures):
    return {one.gold.name: one.outcome.value for one in figures.subjects}


def test_without_wikidata_the_authority_file_and_the_mention_decide(tellers):
    found = resolve_suite(tellers.open(), "facts-001")
    assert outcomes(found) == {
        "Turin": "correct",
        "Brenholt": "bare_local",
        "Quillhaven": "correct",
    }
    assert (found.accuracy, found.wrong_ref, found.bare_local) == (2 / 3, 0.0, 1 / 3)
    assert found.n_outages == 0
    assert not (tellers.root / "storage" / "authorities").exists()


def test_wikidata_is_asked_and_its_answers_are_kept(tellers):
    answers = {
        "Brenholt": hits("x", [("Q11", "Brenholt", "harbour town")]),
        "Quillhaven": hits("x", []),
    }
    with stand_in(lambda asked, number: answers[asked.params["search"]]) as server:
        project = settings(
            tellers,
            f'wikidata = "live"\nwikidata_url = "{server.url}"\ncontact = "mara@example.org"\n'
            "requests_per_minute = 60000",
        )
        found = resolve_suite(project, "facts-001")
        assert set(outcomes(found).values()) == {"correct"}
        assert [asked.params["search"] for asked in server.asked] == ["Brenholt", "Quillhaven"]
        assert "(mara@example.org)" in server.asked[0].agent
        assert resolve_suite(project, "facts-001") == found
        assert len(server.asked) == 2
    again = resolve_suite(project, "facts-001", wikidata=WikidataUse.RECORDED)
    assert outcomes(again) == outcomes(found)


def test_what_is_not_recorded_is_an_outage_and_counted_apart(tellers):
    found = resolve_suite(tellers.open(), "facts-001", wikidata=WikidataUse.RECORDED)
    assert outcomes(found) == {"Turin": "correct", "Brenholt": "outage", "Quillhaven": "outage"}
    assert (found.n_gold, found.n_resolved, found.n_outages) == (3, 1, 2)
    assert (found.accuracy, found.wrong_ref, found.bare_local) == (1.0, 0.0, 0.0)


def test_nobody_calls_wikidata_without_saying_whom_it_may_write_to(tellers):
    with pytest.raises(SetupError, match=r"resolve\.contact is not set"):
        resolve_suite(tellers.open(), "facts-001", wikidata=WikidataUse.LIVE)


def test_an_authority_file_that_is_named_has_to_be_there(tellers):
    with pytest.raises(SetupError, match=r"names\.yaml does not exist"):
        resolve_suite(settings(tellers, 'authority = "names.yaml"'), "facts-001")
    tellers.write(FILE, "subjects: [{name: x}]\n")
    [fault] = validate_project(tellers.open(EVALS_RESOLVE_AUTHORITY=FILE)).faults
    assert (fault.where, fault.line) == (FILE, 1)
    with pytest.raises(InputError, match="ref"):
        resolve_suite(Tellers(tellers.root).open(EVALS_RESOLVE_AUTHORITY=FILE), "facts-001")


def test_a_suite_without_gold_subjects_has_null_fractions(tellers):
    found = resolve_suite(tellers.open(), "coins-001")
    assert (found.accuracy, found.reason) == (None, "the suite has no gold subjects")

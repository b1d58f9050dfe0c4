"""The local authority file: what it says, and what is wrong with it."""

import pytest

from evals_pipeline.resolve.authority_file import AuthorityFile, read_authority
from evals_pipeline.resolve.protocol import SubjectQuery
from evals_pipeline.resolve.ranking import ContextRank
from tests.sets.builders import faults_of

TEXT = """subjects:
  - {ref: "wikidata:Q495", name: Turin, aliases: [Torino, "Augusta Taurinorum"]}
  - {ref: null, name: Quillhaven}
  - {ref: "wikidata:Q37227", name: Go, description: programming language}
  - {ref: "wikidata:Q11413", name: go, description: board game}
"""


def written(tmp_path, text):
    path = tmp_path / "authority.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def look_up(tmp_path, name, *, text=TEXT, likes="language"):
    def similarity_of(mention, others):
        return [0.8 if likes in other else 0.1 for other in others]

    rank = ContextRank(similarity_of=similarity_of)
    file = AuthorityFile(read_authority(written(tmp_path, text)), rank=rank)
    return file.look_up(SubjectQuery(name=name, mention="The service was rewritten in Go."))


@pytest.mark.parametrize("name", ["Turin", "TORINO", " augusta  taurinorum "])
def test_names_and_aliases_are_found_whatever_their_case(tmp_path, name):
    found = look_up(tmp_path, name)
    assert str(found.finding.ref) == "wikidata:Q495"
    assert (found.finding.ref.confidence, found.finding.canonical_name) == (1.0, "Turin")


def test_a_name_that_no_authority_holds_is_known_to_be_bare(tmp_path):
    found = look_up(tmp_path, "Quillhaven")
    assert found.finding is not None
    assert found.finding.ref is None


def test_a_name_that_is_not_there_is_left_to_others(tmp_path):
    assert look_up(tmp_path, "Turi").finding is None


def test_the_mention_decides_between_two_entries_of_a_name(tmp_path):
    assert str(look_up(tmp_path, "Go").finding.ref) == "wikidata:Q37227"
    assert str(look_up(tmp_path, "Go", likes="game").finding.ref) == "wikidata:Q11413"
    assert look_up(tmp_path, "Go", likes="nothing").finding is None


def test_every_fault_is_told_with_its_line(tmp_path):
    text = """subjects:
  - {ref: "Q495", name: Turin}
  - {name: Lyon}
  - {ref: null, name: Go, alias: [Golang]}
"""
    faults = faults_of(lambda: read_authority(written(tmp_path, text)))
    assert [fault.line for fault in faults] == [2, 3, 4]
    assert "missing" in faults[1].problem
    assert 'Did you mean "aliases"?' in str(faults[2])


def test_entries_that_share_a_name_need_descriptions(tmp_path):
    text = """subjects:
  - {ref: "wikidata:Q1", name: Go, description: language}
  - {ref: "wikidata:Q2", name: Golang, aliases: [GO]}
"""
    [fault] = faults_of(lambda: read_authority(written(tmp_path, text)))
    assert fault.line == 3
    assert "no description" in fault.problem


def test_an_empty_or_missing_file_is_refused(tmp_path):
    assert faults_of(lambda: read_authority(written(tmp_path, "subjects: []\n")))
    assert faults_of(lambda: read_authority(tmp_path / "nowhere.yaml"))

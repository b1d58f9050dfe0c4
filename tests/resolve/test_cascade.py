"""The cascade, identifiers in the mention, and the three fractions."""

import pytest

from evals_pipeline.core.records import GoldSubject
from evals_pipeline.core.resolution_records import ExternalRef, ResolutionOutcome
from evals_pipeline.resolve.cascade import CascadeResolver
from evals_pipeline.resolve.figures import outcome_of, resolution_figures, resolve_gold
from evals_pipeline.resolve.identifiers import MentionedIdentifiers
from evals_pipeline.resolve.protocol import (
    AuthorityUnreachableError,
    Finding,
    LookUp,
    Resolution,
    Subject,
    SubjectQuery,
    SubjectStore,
    folded_names,
)
from evals_pipeline.resolve.ranking import ContextRank
from evals_pipeline.resolve.wikidata import WikidataAuthority
from tests.resolve.stand_in import client_of, hits, refusal, stand_in


def ref(text: str, *, confidence: float = 1.0) -> ExternalRef:
    namespace, _, identifier = text.partition(":")
    return ExternalRef(namespace=namespace, id=identifier, confidence=confidence, authority="fake")


class Fake:
    """An authority that knows what a test says; None in ``known`` is being away."""

    def __init__(self, name: str, known: dict[str, str | None] | None) -> None:
        self.name = name
        self.known = known
        self.asked: list[str] = []

    def look_up(self, query: SubjectQuery) -> LookUp:
        self.asked.append(query.name)
        if self.known is None:
            raise AuthorityUnreachableError("down")
        if query.name not in self.known:
            return LookUp(finding=None, step="unknown")
        found = self.known[query.name]
        reference = None if found is None else ref(found)
        return LookUp(finding=Finding(ref=reference, canonical_name=query.name), step="known")


def resolve(name: str, *authorities, store: SubjectStore | None = None) -> Resolution:
    query = SubjectQuery(name=name, mention=f"{name} is mentioned.")
    return CascadeResolver(authorities).resolve(query, store or SubjectStore())


def linked(resolution: Resolution) -> list[str]:
    return [str(one) for one in resolution.subject.refs]


def test_the_first_authority_that_knows_decides():
    first, second = Fake("a", {"Turin": "wikidata:Q1"}), Fake("b", {"Turin": "wikidata:Q2"})
    assert linked(resolve("Turin", first, second)) == ["wikidata:Q1"]
    assert second.asked == []
    assert linked(resolve("Turin", Fake("a", {}), second)) == ["wikidata:Q2"]


def test_an_authority_may_know_that_nobody_holds_a_name():
    second = Fake("b", {"Harbor": "wikidata:Q2"})
    found = resolve("Harbor", Fake("a", {"Harbor": None}), second)
    assert (linked(found), second.asked) == ([], [])


def test_what_nobody_knows_is_bare():
    found = resolve("Quillhaven", Fake("a", {}))
    assert (found.subject.canonical_name, linked(found), found.is_outage) == (
        "Quillhaven",
        [],
        False,
    )
    assert found.steps == ("a: unknown", "no authority has it: a bare local subject")


def test_an_authority_that_is_away_decides_nothing():
    away = Fake("a", None)
    assert resolve("Turin", away).is_outage
    found = resolve("Turin", away, Fake("b", {"Turin": "wikidata:Q2"}))
    assert (linked(found), found.is_outage) == (["wikidata:Q2"], False)
    assert "a: could not be asked (down)" in found.steps
    assert resolve("Turin", Fake("b", {}), away).is_outage


def test_a_store_knows_its_subjects_by_name_and_by_entry():
    store = SubjectStore()
    authority = Fake("a", {"Turin": "wikidata:Q495", "Torino": "wikidata:495"})
    first = resolve("Turin", authority, store=store)
    assert resolve("  TURIN ", authority, store=store).subject is first.subject
    assert resolve("Torino", authority, store=store).subject is first.subject
    assert len(store.subjects) == 1


# --- identifiers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mention", "want"),
    [
        ("Turin (wikidata:Q495) has trams.", "wikidata:Q495"),
        ("Turin, https://www.wikidata.org/wiki/Q495, has trams.", "wikidata:Q495"),
        ("In turin [N# 4521] a coin was struck.", "numista:4521"),
        ("Turin (ISBN 978-0-306-40615-7) appeared in 1980.", "isbn:9780306406157"),
        ("Turin (LEI 5493001KJTIIGC8Y1R12) paid.", "lei:5493001KJTIIGC8Y1R12"),
        ("Turin (ISIN US0378331005) fell.", "isin:US0378331005"),
        ("Turin (doi:10.1000/xyz123) reports it.", "doi:10.1000/xyz123"),
        ("Turin (orcid.org/x) or Turin (ORCID 0000-0002-1825-0097).", "orcid:0000-0002-1825-0097"),
    ],
)
def test_an_identifier_behind_the_name_says_what_is_meant(mention, want):
    found = MentionedIdentifiers().look_up(SubjectQuery(name="Turin", mention=mention))
    assert str(found.finding.ref) == want


@pytest.mark.parametrize(
    "mention",
    [
        "Turin bought Harrow Mutual (wikidata:Q77).",  # somebody else's
        "Turin in Q3 2026 grew.",  # a quarter, no item
        "Turin (ISBN 978-0-306-40615-8).",  # the check digit is wrong
        "Turin (LEI 5493001KJTIIGC8Y1R13).",
        "Turinese (wikidata:Q495).",  # another word
        "Turin has trams.",
    ],
)
def test_what_only_looks_like_one_is_left(mention):
    assert (
        MentionedIdentifiers().look_up(SubjectQuery(name="Turin", mention=mention)).finding is None
    )


def test_a_name_that_is_an_identifier_is_one():
    query = SubjectQuery(name="doi:10.1000/ABC", mention="It is cited.")
    assert str(MentionedIdentifiers().look_up(query).finding.ref) == "doi:10.1000/abc"


# --- outcomes and fractions ---------------------------------------------------------------------


def gold(name: str, want: str | None) -> GoldSubject:
    return GoldSubject(case_id="c", name=name, ref=want, mention=f"{name} is mentioned.")


def outcome(want: str | None, *refs: ExternalRef, is_outage: bool = False) -> ResolutionOutcome:
    subject = Subject(canonical_name="x", names=folded_names(["x"]), refs=refs)
    resolution = Resolution(subject=subject, steps=(), is_outage=is_outage)
    return outcome_of(gold("x", want), resolution)


def test_a_link_is_right_wrong_or_missing():
    assert outcome("wikidata:Q1", ref("wikidata:Q1")) is ResolutionOutcome.CORRECT
    assert outcome("wikidata:Q1", ref("Wikidata:1")) is ResolutionOutcome.CORRECT
    assert outcome("wikidata:Q1", ref("wikidata:Q2")) is ResolutionOutcome.WRONG_REF
    assert outcome("wikidata:Q1") is ResolutionOutcome.BARE_LOCAL


def test_a_link_counts_at_any_confidence():
    assert outcome("wikidata:Q1", ref("wikidata:Q2", confidence=0.01)) is (
        ResolutionOutcome.WRONG_REF
    )
    assert outcome(None, ref("wikidata:Q2", confidence=0.01)) is ResolutionOutcome.WRONG_REF


def test_another_catalogue_s_number_is_no_wrong_link_unless_nobody_should_hold_it():
    assert outcome("wikidata:Q1", ref("numista:7")) is ResolutionOutcome.BARE_LOCAL
    assert outcome("wikidata:Q1", ref("numista:7"), ref("wikidata:Q1")) is ResolutionOutcome.CORRECT
    assert outcome(None, ref("numista:7")) is ResolutionOutcome.WRONG_REF
    assert outcome(None) is ResolutionOutcome.CORRECT


def test_an_outage_is_no_outcome_of_the_resolver():
    assert outcome("wikidata:Q1", is_outage=True) is ResolutionOutcome.OUTAGE
    assert outcome(None, is_outage=True) is ResolutionOutcome.OUTAGE


def test_the_fractions_over_a_stand_in_for_wikidata(tmp_path):
    """Right, wrong, bare and outage as designed; every subject in a store of its own."""
    answers = {
        "Brenholt": hits("x", [("Q11", "Brenholt", "harbour town")]),
        "Harbor": hits("x", [("Q13", "harbor", "harbour for ships")]),
        "Halden": hits("x", [("Q14", "Halden Mill", "harbour")]),
        "Quillhaven": hits("x", []),
        "Broken": refusal("badvalue"),
    }
    subjects = [
        gold("Brenholt", "wikidata:Q11"),  # right
        gold("Harbor", None),  # an invented firm, linked to a common word: wrong
        gold("Halden", "wikidata:Q15"),  # not found: bare
        gold("Quillhaven", None),  # rightly bare
        gold("Broken", "wikidata:Q16"),  # the authority fails
    ]
    rank = ContextRank(similarity_of=lambda text, others: [0.9 for _ in others])
    with (
        stand_in(lambda asked, number: answers[asked.params["search"]]) as server,
        client_of(server.url, tmp_path) as client,
    ):
        resolver = CascadeResolver([WikidataAuthority(client, rank=rank)])
        found = list(resolve_gold(subjects, resolver))
        backwards = list(resolve_gold(subjects[::-1], resolver))
    assert [one.outcome.value for one in found] == [
        "correct",
        "wrong_ref",
        "bare_local",
        "correct",
        "outage",
    ]
    assert backwards[::-1] == found
    figures = resolution_figures("notes-001", found)
    assert (figures.n_gold, figures.n_resolved, figures.n_outages) == (5, 4, 1)
    assert (figures.accuracy, figures.wrong_ref, figures.bare_local) == (0.5, 0.25, 0.25)
    assert figures.accuracy + figures.wrong_ref + figures.bare_local == 1
    assert figures.reason is None


def test_nothing_resolved_is_null_and_not_perfect():
    empty = resolution_figures("notes-001", [])
    assert (empty.accuracy, empty.wrong_ref, empty.bare_local) == (None, None, None)
    assert empty.reason == "the suite has no gold subjects"
    down = list(resolve_gold([gold("Turin", None)], CascadeResolver([Fake("a", None)])))
    figures = resolution_figures("notes-001", down)
    assert (figures.accuracy, figures.n_outages) == (None, 1)
    assert "could not be reached" in figures.reason

"""Wikidata behind a loopback stand-in: what it is asked, how it fails, what is linked."""

import json
import time

import pytest

from evals_pipeline.core.errors import InputError
from evals_pipeline.resolve.protocol import AuthorityUnreachableError, SubjectQuery
from evals_pipeline.resolve.ranking import ContextRank
from evals_pipeline.resolve.throttle import Throttle
from evals_pipeline.resolve.wikidata import WikidataAuthority
from evals_pipeline.resolve.wikidata_client import MOST_TRIES
from tests.resolve.stand_in import Pauses, Reply, client_of, hits, refusal, stand_in

HARBOUR = [("Q11", "Brenholt", "harbour town in Norway"), ("Q12", "Brenholt", "family name")]


def always(reply):
    return lambda asked, number: reply


def likes(**scores):
    """A ranking by stated figures: descriptions that hold a word are so much alike."""

    def similarity_of(text, others):
        return [
            next((score for word, score in scores.items() if word in other), 0.0)
            for other in others
        ]

    return ContextRank(similarity_of=similarity_of)


def look_up(name, reply, rank, tmp_path):
    with stand_in(always(reply)) as server, client_of(server.url, tmp_path) as client:
        query = SubjectQuery(name=name, mention=f"The ferry goes to {name}.")
        return WikidataAuthority(client, rank=rank).look_up(query)


# --- what is asked ------------------------------------------------------------------------------


def test_a_search_says_who_asks_and_what_for(tmp_path):
    with (
        stand_in(always(hits("Brenholt", HARBOUR))) as server,
        client_of(server.url, tmp_path) as client,
    ):
        found = client.search("Brenholt")
    [asked] = server.asked
    assert [one.id for one in found] == ["Q11", "Q12"]
    assert (found[0].label, found[0].description) == ("Brenholt", "harbour town in Norway")
    assert asked.agent == "evals-pipeline/0.1.0 (mara@example.org) httpx"
    assert asked.params["action"] == "wbsearchentities"
    assert asked.params["search"] == "Brenholt"
    assert (asked.params["format"], asked.params["type"]) == ("json", "item")
    assert asked.params["maxlag"] == "5"


def test_names_of_any_script_and_with_signs_are_asked_as_they_are(tmp_path):
    with stand_in(always(hits("x", []))) as server, client_of(server.url, tmp_path) as client:
        for name in ("Hollis & Grieve", "Åse Berg", "東京", "a=b&c"):
            client.search(name)
    assert [asked.params["search"] for asked in server.asked] == [
        "Hollis & Grieve",
        "Åse Berg",
        "東京",
        "a=b&c",
    ]


def test_calls_keep_their_distance(tmp_path):
    interval = 0.06
    with stand_in(always(hits("x", []))) as server:
        throttle = Throttle(interval_s=interval)
        with client_of(server.url, tmp_path, throttle=throttle) as client:
            started = time.monotonic()
            for name in "abcde":
                client.search(name)
            took = time.monotonic() - started
    gaps = [b.at - a.at for a, b in zip(server.asked, server.asked[1:], strict=False)]
    assert len(gaps) == 4
    # The server sees a call a moment after it starts, so a gap may look a little shorter.
    assert min(gaps) > interval * 0.6
    assert took >= 4 * interval


def test_a_recorded_answer_is_not_asked_again_and_needs_no_network(tmp_path):
    with (
        stand_in(always(hits("Brenholt", HARBOUR))) as server,
        client_of(server.url, tmp_path) as client,
    ):
        first = client.search("Brenholt")
        assert client.search("Brenholt") == first
    assert len(server.asked) == 1
    [file] = (tmp_path / "wikidata").glob("*.json")
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["asked_at"] == "2026-11-09T12:00:00+00:00"
    assert record["question"]["search"] == "Brenholt"
    with client_of(server.url, tmp_path, is_live=False) as offline:
        assert offline.search("Brenholt") == first


def test_a_committed_folder_stands_in_for_the_network(tmp_path):
    with (
        stand_in(always(hits("Brenholt", HARBOUR))) as server,
        client_of(server.url, tmp_path / "one") as client,
    ):
        first = client.search("Brenholt")
    committed = (tmp_path / "one" / "wikidata",)
    with client_of(server.url, tmp_path / "two", recordings=committed, is_live=False) as offline:
        assert offline.search("Brenholt") == first
        with pytest.raises(AuthorityUnreachableError, match="no answer is recorded"):
            offline.search("Elsewhere")


def test_no_hit_is_an_answer_and_is_kept(tmp_path):
    with (
        stand_in(always(hits("Quillhaven", []))) as server,
        client_of(server.url, tmp_path) as client,
    ):
        assert client.search("Quillhaven") == ()
        assert client.search("Quillhaven") == ()
    assert len(server.asked) == 1


def test_a_damaged_record_is_named(tmp_path):
    with stand_in(always(hits("x", []))) as server, client_of(server.url, tmp_path) as client:
        client.search("x")
        [file] = (tmp_path / "wikidata").glob("*.json")
        file.write_text('{"answer', encoding="utf-8")
        with pytest.raises(InputError, match=file.name):
            client.search("x")


# --- how it fails -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("busy", "why"),
    [
        (Reply(status=429), "HTTP 429"),
        (Reply(status=503), "HTTP 503"),
        (refusal("maxlag"), "maxlag"),
        (refusal("ratelimited"), "ratelimited"),
        (refusal("internal_api_error_DBQueryError"), "internal_api_error"),
    ],
)
def test_a_busy_server_is_asked_again_and_then_counted_as_away(tmp_path, busy, why):
    pauses = Pauses()
    with (
        stand_in(always(busy)) as server,
        client_of(server.url, tmp_path, throttle=pauses.throttle()) as client,
    ):
        with pytest.raises(AuthorityUnreachableError, match=why):
            client.search("Brenholt")
        assert len(server.asked) == MOST_TRIES
        assert pauses.slept == [2.0, 4.0, 8.0]
        # One outage is waited for once, not for every name.
        with pytest.raises(AuthorityUnreachableError, match="not asked again"):
            client.search("Another")
    assert len(server.asked) == MOST_TRIES
    assert not (tmp_path / "wikidata").exists()


def test_a_server_that_comes_round_is_waited_for_as_long_as_it_says(tmp_path):
    pauses = Pauses()

    def script(asked, number):
        return refusal("maxlag", Retry_After="7") if number == 1 else hits("Brenholt", HARBOUR)

    with (
        stand_in(script) as server,
        client_of(server.url, tmp_path, throttle=pauses.throttle()) as client,
    ):
        assert len(client.search("Brenholt")) == 2
    assert pauses.slept == [7.0]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(status=403, body=b"Forbidden"), "HTTP 403"),
        (Reply(status=302, headers={"Location": "/elsewhere"}), "HTTP 302"),
        (Reply(body=b"<html>maintenance</html>"), "no JSON"),
        (Reply(body=b'{"search": NaN}'), "no JSON"),
        (Reply(body=b'{"searchinfo": {}}'), "no list of hits"),
        (Reply(body=b'["search"]'), "no list of hits"),
        (refusal("badvalue"), "badvalue"),
    ],
)
def test_what_asking_again_would_not_mend_is_not_asked_again(tmp_path, reply, why):
    with (
        stand_in(always(reply)) as server,
        client_of(server.url, tmp_path) as client,
        pytest.raises(AuthorityUnreachableError, match=why),
    ):
        client.search("Brenholt")
    assert len(server.asked) == 1
    assert not (tmp_path / "wikidata").exists()


def test_a_server_that_is_not_there_is_away(tmp_path):
    with stand_in(always(hits("x", []))) as server:
        url = server.url
    pauses = Pauses()
    with (
        client_of(url, tmp_path, throttle=pauses.throttle()) as client,
        pytest.raises(AuthorityUnreachableError, match="the call failed, ConnectError"),
    ):
        client.search("Brenholt")


def test_hits_without_an_item_s_id_are_passed_over(tmp_path):
    body = {"search": [{"id": "P31", "label": "x"}, "x", {"label": "x"}, {"id": "Q5"}]}
    reply = Reply(body=json.dumps(body).encode())
    with stand_in(always(reply)) as server, client_of(server.url, tmp_path) as client:
        [found] = client.search("x")
    assert (found.id, found.label, found.description, found.matched) == ("Q5", "", "", "")


# --- what is linked -----------------------------------------------------------------------------


def test_the_sense_that_fits_the_mention_is_linked(tmp_path):
    items = [
        ("Q21", "Brenholt", "glacier on Svalbard"),
        ("Q11", "Brenholt", "harbour town in Norway"),
    ]
    found = look_up("Brenholt", hits("x", items), likes(harbour=0.6, glacier=0.2), tmp_path)
    assert str(found.finding.ref) == "wikidata:Q11"
    assert found.finding.ref.confidence == pytest.approx(0.6)
    assert found.finding.canonical_name == "Brenholt"


def test_two_senses_that_fit_alike_leave_the_name_undecided(tmp_path):
    items = [("Q21", "Brenholt", "glacier"), ("Q11", "Brenholt", "harbour town")]
    found = look_up("Brenholt", hits("x", items), likes(harbour=0.6, glacier=0.57), tmp_path)
    assert found.finding is None
    assert "closer than 0.05" in found.step


def test_a_lone_sense_still_has_to_fit(tmp_path):
    found = look_up(
        "Lumen", hits("x", [("Q484092", "lumen", "unit of light")]), likes(unit=0.1), tmp_path
    )
    assert found.finding is None
    assert "below 0.25" in found.step


def test_near_spellings_and_prefixes_are_no_senses(tmp_path):
    items = [("Q31", "Brenholt Football Club", "harbour"), ("Q32", "Brenholdt", "harbour")]
    found = look_up("Brenholt", hits("x", items), likes(harbour=0.9), tmp_path)
    assert found.finding is None
    assert "2 hits, none of that very name" in found.step


def test_an_alias_is_a_name_too(tmp_path):
    reply = hits("x", [("Q11", "Brenholt", "harbour town")], alias_of={"Q11": "Port Brennan"})
    found = look_up("port brennan", reply, likes(harbour=0.9), tmp_path)
    assert str(found.finding.ref) == "wikidata:Q11"


@pytest.mark.parametrize(
    "description",
    ["family name", "male given name", "Wikimedia disambiguation page", "Wikimedia list article"],
)
def test_items_about_a_name_are_no_senses_of_it(tmp_path, description):
    found = look_up(
        "Brenholt", hits("x", [("Q12", "Brenholt", description)]), likes(name=0.9), tmp_path
    )
    assert found.finding is None

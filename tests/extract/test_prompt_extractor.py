"""Documents to questions and answers to extractions, over a real server."""

import json
import math
from dataclasses import replace
from decimal import Decimal

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.records import FieldSpec
from evals_pipeline.extract.prompt_extractor import (
    NOT_ALIGNED,
    PromptExtractor,
    extract_with_model,
    plan,
)
from evals_pipeline.extract.prompts import load_prompt
from evals_pipeline.extract.routing import route
from tests.extract.fakes import source_document
from tests.llm.asks import door, endpoint
from tests.llm.loopback import completion, failure, loopback

NOWHERE = "http://127.0.0.1:9/v1"
FIELDS = (FieldSpec(name="total", kind="money"), FieldSpec(name="due", kind="date"))


def extractor(output="fields", confidence="stated", **changes):
    head = f"---\noutput: {output}\nconfidence: {confidence}\n---\n"
    prompt = load_prompt(head + "{{ document }}", where="p.md")
    fields = FIELDS if output == "fields" else ()
    return PromptExtractor(
        extractor_id="reader", prompt=prompt, set_name="memos", fields=fields, **changes
    )


def memo(name, text=None):
    made = source_document((text or name).encode())
    return replace(made, fixture_id=name, name=name, text=text or name)


def extract(script, tmp_path, *, how=None, documents=("one",), runs=(0,), **settings):
    with loopback(script) as server:
        return extract_with_model(
            how or extractor(),
            [memo(name) for name in documents],
            door=door(server.url, tmp_path, **settings),
            run_indices=runs,
        )


def test_an_answer_becomes_an_extraction_with_its_provenance(tmp_path):
    said = {"total": {"value": "1.50", "confidence": 0.75}, "due": {"value": None, "confidence": 1}}
    how = extractor()
    (found,) = extract(lambda call: completion(json.dumps(said)), tmp_path, how=how)

    assert (found.fixture_id, found.run_index, found.status) == ("one", 0, ExtractionStatus.OK)
    assert (found.fields["total"].value, found.fields["total"].confidence) == ("1.50", 0.75)
    assert found.fields["due"].presence is Presence.NULL
    origin = found.provenance
    assert origin.prompt_sha256 == how.prompt.sha256
    assert (origin.provider_model, origin.system_fingerprint) == ("tiny-1", "fp-1")
    assert origin.answer_key is not None
    assert origin.usage is not None
    assert origin.cost is not None
    assert origin.cost.is_new


def test_a_field_that_is_left_out_is_a_missing_key(tmp_path):
    (found,) = extract(lambda call: completion('{"total": "2"}'), tmp_path)

    assert found.fields["total"].value == "2"
    assert found.fields["due"].presence is Presence.KEY_MISSING


def test_every_document_and_run_has_one_extraction_in_order(tmp_path):
    def script(call):
        return failure(500) if call.asked == "two" else completion(f'{{"total": "{call.asked}"}}')

    found = extract(script, tmp_path, documents=("one", "two", "three"), runs=(0, 1))

    assert [(one.fixture_id, one.run_index, one.status.value) for one in found] == [
        ("one", 0, "ok"), ("one", 1, "ok"), ("two", 0, "error"), ("two", 1, "error"),
        ("three", 0, "ok"), ("three", 1, "ok"),
    ]  # fmt: skip
    assert found[2].reason is not None
    assert "HTTP 500" in found[2].reason
    assert found[2].provenance.retries == 2
    assert found[4].fields["total"].value == "three"


@pytest.mark.parametrize(
    ("act", "status", "reason"),
    [
        (completion("prose"), "unparsable", "no JSON"),
        (completion("[1"), "unparsable", None),
        (completion('{"total": "1', finish_reason="length"), "truncated", "output limit"),
        (completion(None, refusal="I cannot."), "unparsable", "refused: I cannot."),
        (completion("[]"), "unparsable", "expected an object"),
    ],
)
def test_what_is_no_answer_has_a_status_and_no_values(act, status, reason, tmp_path):
    (found,) = extract(lambda call: act, tmp_path)

    assert (found.status.value, dict(found.fields)) == (status, {})
    assert (reason or "") in (found.reason or "")
    assert found.provenance.usage is not None


def test_a_document_that_cannot_be_shown_is_an_error_without_a_call(tmp_path):
    with loopback(lambda call: completion("{}")) as server:
        scan = replace(memo("scan"), text=None, media_type="application/zip")
        found = extract_with_model(
            extractor(), [scan, memo("one")], door=door(server.url, tmp_path), run_indices=(0,)
        )

        assert len(server.calls) == 1
    assert [one.status.value for one in found] == ["error", "ok"]
    assert found[0].reason is not None
    assert "nothing was asked" in found[0].reason


def test_claims_are_read_with_stated_confidence(tmp_path):
    said = {"claims": [{"content": "It rained.", "confidence": 0.5, "subjects": ["Oslo"]}]}
    how = extractor("claims")
    (found,) = extract(lambda call: completion(json.dumps(said)), tmp_path, how=how)

    assert [(c.content, c.confidence, c.subjects) for c in found.claims] == [
        ("It rained.", 0.5, ("Oslo",)),
    ]


def pieces(*parts):
    return {"content": [{"token": text, "logprob": math.log(p)} for text, p in parts]}


def test_confidence_from_tokens_is_the_probability_of_the_value(tmp_path):
    tokens = pieces(('{"total":"', 0.9), ("4", 0.5), ("2", 0.8), ('","due":', 0.9), ("null}", 0.25))
    act = completion('{"total":"42","due":null}', logprobs=tokens)
    how = extractor(confidence="logprobs")
    with loopback(lambda call: act) as server:
        (found,) = extract_with_model(
            how, [memo("one")], door=door(server.url, tmp_path), run_indices=(0,)
        )

        assert server.calls[0].body["logprobs"] is True
    assert found.fields["total"].confidence == pytest.approx(0.4, abs=1e-4)  # 0.5 · 0.8
    assert found.fields["due"].confidence == pytest.approx(0.25, abs=1e-4)


def test_confidence_of_a_claim_is_the_mean_of_its_tokens(tmp_path):
    text = '{"claims":[{"content":"abcd","subjects":[]}]}'
    head, _, tail = text.partition("abcd")
    act = completion(text, logprobs=pieces((head, 0.9), ("ab", 0.25), ("cd", 1.0), (tail, 0.9)))
    how = extractor("claims", confidence="logprobs")
    (found,) = extract(lambda call: act, tmp_path, how=how)

    assert found.claims[0].confidence == pytest.approx(0.5, abs=1e-4)  # √(0.25 · 1)


def test_confidence_that_cannot_be_aligned_is_absent_and_says_so(tmp_path):
    how = extractor(confidence="logprobs")
    (found,) = extract(lambda call: completion('{"total": "1"}'), tmp_path, how=how)

    assert found.status is ExtractionStatus.OK
    assert found.fields["total"].confidence is None
    assert found.fields["total"].confidence_flag == NOT_ALIGNED


def test_runs_differ_by_seed_and_by_key():
    planned = plan(
        extractor(), [memo("one")], endpoint=endpoint(NOWHERE, seed=7), run_indices=(0, 1)
    )

    seeds = [request.sampling.seed for request in planned.requests.values()]
    assert seeds == [7, 8]
    assert [request.run_index for request in planned.requests.values()] == [0, 1]


def test_parameters_of_the_prompt_go_before_those_of_the_model():
    head = "---\noutput: fields\ntemperature: 0.5\nmax_output_tokens: 9\n---\n"
    stated = replace(extractor(), prompt=load_prompt(head + "{{ document }}", where="p.md"))
    model = endpoint(NOWHERE, temperature=Decimal(1), max_output_tokens=100)

    one = stated.request(memo("one"), endpoint=model, run_index=0).sampling
    other = extractor().request(memo("one"), endpoint=model, run_index=0).sampling
    assert (one.temperature, one.max_output_tokens) == (Decimal("0.5"), 9)
    assert (other.temperature, other.max_output_tokens) == (Decimal(1), 100)


def test_routing_takes_a_prompt_like_any_extractor():
    general = extractor("claims")
    picky = extractor("claims", source_types=frozenset({"MEMO"}), must_not=frozenset({"NOTE"}))

    assert general.output is OutputKind.CLAIMS
    assert route("ANYTHING", [picky, general]).extractor is general
    assert route("MEMO", [picky, general]).extractor is picky


def test_what_would_be_sent_can_be_shown():
    (shown,) = extractor().render_for(memo("one", "the text"), endpoint=endpoint(NOWHERE))

    assert shown.text == "the text"

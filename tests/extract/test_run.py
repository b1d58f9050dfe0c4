"""Whatever a plugin does, one extraction comes of it."""

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.run_records import Claim, FieldValue
from evals_pipeline.extract.protocol import Draft, Extractor
from evals_pipeline.extract.run import run_code_extractor
from tests.extract.fakes import FakeExtractor, source_document


def claim(**changes):
    return Claim(**({"content": "It rained.", "confidence": 0.5} | changes))


def run(answer, **arguments):
    extractor = FakeExtractor(answer=answer)
    return run_code_extractor(extractor, source_document(), run_index=2, **arguments)


def test_the_fake_satisfies_the_protocol():
    assert isinstance(FakeExtractor(), Extractor)
    assert not isinstance(object(), Extractor)


def test_an_extraction_is_stamped_with_fixture_run_and_version():
    extraction = run(lambda document: Draft(claims=(claim(),)))

    assert (extraction.fixture_id, extraction.run_index) == ("memo-1", 2)
    assert extraction.status is ExtractionStatus.OK
    assert extraction.provenance.extractor == "fake@7"
    assert extraction.provenance.duration_s is not None


def test_a_crash_is_an_error_that_says_where_and_quotes_no_document():
    def crash(document):
        raise ValueError(f"cannot read {document.content!r} of account 4711")

    extraction = run(crash)

    assert extraction.status is ExtractionStatus.ERROR
    assert "ValueError at test_run.py:" in (extraction.reason or "")
    assert "4711" not in (extraction.reason or "")


def test_running_out_of_stack_is_an_error_too():
    def dive(document):
        return dive(document)

    assert run(dive).status is ExtractionStatus.ERROR


@pytest.mark.parametrize("taken", [{"accepted": ("OTHER",)}, {"must_not": ("MEMO",)}])
def test_a_source_type_that_is_not_taken_is_declined_without_being_read(taken):
    def fail(document):
        raise AssertionError("a declined document was read")

    extractor = FakeExtractor(answer=fail, **taken)
    extraction = run_code_extractor(extractor, source_document(), run_index=0)

    assert extraction.status is ExtractionStatus.DECLINED
    assert "MEMO" in (extraction.reason or "")


def test_a_crash_in_accepts_is_an_error():
    class Moody(FakeExtractor):
        def accepts(self, source_type):
            raise KeyError(source_type)

    extraction = run_code_extractor(Moody(), source_document(), run_index=0)

    assert extraction.status is ExtractionStatus.ERROR


def test_missing_fields_of_the_schema_are_filled_in_with_a_note():
    given = {"total": FieldValue(value="5", presence=Presence.VALUE)}
    extraction = run(lambda document: Draft(fields=given), required_fields=("total", "due"))

    assert extraction.fields["total"].value == "5"
    assert extraction.fields["due"].presence is Presence.KEY_MISSING
    assert extraction.fields["due"].note


def test_only_ok_carries_values():
    extraction = run(
        lambda document: Draft(
            status=ExtractionStatus.UNPARSABLE, reason="half a page", claims=(claim(),)
        ),
        required_fields=("total",),
    )

    assert extraction.status is ExtractionStatus.UNPARSABLE
    assert (extraction.reason, extraction.claims, dict(extraction.fields)) == (
        "half a page",
        (),
        {},
    )


@pytest.mark.parametrize(
    ("stated", "flag"),
    [(float("nan"), "not a number"), (1.2, "outside"), (-0.5, "outside"), (None, "absent")],
)
def test_a_plugins_confidence_is_read_like_any_other(stated, flag):
    (read,) = run(lambda document: Draft(claims=(claim(confidence=stated),))).claims

    assert read.confidence is None
    assert (read.confidence_flag or "").startswith(flag)


def test_a_fields_confidence_is_read_too():
    value = FieldValue(value="5", presence=Presence.VALUE, confidence=float("inf"))
    extraction = run(lambda document: Draft(fields={"total": value}))

    assert extraction.fields["total"].confidence is None
    assert extraction.fields["total"].confidence_flag


@pytest.mark.parametrize(
    "draft",
    [
        None,
        {"claims": []},
        Draft(claims=("It rained.",)),
        Draft(claims=(claim(content="  "),)),
        Draft(claims=(claim(content=None),)),
        Draft(claims=(claim(content="half a pair \ud800"),)),
        Draft(claims=(claim(properties={"weight": float("nan")}),)),
        Draft(claims=(claim(properties={"weight": object()}),)),
        Draft(fields={"total": "5"}),
        Draft(fields={"total": FieldValue(value=float("inf"), presence=Presence.VALUE)}),
    ],
    ids=range(10),
)
def test_a_faulty_draft_is_an_error_with_a_reason(draft):
    extraction = run(lambda document: draft)

    assert extraction.status is ExtractionStatus.ERROR
    assert "faulty" in (extraction.reason or "")
    assert extraction.claims == ()
    assert dict(extraction.fields) == {}


def test_the_kind_of_output_is_a_closed_set():
    assert {kind.value for kind in OutputKind} == {"claims", "fields"}

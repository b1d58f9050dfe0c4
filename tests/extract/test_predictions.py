"""Predictions read from JSONL: what is found, what is refused, and with which line number."""

import json
import tracemalloc
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.extract.prediction_index import PredictionIndex
from evals_pipeline.extract.predictions import NO_PREDICTION, PredictionFile
from tests.extract.fakes import fixture

A, B = fixture("memo-a", name="harbour"), fixture("memo-b", name="market")
FIELDS, CLAIMS = OutputKind.FIELDS, OutputKind.CLAIMS


@pytest.fixture
def write(tmp_path):
    def write(*lines, sep="\n"):
        path = tmp_path / "outputs.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_bytes(sep.join(texts).encode())
        return path

    return write


def bind(path, *, output=FIELDS, field_names=("total",), fixtures=(A, B), **arguments):
    file = PredictionFile.open(path)
    return file.bind(fixtures, output=output, field_names=field_names, **arguments)


def one(path, **arguments):
    return bind(path, **arguments).extraction(A, 0)


def faults(path, **arguments):
    with pytest.raises(InputError) as raised:
        bind(path, **arguments)
    return [(fault.line, fault.problem) for fault in raised.value.faults]


# --- what is found ------------------------------------------------------------------------------


def test_fields_come_with_and_without_confidence(write):
    path = write(
        {
            "fixture": "memo-a",
            "run_index": 0,
            "fields": {"total": {"value": "4.10", "confidence": 0.9}, "po": None, "due": ""},
        }
    )
    extraction = one(path, field_names=("total", "po", "due", "iban"))

    assert extraction.status is ExtractionStatus.OK
    assert extraction.fields["total"].value == "4.10"
    assert extraction.fields["total"].confidence == 0.9
    assert [extraction.fields[name].presence for name in ("po", "due", "iban")] == [
        Presence.NULL,
        Presence.BLANK,
        Presence.KEY_MISSING,
    ]


def test_claims_come_with_subjects(write):
    path = write(
        {"fixture": "memo-a", "claims": [{"content": "It rained.", "subjects": ["Porto"]}]}
    )
    (claim,) = one(path, output=CLAIMS).claims

    assert (claim.content, claim.subjects, claim.confidence) == ("It rained.", ("Porto",), None)


def test_raw_text_is_read_like_a_models_answer(write):
    path = write(
        {"fixture": "memo-a", "raw": 'Here: {"total": 5,}', "finish_reason": "stop"},
        {"fixture": "memo-b", "raw": '{"total": 5', "finish_reason": "length"},
    )
    bound = bind(path)

    read, cut = bound.extraction(A, 0), bound.extraction(B, 0)
    assert (read.fields["total"].value, read.recovered, read.repaired) == (5, True, True)
    assert cut.status is ExtractionStatus.TRUNCATED
    assert cut.provenance.finish_reason == "length"


def test_structured_answers_at_the_output_limit_are_truncated_too(write):
    path = write({"fixture": "memo-a", "fields": {"total": 5}, "finish_reason": "max_tokens"})

    assert one(path).status is ExtractionStatus.TRUNCATED


def test_a_failed_answer_can_be_stated(write):
    path = write({"fixture": "memo-a", "status": "error", "reason": "timeout after 60 s"})

    assert one(path).status is ExtractionStatus.ERROR
    assert one(path).reason == "timeout after 60 s"


def test_usage_cost_and_names_are_kept_in_provenance(write):
    path = write(
        {
            "fixture": "memo-a",
            "fields": {},
            "provider_model": "x-2026-07-01",
            "system_fingerprint": "fp-1",
            "usage": {"input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 40},
            "cost": 0.0123,
            "retries": 2,
            "duration_s": 1.5,
            "note": "passed over",
        }
    )
    provenance = one(path).provenance

    assert provenance.extractor == "predictions:outputs.jsonl"
    assert provenance.provider_model == "x-2026-07-01"
    assert provenance.usage.cached_input_tokens == 100
    assert provenance.cost.usd == Decimal("0.0123")
    assert provenance.cost.is_new is False
    assert (provenance.retries, provenance.duration_s) == (2, 1.5)


def test_a_file_holds_several_runs_and_models(write):
    path = write(
        *(
            {
                "fixture": name,
                "run_index": run,
                "model": model,
                "fields": {"total": f"{model}{run}"},
            }
            for model in ("large", "small")
            for run in (2, 0)
            for name in ("memo-a", "memo-b")
        )
    )
    file = PredictionFile.open(path)

    assert file.models() == ("large", "small")
    assert file.runs("small") == (0, 2)
    bound = file.bind((A, B), output=FIELDS, field_names=("total",), model="small")
    assert bound.runs() == (0, 2)
    assert bound.extraction(B, 2).fields["total"].value == "small2"
    assert bound.extraction(B, 2).provenance.provider_model == "small"


def test_which_of_several_models_has_to_be_said(write):
    path = write(
        {"fixture": "memo-a", "model": "large", "fields": {}},
        {"fixture": "memo-a", "model": "small", "fields": {}},
    )

    with pytest.raises(RefusedError, match=r"2 models \(large, small\)"):
        bind(path)
    with pytest.raises(RefusedError, match='Did you mean "large"'):
        bind(path, model="larg")


def test_lines_that_name_no_model_serve_any_and_one_model_needs_no_choice(write):
    unnamed = write({"fixture": "memo-a", "fields": {"total": 1}})
    assert one(unnamed, model="vendor-2026").fields["total"].value == 1

    named = write({"fixture": "memo-a", "model": "large", "fields": {"total": 2}})
    assert one(named).fields["total"].value == 2


def test_references_by_hash_prefix_and_name_are_resolved(write):
    path = write(
        {"fixture": A.sha256[:10], "fields": {"total": 1}},
        {"fixture": "market", "fields": {"total": 2}},
        {"fixture": A.sha256, "run_index": 1, "fields": {"total": 3}},
    )
    bound = bind(path)

    values = [bound.extraction(*place).fields["total"].value for place in ((A, 0), (B, 0), (A, 1))]
    assert values == [1, 2, 3]


def test_a_document_without_a_line_is_an_error_and_stays_in_the_count(write):
    bound = bind(write({"fixture": "memo-a", "fields": {}}))

    for missing in (bound.extraction(B, 0), bound.extraction(A, 1)):
        assert missing.status is ExtractionStatus.ERROR
        assert missing.reason == NO_PREDICTION


@pytest.mark.parametrize("sep", ["\n", "\r\n", "\n\n  \n"])
def test_line_ends_blank_lines_and_a_byte_order_mark_do_not_matter(write, sep):
    first = '\ufeff{"fixture": "memo-a", "fields": {"total": "é"}}'
    bound = bind(write(first, '{"fixture": "memo-b", "fields": {"total": "ü"}}', sep=sep))

    assert bound.extraction(A, 0).fields["total"].value == "é"
    assert bound.extraction(B, 0).fields["total"].value == "ü"


# --- what a model said amiss is the status of its answer ----------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"total": 1, "total": 2}', "duplicate key"),
        ('{"total": NaN}', "NaN"),
        ('{"total": 1e999}', "not finite"),
        ('{"total": "\\ud800"}', "surrogate"),
        ('{"total": ' + "9" * 5000 + "}", "digits"),
        ('{"total": ' + "[" * 100 + "]" * 100 + "}", "nested"),
        ("[1]", "expected an object"),
        ("null", "expected an object"),
    ],
)
def test_a_faulty_answer_is_unparsable_and_the_others_stand(write, answer, reason):
    bound = bind(
        write(
            f'{{"fixture": "memo-a", "fields": {answer}}}',
            {"fixture": "memo-b", "fields": {"total": 1}},
        )
    )

    faulty = bound.extraction(A, 0)
    assert faulty.status is ExtractionStatus.UNPARSABLE
    assert reason in (faulty.reason or "")
    assert bound.extraction(B, 0).status is ExtractionStatus.OK


# --- what is wrong with the file is refused, all at once ----------------------------------------


def test_every_faulty_line_is_reported_with_its_number_and_a_remedy(write):
    path = write(
        '{"fixture": "memo-a", "fields": {}',
        "[]",
        {"fixture": "memo-a", "fields": {}},
        {"run_index": 0, "fields": {}},
        {"fixture": "memo-a", "run_index": "first", "fields": {}},
        {"fixture": "memo-a", "run_index": True, "fields": {}},
        {"fixture": "memo-a", "run_index": 1},
        {"fixture": "memo-a", "run_index": 1, "fields": {}, "claims": []},
        {"fixture": "memo-a", "run_index": 1, "raw": {"total": 1}},
        {"fixture": "memo-a", "run_index": 1, "status": "ok"},
        {"fixture": "memo-a", "run_idx": 1, "fields": {}},
        {"fixture": "memo-a", "run_index": 1, "fields": {}, "model": 5},
        {"fixture": "memo-a", "run_index": 1, "fields": {}, "usage": {"input_tokens": -1}},
        {"fixture": "memo-a", "run_index": 1, "fields": {}, "cost": "free"},
        {"fixture": "memo-a", "fields": {}},
    )
    with pytest.raises(InputError) as raised:
        PredictionFile.open(path)

    found = raised.value.faults
    assert [fault.line for fault in found] == [1, 2, *range(4, 16)]
    assert all(fault.remedy for fault in found)
    assert found[-1].problem.endswith("answered twice in this run, first on line 3")
    assert '"run_index"' in (found[9].remedy or "")


def test_bytes_that_are_no_text_are_reported_by_line(write):
    path = write({"fixture": "memo-a", "fields": {}})
    path.write_bytes(path.read_bytes() + b'\n{"fixture": "memo-\xff"}')

    assert faults(path) == [(2, "not UTF-8 at byte 18 of the line")]


def test_nesting_that_no_reader_takes_is_reported_by_line(write):
    path = write('{"fixture": "memo-a", "fields": ' + "[" * 100_000 + "]" * 100_000 + "}")

    assert faults(path)[0][0] == 1


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_is_refused(write, content):
    path = write()
    path.write_bytes(content)

    assert faults(path) == [(None, "holds no prediction")]


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        PredictionFile.open(tmp_path / "nowhere.jsonl")


def test_documents_that_are_unknown_or_answered_twice_are_refused_by_line(write):
    path = write(
        {"fixture": "memo-a", "fields": {}},
        {"fixture": "memo-c", "fields": {}},
        {"fixture": "harbour", "fields": {}},
        {"fixture": A.sha256[:8], "run_index": 1, "fields": {}},
        {"fixture": A.sha256, "run_index": 1, "fields": {}},
    )

    assert [line for line, _ in faults(path)] == [2, 3, 5]


def test_the_wrong_kind_of_answer_is_refused_by_line(write):
    path = write({"fixture": "memo-a", "claims": []}, {"fixture": "memo-b", "raw": "{}"})

    assert faults(path) == [(1, "gives claims, but the set wants fields")]


def test_faults_beyond_a_hundred_are_counted(write):
    found = faults(write(*["{" for _ in range(130)]))

    assert len(found) == 101
    assert found[-1][1] == "30 more lines at fault"


def test_an_overlong_line_is_reported_and_the_next_is_still_found(write):
    path = write({"fixture": "memo-a", "raw": "x" * 900}, "no JSON")

    with pytest.raises(InputError) as raised:
        PredictionIndex.of(path, max_line_bytes=200)
    assert [fault.line for fault in raised.value.faults] == [1, 2]


# --- size ---------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_length_of_answers(write):
    names = [f"memo-{number:03}" for number in range(40)]
    path = write(*({"fixture": name, "raw": "x" * 500_000} for name in names))
    fixtures = tuple(fixture(name) for name in names)

    tracemalloc.start()
    bound = bind(path, fixtures=fixtures)
    assert bound.extraction(fixtures[39], 0).status is ExtractionStatus.UNPARSABLE
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # The file has 20 MB; reading one line holds a few copies of its 0.5 MB.
    assert peak < 5_000_000


def test_the_digest_is_that_of_the_bytes(write):
    path = write({"fixture": "memo-a", "fields": {}})

    assert PredictionFile.open(path).sha256 == sha256_bytes(path.read_bytes())


def test_a_file_that_changed_underneath_yields_errors_not_nonsense(write):
    path = write({"fixture": "memo-a", "fields": {"total": 1}})
    bound = bind(path)
    path.write_text('["something else"]', encoding="utf-8")
    assert bound.extraction(A, 0).status is ExtractionStatus.ERROR

    path.unlink()
    assert bound.extraction(A, 0).status is ExtractionStatus.ERROR


LINES = st.lists(
    st.binary(max_size=40)
    | st.sampled_from(
        [b'{"fixture": "memo-a", "fields": {"total": 1}}', b'{"fixture": "memo-b", "raw": "{}"}']
    ),
    max_size=5,
)


@settings(max_examples=50, deadline=None)
@given(LINES)
def test_any_bytes_are_read_or_refused(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        runs = bind(path).runs()
    except InputError:
        runs = ()

    assert runs in ((), (0,))

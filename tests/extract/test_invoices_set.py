"""The shipped invoices: frozen and fully labelled, read by the rules, and the comparison on them.

The comparison is constructed (golden/invoices/README.md), so its figures are known by hand: a field
has 50 documents × 3 runs = 150 answers.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from evals_pipeline.core.outcomes import ExtractionStatus, FieldOutcome, OutputKind
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.extract.invoices import InvoiceRulesExtractor
from evals_pipeline.extract.predictions import PredictionFile
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.extract.run import run_code_extractor
from evals_pipeline.judge.fields import FieldJudge
from evals_pipeline.score.fields import score_fields
from evals_pipeline.sets import load_golden_set, read_content, text_of

FOLDER = Path(__file__).parents[2] / "golden" / "invoices"
MODEL = "constructed-llm-2026-07"


@pytest.fixture(scope="module")
def golden():
    return load_golden_set(FOLDER)


def score(golden, answers, name):
    """The figures of (document, extraction) pairs, and the matches they were made from."""
    judge = FieldJudge()
    matches = [
        match
        for document, extraction in answers
        for match in judge.judge_document(golden.fields, document, extraction)
    ]
    runs = tuple(sorted({match.run_index for match in matches}))
    planned = len(golden.documents) * len(runs)
    figures = score_fields(
        golden,
        matches,
        model_version=name,
        run_indices=runs,
        statuses=StatusCounts(planned=planned, ok=planned),
    )
    return figures, matches


def constructed(golden, prompt):
    names = tuple(spec.name for spec in golden.fields)
    fixtures = [document.fixture for document in golden.documents]
    file = PredictionFile.open(FOLDER / "predictions" / f"{MODEL}@{prompt}.jsonl")
    bound = file.bind(fixtures, output=OutputKind.FIELDS, field_names=names)
    assert file.models() == (MODEL,)
    return [
        (document, bound.extraction(document.fixture, run))
        for run in bound.runs()
        for document in golden.documents
    ]


@pytest.fixture(scope="module")
def plain(golden):
    return score(golden, constructed(golden, "plain"), "plain")


@pytest.fixture(scope="module")
def hinted(golden):
    return score(golden, constructed(golden, "hinted"), "hinted")


@pytest.fixture(scope="module")
def by_rules(golden):
    names = tuple(spec.name for spec in golden.fields)
    answers = []
    for document in golden.documents:
        fixture = document.fixture
        content = read_content(fixture)
        source = SourceDocument(
            fixture_id=fixture.fixture_id,
            name=fixture.name,
            source_type=golden.source_type,
            media_type=fixture.media_type,
            content=content,
            text=text_of(content, media_type=fixture.media_type),
            locale=document.convention.locale,
            currency=document.convention.currency,
        )
        extraction = run_code_extractor(
            InvoiceRulesExtractor(), source, run_index=0, required_fields=names
        )
        answers.append((document, extraction))
    return answers


def counts(scored):
    return {field.field: (field.correct, field.n) for field in scored[0].fields}


def broken(scored, field):
    return {
        (match.document, match.run_index): match
        for match in scored[1]
        if match.field == field and not match.outcome.is_correct
    }


def test_the_set_is_varied_and_states_what_is_absent(golden):
    assert len(golden.documents) == 50
    assert golden.warnings == ()
    assert len({document.source for document in golden.documents}) == 18
    assert len({document.convention.locale for document in golden.documents}) == 9
    tags = {tag for document in golden.documents for tag in document.tags}
    assert {"pdf", "fax", "photo", "ocr", "two-page", "credit-note", "reminder"} <= tags
    absent = sum(document.labels["due_date"] == (None,) for document in golden.documents)
    assert absent == 21
    assert any(len(document.labels["total"]) > 1 for document in golden.documents)
    assert any(document.corrections for document in golden.documents)


def test_the_rules_answer_every_document_well_but_not_perfectly(golden, by_rules):
    assert {extraction.status for _, extraction in by_rules} == {ExtractionStatus.OK}
    figures, _ = score(golden, by_rules, "invoice-rules@1")
    for field in figures.fields:
        assert Fraction(field.correct, field.n) >= Fraction(9, 10), field.field
    assert figures.correct < figures.n


def test_what_the_rules_cannot_read_they_state_with_less_confidence(golden, by_rules):
    _, matches = score(golden, by_rules, "invoice-rules@1")
    stated = [match for match in matches if match.confidence is not None]
    right = [match.confidence for match in stated if match.outcome.is_correct]
    wrong = [match.confidence for match in stated if not match.outcome.is_correct]
    assert sum(wrong) / len(wrong) < sum(right) / len(right)


def test_the_hint_mends_one_date_and_breaks_the_other(plain, hinted):
    before, after = counts(plain), counts(hinted)
    # 4 documents in all runs and 1 in one: 150 - 13 = 137. With the hint 1 in all runs: 147.
    assert (before["invoice_date"], after["invoice_date"]) == ((137, 150), (147, 150))
    # 2 documents in all runs: 150 - 6 = 144. With the hint 3 more in all, 1 in two, 1 in one: 132.
    assert (before["due_date"], after["due_date"]) == ((144, 150), (132, 150))
    others = set(before) - {"invoice_date", "due_date"}
    assert {name: before[name] for name in others} == {name: after[name] for name in others}


def test_the_overall_figure_moves_by_a_thousandth(plain, hinted):
    # 13 fields × 150 = 1950 values; the dates move by +10 and -12.
    before, after = plain[0], hinted[0]
    assert (before.n, after.correct - before.correct) == (1950, -2)
    assert abs(Fraction(-2, 1950)) < Fraction(2, 1000)


def test_among_the_broken_due_dates_one_is_invented_and_the_others_are_swapped(
    golden, plain, hinted
):
    new = broken(hinted, "due_date").keys() - broken(plain, "due_date").keys()
    matches = [broken(hinted, "due_date")[key] for key in new]
    invented = [m for m in matches if m.outcome is FieldOutcome.INVENTED]
    assert {(m.document, m.want, m.got) for m in invented} == {
        ("harrow-lathe-0131", None, "2026-03-17")
    }
    swapped = {m.document: m.got for m in matches if m.outcome is FieldOutcome.WRONG}
    assert len(matches) == 12
    assert len([m for m in matches if m.document in swapped]) == 12 - len(invented)
    issued = {
        document.fixture.name: document.labels["invoice_date"] for document in golden.documents
    }
    assert swapped.pop("bjorkvik-30452") == "2026-04-23"  # the day on which the work was done
    assert set(swapped) == {"brindle-quay-1203", "cedar-flint-50881", "tannert-26-018"}
    assert all(issued[document] == (got,) for document, got in swapped.items())


def test_runs_disagree_now_and_then_but_no_field_is_unstable(plain, hinted):
    for figures, _ in (plain, hinted):
        shares = [field.disagreement for field in figures.fields]
        assert any(share > 0 for share in shares)
        assert not any(field.is_unstable for field in figures.fields)


def test_the_answers_mix_notations_and_state_confidences():
    text = (FOLDER / "predictions" / f"{MODEL}@plain.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    values = [line["fields"]["total"]["value"] for line in lines if "total" in line["fields"]]
    assert {type(value) for value in values} == {str, float}
    assert any("," in value for value in values if isinstance(value, str))
    confidences = {
        value["confidence"]
        for line in lines
        for value in line["fields"].values()
        if isinstance(value, dict)
    }
    assert len(confidences) > 20
    assert all(0 <= confidence <= 1 for confidence in confidences)

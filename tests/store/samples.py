"""Small records of the store's tests, each with something odd in it."""

from decimal import Decimal
from fractions import Fraction

import duckdb

from evals_pipeline.core.figures import (
    Baseline,
    BaselinePins,
    CalibrationFit,
    DocumentTally,
    FieldDelta,
    GateReport,
)
from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    FieldOutcome,
    FieldVerdict,
    GateVerdict,
    GoldOutcome,
    Presence,
    UncertaintyNature,
)
from evals_pipeline.core.records import Fixture, GoldClaim
from evals_pipeline.core.run_records import (
    Claim,
    Cost,
    Extraction,
    FieldMatch,
    FieldValue,
    JudgedCase,
    JudgedClaim,
    JudgedGold,
    NearMiss,
    Provenance,
    Usage,
)
from evals_pipeline.store import Store


def rows(store: Store, sql: str) -> list[tuple[object, ...]]:
    """What a person's query of the catalogue answers."""
    with duckdb.connect(str(store.refresh_catalogue()), read_only=True) as catalogue:
        return catalogue.execute(sql).fetchall()


PROVENANCE = Provenance(
    extractor="general",
    prompt_sha256="f" * 64,
    answer_key="a" * 64,
    provider_model="model-2026-01-01",
    usage=Usage(input_tokens=100, cached_input_tokens=40, output_tokens=7),
    cost=Cost(usd=Decimal("0.00012300"), price_table="2026-01"),
    retries=2,
    duration_s=1.25,
)


def fixture(fixture_id: str) -> Fixture:
    return Fixture(
        fixture_id=fixture_id,
        name=f"name of {fixture_id}",
        sha256="0" * 64,
        source_type="INVOICE",
        media_type="text/plain",
        inline=b"",
    )


def extraction(fixture_id: str = "a", **changes) -> Extraction:
    values = {
        "fixture_id": fixture_id,
        "run_index": 0,
        "status": ExtractionStatus.OK,
        "claims": (
            Claim(content="Größe: 5 m", confidence=0.0, subjects=("O'Neil", "B")),
            Claim(content="no\0thing", confidence=None, confidence_flag='got "High"'),
        ),
        "fields": {
            "total": FieldValue(value=Decimal("4820.10"), presence=Presence.VALUE, confidence=1.0),
            "po": FieldValue(value="", presence=Presence.BLANK),
        },
        "provenance": PROVENANCE,
    }
    return Extraction(**(values | changes))


def failed(fixture_id: str) -> Extraction:
    return extraction(
        fixture_id,
        status=ExtractionStatus.TRUNCATED,
        reason="output limit",
        claims=(),
        fields={},
        provenance=Provenance(extractor="general"),
    )


def match(fixture_id: str = "a", **changes) -> FieldMatch:
    values = {
        "fixture_id": fixture_id,
        "document": "acme",
        "run_index": 0,
        "field": "total",
        "kind": "money",
        "outcome": FieldOutcome.WRONG,
        "want": "4820.15",
        "got": "4820.10",
        "want_raw": '"4820.15"',
        "got_raw": '"4820.10"',
        "presence": Presence.VALUE,
        "answer": "4820.10",
        "confidence": 0.9,
        "trace": ("read as decimal", 'kept "-"'),
    }
    return FieldMatch(**(values | changes))


def case(case_id: str = "a") -> JudgedCase:
    claim = Claim(content="five", confidence=0.9)
    gold = GoldClaim(
        content="5", confidence_min=0.5, uncertainty_nature=UncertaintyNature.EPISTEMIC
    )
    near = (NearMiss(content="six", similarity=0.7),)
    return JudgedCase(
        case_id=case_id,
        run_index=0,
        status=ExtractionStatus.OK,
        claims=(
            JudgedClaim(
                claim=claim,
                outcome=ClaimOutcome.MATCHED,
                gold_index=0,
                similarity=0.93,
                suspect=("numbers differ",),
                rendering="A: five",
                near=near,
            ),
        ),
        gold=(
            JudgedGold(gold=gold, outcome=GoldOutcome.MATCHED, claim_index=0, similarity=0.93),
            JudgedGold(
                gold=gold, outcome=GoldOutcome.MISSED, claim_index=None, similarity=None, near=near
            ),
        ),
    )


def baseline() -> Baseline:
    pins = BaselinePins(
        set_name="invoices",
        model_version="rules@1",
        provider_model="rules@1",
        prompt_sha256=None,
        extractor="rules@1",
        schema_digest="s1",
        corpus_digest="c1",
        labels_digest="g1",
        n_runs=3,
        recorded_at="2026-07-02T09:30:00Z",
        package_version="0.1.0",
    )
    tally = DocumentTally(fixture_id="a", document="acme", correct=2, n=3, gold_digest="d1")
    return Baseline(
        pins=pins, fields={"total": (tally,), "po": ()}, calibration={"total": Decimal("0.050")}
    )


def gate_report() -> GateReport:
    third = Fraction(1, 3)
    delta = FieldDelta(
        field="total",
        baseline=Fraction(1),
        now=third,
        delta=third - 1,
        tolerance="1 doc",
        verdict=FieldVerdict.REGRESSION,
        n_documents=3,
    )
    return GateReport(
        set_name="invoices",
        model_version="rules@1",
        verdict=GateVerdict.FAIL,
        reasons=("total fell",),
        fields=(delta,),
        overall_baseline=Fraction(1),
        overall_now=third,
        cost_usd=Decimal("0.10"),
    )


def fit(**changes) -> CalibrationFit:
    values = {
        "set_name": "invoices",
        "model_version": "rules@1",
        "method": "temperature",
        "n_pairs": 40,
        "n_movable": 30,
        "parameters": {"temperature": 1.5},
        "ece_before": 0.2,
        "ece_after": 0.1,
        "heldout_n": 10,
        "heldout_ece_before": 0.2,
        "heldout_ece_after": 0.15,
        "refusal": None,
    }
    return CalibrationFit(**(values | changes))

"""Pages with something of everything, and one whose every text would break out if it could."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from evals_pipeline.baseline.compare import GateRules, compare, refused
from evals_pipeline.baseline.record import make_baseline
from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.figures import ClaimFigures, GateReport, SetFigures
from evals_pipeline.core.outcomes import (
    ClaimOutcome,
    ExtractionStatus,
    GoldOutcome,
    UncertaintyNature,
)
from evals_pipeline.core.records import GoldClaim
from evals_pipeline.core.run_records import (
    Claim,
    InputDigests,
    JudgedCase,
    JudgedClaim,
    JudgedGold,
    NearMiss,
    RunStamp,
    StatusCounts,
)
from evals_pipeline.report.html.page import (
    CurvePoint,
    DiffKind,
    DiffLine,
    Excerpt,
    GoldenModel,
    GoldenSection,
    HistoryPoint,
    Measured,
    PromptChange,
    ReportPage,
    ShownFit,
    Side,
    SuiteModel,
    SuiteSection,
    TextMark,
    Unmeasured,
)
from evals_pipeline.score.claims import score_claims
from tests.calibrate.populations import fit, labels
from tests.report.examples import HOSTILE
from tests.scored import document_id, figures, golden_set, measurement, policy
from tests.screens import AFTER, BEFORE, DOCUMENTS, gate_report

AT = datetime(2026, 8, 15, 9, 30, tzinfo=UTC)
SCRIPT = "</script><script>alert(1)</script>"
RIGHT_TO_LEFT = "\u202eabc\u2066"
BREAKING_OUT = f'{HOSTILE} {SCRIPT} {RIGHT_TO_LEFT} =cmd|"/c calc"!A1 \x00\u2028 {"x" * 10_000}'


def digests() -> InputDigests:
    return InputDigests(
        corpus="c" * 64, prompt="a" * 64, extractor="e" * 64, gold="1" * 64, schema="5" * 64,
        judge="d" * 64,
    )  # fmt: skip


def cost(usd: str | None = "0.443") -> AnswerCost:
    return AnswerCost(
        n_answers=200,
        n_metered=200,
        n_priced=200 if usd else 0,
        usd=None if usd is None else Decimal(usd),
        input_tokens=120_000,
        cached_input_tokens=20_000,
        output_tokens=9_000,
        price_tables=("genai-prices 0.1",),
        provider_models=("acme-2026-08-15",),
    )


def measured(model: str = "acme-2026-08-15", **changes: object) -> Measured:
    stated: dict[str, object] = {
        "model_version": model,
        "extractor": "prompt:invoices",
        "stamp": RunStamp(run_id="local", commit="4c81bae" * 5, at=AT, package_version="0.1.0"),
        "digests": digests(),
        "outdated": (),
        "cost": cost(),
        "change": change(),
    }
    return Measured(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def fits() -> tuple[ShownFit, ...]:
    """One that is accepted, and an older one that its held-out runs refuse."""
    oversure = {0.95: labels(30, 10), 0.8: labels(12, 8), 0.6: labels(5, 5)}
    accepted = fit(
        oversure, {0.95: labels(15, 5), 0.8: labels(6, 4)}, notes=("2 of 2 passes pooled",)
    )
    refused_fit = fit(oversure, {0.95: labels(38, 2), 0.8: labels(16, 4)}, n_left_out=3)
    return (
        ShownFit(fit=accepted, day="2026-08-15", is_outdated=False),
        ShownFit(fit=refused_fit, day="2026-08-01", is_outdated=True),
    )


def change() -> PromptChange:
    return PromptChange(
        path="golden/invoices/prompt.md",
        before="4c81bae (HEAD, the change is not committed)",
        lines=(
            DiffLine(kind=DiffKind.GAP, text=""),
            DiffLine(kind=DiffKind.SAME, text="- Copy numbers as they are printed."),
            DiffLine(kind=DiffKind.REMOVED, text="- Write dates as they are printed."),
            DiffLine(kind=DiffKind.ADDED, text="- The invoice date is the day of issue."),
        ),
    )


def scored() -> SetFigures:
    """The figures behind the gate of ``tests.screens``, with dates as people would see them."""
    found = figures(AFTER)
    return replace(
        found,
        fields=tuple(
            replace(
                one,
                misses=tuple(
                    replace(miss, want="2026-04-03", got="2026-03-04") if miss.want else miss
                    for miss in one.misses
                )
                if one.field == "due_date"
                else one.misses,
            )
            for one in found.fields
        ),
    )


def golden_model(gate: GateReport | None = None, **changes: object) -> GoldenModel:
    stated: dict[str, object] = {
        "measured": measured(),
        "figures": scored(),
        "gate": gate or gate_report(),
        "tolerances": dict.fromkeys(AFTER, "0.02"),
        "places": {
            (document_id("acme-03"), "due_date", "2026-04-03", "2026-03-04"): (
                Excerpt(
                    text="Date:      04/03/2026\nDue date:  03/04/2026",
                    line=7,
                    marks=(
                        TextMark(start=11, end=21, side=Side.GOT),
                        TextMark(start=33, end=43, side=Side.WANT),
                    ),
                ),
            )
        },
        "history": (
            HistoryPoint(
                commit="4c81bae", day="2026-08-01", subject="Start",
                shares=dict.fromkeys(AFTER, 0.96),
            ),
            HistoryPoint(commit="now", day="", subject="today", shares=dict.fromkeys(AFTER, 0.9)),
        ),
    }  # fmt: skip
    return GoldenModel(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def golden_section(*models: GoldenModel) -> GoldenSection:
    return GoldenSection(
        set_name="invoices",
        n_documents=len(DOCUMENTS),
        models=models or (golden_model(),),
        slices={document_id(name): ("source=acme", "tag=fax") for name in DOCUMENTS[:20]},
        disagreement_limit=0.1,
        unmeasured=(
            Unmeasured(model_version="acme-2026-09-01", reason='Run "evals run invoices".'),
        ),
        warnings=("golden/invoices/set.yaml: a key that a newer version knows",),
    )


def passing() -> GoldenModel:
    """A model version of the same set whose gate passes."""
    now = measurement(BEFORE, model_version="acme-2026-07-01")
    report = compare(now, make_baseline(now, policy=policy()), GateRules(policy=policy()))
    return golden_model(
        report, measured=measured("acme-2026-07-01", cost=cost("0.412")), figures=now.figures
    )


def refusing() -> GoldenModel:
    report = refused("invoices", "acme-2026-06-01", ["there is no baseline. Record one."])
    return golden_model(
        report,
        measured=measured("acme-2026-06-01", outdated=("prompt",), cost=cost(None)),
        figures=figures(BEFORE, golden_set(BEFORE), model_version="acme-2026-06-01"),
        history=(),
        places={},
    )


def gold(content: str, outcome: GoldOutcome, *, required: bool = True) -> JudgedGold:
    return JudgedGold(
        gold=GoldClaim(
            content=content,
            confidence_min=0.8,
            uncertainty_nature=UncertaintyNature.EPISTEMIC,
            required=required,
        ),
        outcome=outcome,
        claim_index=None,
        similarity=0.71 if outcome is GoldOutcome.MISSED else 0.91,
        near=(NearMiss(content="It is of aluminium.", similarity=0.71),),
    )


def claim(content: str, outcome: ClaimOutcome, gold_index: int | None = None) -> JudgedClaim:
    return JudgedClaim(
        claim=Claim(content=content, confidence=0.9, subjects=("the coin",)),
        outcome=outcome,
        gold_index=gold_index,
        similarity=0.91,
        suspect=("numbers: want 1948, got 1984",) if "1984" in content else (),
        rendering=f"the coin: {content}",
        near=(NearMiss(content="The coin is of aluminium.", similarity=0.62),),
    )


def claim_figures(content: str = "It was struck in 1984.") -> ClaimFigures:
    case = JudgedCase(
        case_id="coin-1",
        run_index=0,
        status=ExtractionStatus.OK,
        claims=(
            claim(content, ClaimOutcome.MATCHED, 0),
            claim("It is of aluminium.", ClaimOutcome.UNDER_CONFIDENCE, 1),
            claim("It is round.", ClaimOutcome.SPURIOUS),
        ),
        gold=(
            gold("The coin was struck in 1948.", GoldOutcome.MATCHED),
            gold("The coin is of aluminium.", GoldOutcome.UNDER_CONFIDENCE),
            gold("The coin weighs 1.1 grams.", GoldOutcome.MISSED),
            gold("The edge is plain.", GoldOutcome.MISSED, required=False),
        ),
    )
    return score_claims(
        [case, replace(case, run_index=1)],
        set_name="coins",
        model_version="coin-catalogue@1",
        run_indices=(0, 1),
        statuses=StatusCounts(planned=2, ok=2),
    )


def suite_section(content: str = "It was struck in 1984.", **changes: object) -> SuiteSection:
    note = PromptChange(path=None, before=None, note="Code answers, so there is no prompt.")
    stated: dict[str, object] = {
        "set_name": "coins",
        "title": "Coins of a catalogue",
        "version": "1.0.0",
        "n_cases": 1,
        "judge": "sentence embeddings at 0.8, matched greedily, guards flag",
        "threshold": 0.8,
        "models": (
            SuiteModel(
                measured=measured(
                    "coin-catalogue@1", change=note, cost=AnswerCost(n_answers=2), fits=fits()
                ),
                figures=claim_figures(content),
                curve=tuple(
                    CurvePoint(threshold=0.5 + place / 10, precision=0.4, recall=0.5 - place / 20)
                    for place in range(6)
                ),
                passages={
                    ("coin-1", "The coin weighs 1.1 grams."): Excerpt(
                        text="Weight: 1.1 g",
                        line=4,
                        marks=(TextMark(start=8, end=11, side=Side.BOTH),),
                    )
                },
            ),
        ),
    }  # fmt: skip
    return SuiteSection(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def page(**changes: object) -> ReportPage:
    stated: dict[str, object] = {
        "project": "demo",
        "made_at": AT,
        "commit": "4c81bae" * 5,
        "subject": "Say which date is the invoice's",
        "package_version": "0.1.0",
        "golden": (golden_section(golden_model(), passing(), refusing()),),
        "suites": (suite_section(),),
        "failures": ("suites/coins-002.yaml: cases: got nothing; expected a list.",),
    }
    return ReportPage(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def hostile_page() -> ReportPage:
    """Every text that a document, a person or a model can choose tries to be something else."""
    text = BREAKING_OUT
    model = golden_model()
    fields = tuple(
        replace(
            one,
            misses=tuple(
                replace(miss, document=text, want=text, got=text[::-1], trace=(text,), note=text)
                for miss in one.misses
            ),
        )
        for one in model.figures.fields
    )
    report = replace(
        model.gate,
        reasons=(text,),
        hints=(text,),
        baseline_source=text,
        newly_failing=tuple(replace(one, document=text) for one in model.gate.newly_failing),
    )
    miss = next(miss for one in fields for miss in one.misses)
    place = (miss.fixture_id, "invoice_number", miss.want, miss.got)
    marks = (TextMark(start=0, end=20, side=Side.WANT), TextMark(start=30, end=90, side=Side.GOT))
    mean = replace(
        model,
        figures=replace(model.figures, fields=fields, notes=(text,)),
        gate=report,
        places={place: (Excerpt(text=text, line=1, marks=marks),)},
        measured=measured(
            text,
            extractor=text,
            fits=(
                ShownFit(
                    fit=replace(
                        fits()[1].fit,
                        method=text,
                        refusal=text,
                        refusal_code=text,
                        remedy=text,
                        notes=(text,),
                        sources=(text,),
                        heldout_sources=(text,),
                    ),
                    day="2026-08-01",
                    is_outdated=True,
                ),
            ),
            change=PromptChange(
                path=text, before=text, lines=(DiffLine(kind=DiffKind.ADDED, text=text),)
            ),
        ),
    )
    section = replace(golden_section(mean), set_name=text, warnings=(text,))
    return page(
        project=text,
        subject=text,
        golden=(replace(section, slices=dict.fromkeys(section.slices, (text,))),),
        suites=(suite_section(text, set_name=text, title=text, warnings=(text,)),),
        failures=(text,),
    )

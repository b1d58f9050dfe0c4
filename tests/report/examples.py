"""Gate reports with something of everything, and with text that would break out if it could."""

from fractions import Fraction

from evals_pipeline.core.figures import (
    CalibrationDelta,
    ChangedDocument,
    FieldDelta,
    GateReport,
    Miss,
)
from evals_pipeline.core.outcomes import FieldOutcome, FieldVerdict, GateVerdict
from tests.scored import document_id

HOSTILE = "a|b `c` <img src=x onerror=alert(1)> @rk #1 \x1b[31m\u202e\n**d** www.x.example &amp;"


def miss(document: str = "acme-01", want: str | None = "1", got: str | None = "2") -> Miss:
    return Miss(
        fixture_id=document_id(document),
        document=document,
        run_index=0,
        want=want,
        got=got,
        outcome=FieldOutcome.WRONG,
    )


def row(verdict: FieldVerdict, field: str = "total", **changes: object) -> FieldDelta:
    stated: dict[str, object] = {
        "field": field,
        "baseline": Fraction(1),
        "now": Fraction(9, 10),
        "delta": Fraction(-1, 10),
        "tolerance": "0.02",
        "verdict": verdict,
        "n_documents": 10,
    }
    return FieldDelta(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def report(**changes: object) -> GateReport:
    stated: dict[str, object] = {
        "set_name": "invoices",
        "model_version": "acme-2026-08-15",
        "verdict": GateVerdict.PASS,
        "reasons": (),
        "n_runs": 1,
        "baseline_n_runs": 1,
        "baseline_source": "4c81bae (HEAD, the change is not committed)",
    }
    return GateReport(**(stated | changes))  # type: ignore[arg-type]  # of a test's own


def of_everything() -> GateReport:
    """Every verdict, a drift, calibration, documents that are not judged."""
    regressed = "total regressed by 0.100. Mend the prompt."
    drift = "drifted apart: the prompt changed. Record it."
    sharp = "the calibration error of total rose by 0.200."
    unchanged = {"baseline": Fraction(1), "now": Fraction(1), "delta": Fraction(0)}
    rows = (
        row(
            FieldVerdict.REGRESSION,
            reason=regressed,
            misses=(miss(),),
            p_value=0.25,
            is_within_noise=True,
        ),
        row(FieldVerdict.UNACKNOWLEDGED, "po", reason="po dropped by 0.100.", misses=(miss(),)),
        row(FieldVerdict.ACKNOWLEDGED, "vat", acknowledged="a torn page (commit 4c81bae)"),
        row(FieldVerdict.IMPROVED, "due", delta=Fraction(1, 10)),
        row(FieldVerdict.UNCHANGED, "supplier", is_unstable=True, **unchanged),
        row(FieldVerdict.NEW, "iban", baseline=None, delta=None),
        row(FieldVerdict.VANISHED, "bic", now=None, delta=None, reason="bic vanished."),
    )
    broken = ChangedDocument(
        field="supplier",
        fixture_id=document_id("acme-02"),
        document="acme-02",
        change="newly failing",
        baseline="1/1",
        now="0/1",
        misses=(miss("acme-02", want=None, got="ACME"),),
    )
    not_judged = tuple(
        ChangedDocument(field=field, fixture_id=document_id(name), document=name, change=change)
        for change, name, field in (
            ("added", "acme-03", None),
            ("removed", "acme-04", None),
            ("relabelled", "acme-05", "total"),
        )
    )
    calibration = CalibrationDelta(
        field="total",
        baseline=Fraction(1, 20),
        now=Fraction(1, 4),
        delta=Fraction(1, 5),
        tolerance="0.05",
        verdict=FieldVerdict.REGRESSION,
        n=10,
        reason=sharp,
    )
    return report(
        verdict=GateVerdict.FAIL,
        reasons=(regressed, "po dropped by 0.100.", "bic vanished.", sharp, drift),
        fields=rows,
        overall_baseline=Fraction(19, 20),
        overall_now=Fraction(9, 10),
        overall_is_within_noise=False,
        newly_failing=(broken,),
        not_gated=not_judged,
        calibration=(calibration,),
        hints=("a hint",),
    )


def hostile() -> GateReport:
    """A document whose name and values try to be something else than text."""
    one = miss(HOSTILE, want=HOSTILE, got=HOSTILE)
    reason = "total regressed by 0.100."
    return report(
        verdict=GateVerdict.FAIL,
        reasons=(reason,),
        fields=(row(FieldVerdict.REGRESSION, reason=reason, misses=(one,)),),
        hints=(HOSTILE,),
    )

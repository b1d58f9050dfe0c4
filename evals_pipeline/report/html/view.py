"""What the templates ask for: words, anchors and drawings made from the page's records."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals_pipeline.core.figures import (
    CalibrationDelta,
    ChangedDocument,
    ClaimFigures,
    GateReport,
)
from evals_pipeline.core.outcomes import GateVerdict
from evals_pipeline.report.html.page import (
    GoldenModel,
    GoldenSection,
    Measured,
    ReportPage,
    in_order,
)
from evals_pipeline.report.numbers import count_text, share_text, statuses_text

statuses = statuses_text

MOST_CHANGED = 50
MOST_REASONS = 4
_TONES = {GateVerdict.PASS: "good", GateVerdict.FAIL: "bad", GateVerdict.REFUSED: "warn"}
_SHORT = 12
METRICS = (
    ("precision", "Precision", "matched of all emitted claims"),
    ("recall", "Recall", "matched of all required gold claims"),
    ("calibration_error", "Calibration error", "right: matched in full; lower is better"),
    (
        "calibration_error_semantic",
        "Calibration error, semantic",
        "right: also below its floor; lower is better",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One set and model version in the page's first table."""

    anchor: str
    set_name: str
    model_version: str
    verdict: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What stands on top: one word, what it is about, and every set and model version."""

    word: str
    tone: str
    leads: tuple[str, ...]
    entries: tuple[Entry, ...]


def summary(page: ReportPage) -> Summary:
    """The page's verdict in words."""
    verdict = page.verdict
    return Summary(
        word="MEASURED" if verdict is None else verdict.name,
        tone="plain" if verdict is None else _TONES[verdict],
        leads=tuple(_leads(page, verdict)),
        entries=tuple(_entries(page)),
    )


def _leads(page: ReportPage, verdict: GateVerdict | None) -> Iterator[str]:
    if verdict is None:
        yield "Claim suites are measured, not gated: no golden set with figures is on this page."
        return
    models = [model for section in page.golden for model in section.models]
    if verdict is GateVerdict.PASS:
        yield f"No field dropped beyond what was accepted, in {count_text(len(models), 'gate')}."
        return
    gates = [found for section in page.golden for found in _gates_with(section, verdict)]
    told = [f"{place}: {reason}" for place, gate in gates for reason in gate.reasons]
    if len(gates) > 1:
        told = [_in_one_line(place, gate.reasons) for place, gate in gates if gate.reasons]
    yield from told if len(told) == 1 else map(_first_sentence, told[:MOST_REASONS])
    if len(told) > MOST_REASONS:
        what = "more reason" if len(gates) == 1 else "more gate"
        yield f"and {count_text(len(told) - MOST_REASONS, what)}, below"


def _in_one_line(place: str, reasons: Sequence[str]) -> str:
    first = f"{place}: {_first_sentence(reasons[0])}"
    return f"{first.rstrip('.')}, and {len(reasons) - 1} more" if len(reasons) > 1 else first


def _gates_with(section: GoldenSection, verdict: GateVerdict) -> Iterator[tuple[str, GateReport]]:
    """The gates of a verdict, each with its set and, where there are several, its model version."""
    found = [model for model in section.models if model.gate.verdict is verdict]
    for model in found:
        place = section.set_name
        if len(found) > 1:
            place = f"{place}, {model.measured.model_version}"
        yield place, model.gate


def _entries(page: ReportPage) -> Iterator[Entry]:
    for number, section in enumerate(page.golden, start=1):
        for place, model in enumerate(in_order(section.models), start=1):
            yield Entry(
                anchor=f"g{number}-{place}",
                set_name=section.set_name,
                model_version=model.measured.model_version,
                verdict=model.gate.verdict.name,
                tone=_TONES[model.gate.verdict],
                words=_gate_words(model),
            )
    for number, suite in enumerate(page.suites, start=1):
        for place, one in enumerate(suite.models, start=1):
            yield Entry(
                anchor=f"c{number}-{place}",
                set_name=suite.set_name,
                model_version=one.measured.model_version,
                verdict="measured",
                tone="plain",
                words=_claim_words(one.figures),
            )


def _first_sentence(reason: str) -> str:
    """What is wrong, without what mends it, which stands further down."""
    return re.split(r"(?<=[.:]) (?=[A-Z])", reason, maxsplit=1)[0]


def _gate_words(model: GoldenModel) -> str:
    gate = model.gate
    if gate.verdict is GateVerdict.REFUSED:
        return _first_sentence(gate.reasons[0]) if gate.reasons else ""
    fails = [row.field for row in gate.fields if row.verdict.fails]
    moved = [
        f"{len(fails)} failing ({', '.join(fails)})" if fails else "",
        _counted(sum(row.delta is not None and row.delta > 0 for row in gate.fields), "improved"),
        _counted(len(gate.newly_failing), "newly failing"),
        _counted(len(gate.newly_passing), "newly passing"),
    ]
    return ", ".join(part for part in moved if part) or "nothing moved"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n else ""


def _claim_words(figures: ClaimFigures) -> str:
    return ", ".join(
        f"{label.lower()} {share_text(figures.metrics[name].mean)}"
        for name, label, _ in METRICS[:3]
        if name in figures.metrics
    )


def tone(verdict: GateVerdict) -> str:
    """The name of a verdict's colours."""
    return _TONES[verdict]


# --- calibration, changes, provenance ------------------------------------------------------------


def calibration_verdict(row: CalibrationDelta) -> str:
    """What the gate says of a field's calibration; without a tolerance, which way it went."""
    if row.reason is not None or row.tolerance is not None or row.delta is None:
        return row.reason or row.verdict.value
    return "rose" if row.delta > 0 else "fell" if row.delta < 0 else "unchanged"


def first(changed: Sequence[ChangedDocument]) -> Sequence[ChangedDocument]:
    """As many as the page lists without its script."""
    return changed[:MOST_CHANGED]


def provenance(measured: Measured) -> tuple[tuple[str, str], ...]:
    """Where a set's figures come from, as names and values; digests in full."""
    digests, stamp = measured.digests, measured.stamp
    named = (
        ("model version", measured.model_version),
        ("answered by", ", ".join(measured.cost.provider_models) or "no model names itself"),
        ("extractor", measured.extractor),
        ("scored", stamp.at.strftime("%Y-%m-%d %H:%M:%S UTC")),
        ("run", stamp.run_id),
        ("commit", stamp.commit or "outside git"),
        ("evals_pipeline", stamp.package_version),
        ("price table", ", ".join(measured.cost.price_tables) or "none was used"),
        ("documents", digests.corpus),
        ("labels or gold", digests.gold),
        ("fields", digests.schema),
        ("prompt", digests.prompt or "none"),
        ("extractor digest", digests.extractor),
        ("judge", digests.judge),
    )
    return tuple(named)


def short(text: str) -> str:
    """The first twelve signs of a digest or commit, with ``-dirty`` where it was."""
    dirty = "-dirty" if text.endswith("-dirty") else ""
    return f"{text[:_SHORT]}{dirty}" if len(text) > _SHORT + len(dirty) else text

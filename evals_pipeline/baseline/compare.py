"""Compares today's figures with a baseline and judges every field; touches no file and no git."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from evals_pipeline.baseline.calibration_rows import calibration_rows
from evals_pipeline.baseline.field_rows import (
    compared_row,
    moved_documents,
    new_row,
    relabelled_documents,
    share_text,
    vanished_row,
)
from evals_pipeline.baseline.hints import pin_hints, row_hints, status_hints
from evals_pipeline.baseline.measurement import (
    Measurement,
    record_before_the_edit,
    unfit_reasons,
)
from evals_pipeline.baseline.noise import is_within_noise, run_spread
from evals_pipeline.baseline.pairing import (
    Pairing,
    mean_share,
    one_sided,
    pair_documents,
    summed_up,
)
from evals_pipeline.core.figures import (
    Baseline,
    ChangedDocument,
    DocumentTally,
    FieldDelta,
    FieldFigures,
    GateReport,
    SetFigures,
    label_hints,
)
from evals_pipeline.core.model_version import is_alias
from evals_pipeline.core.outcomes import FieldVerdict, GateVerdict
from evals_pipeline.core.records import GatePolicy, Tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """What decides: the set's limits, tolerances of single fields, and accepted drops.

    ``accepted`` says per field why a drop is accepted. ``compares_models``: the baseline is another
    model version's, on purpose.
    """

    policy: GatePolicy
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    accepted: Mapping[str, str] = field(default_factory=dict)
    compares_models: bool = False

    def tolerance_of(self, name: str) -> Tolerance:
        """How far a field may drop."""
        return self.tolerances.get(name, self.policy.tolerance)


def compare(now: Measurement, baseline: Baseline, rules: GateRules) -> GateReport:
    """The gate of one set and model version against one baseline.

    Only documents on both sides, with the label that the baseline was measured against, are judged;
    the others are listed. Rows stand in the order of the fields' weights.
    """
    pins = now.pins
    reasons = (*unfit_reasons(now, rules.policy), *_pin_reasons(now, baseline, rules))
    pairings = _pairings(now.figures, baseline)
    if not reasons and not any(pairing.gated for pairing in pairings.values()):
        reasons = (_nothing_matched(now),)
    if reasons:
        return refused(now.pins.set_name, pins.model_version, reasons)
    fields = sorted(now.figures.fields, key=lambda figures: -figures.weight)
    rows = tuple(_rows(fields, baseline, pairings, rules, set_name=pins.set_name))
    calibration = tuple(
        calibration_rows(tuple(fields), baseline, tolerance=rules.policy.calibration_tolerance)
    )
    stated = (*(row.reason for row in rows), *(row.reason for row in calibration))
    failures = tuple(reason for reason in stated if reason is not None)
    gated = [pair for pairing in pairings.values() for pair in pairing.gated]
    before, after = [pair.before for pair in gated], [pair.now for pair in gated]
    overall_before, overall_now = mean_share(before), mean_share(after)
    return GateReport(
        set_name=pins.set_name,
        model_version=pins.model_version,
        verdict=GateVerdict.FAIL if failures else GateVerdict.PASS,
        reasons=failures,
        fields=rows,
        overall_baseline=overall_before,
        overall_now=overall_now,
        overall_noise=run_spread(_overall_by_run(now.figures)),
        overall_is_within_noise=is_within_noise(
            (overall_now or Fraction(0)) - (overall_before or Fraction(0)),
            before=summed_up(before),
            now=summed_up(after),
        ),
        newly_failing=tuple(_moved(fields, pairings, is_worse=True)),
        newly_passing=tuple(_moved(fields, pairings, is_worse=False)),
        not_gated=tuple(_not_gated(now.figures, baseline, pairings)),
        hints=tuple(_hints(now, baseline, rows, rules)),
        cost_usd=now.cost_usd,
        baseline_cost_usd=baseline.cost_usd,
        calibration=calibration,
        statuses=now.figures.statuses,
        n_runs=len(now.figures.run_indices),
        baseline_n_runs=baseline.pins.n_runs,
    )


def refused(set_name: str, model_version: str, reasons: Iterable[str]) -> GateReport:
    """A gate that says nothing of the fields, since what it would say could mislead."""
    return GateReport(
        set_name=set_name,
        model_version=model_version,
        verdict=GateVerdict.REFUSED,
        reasons=tuple(reasons),
    )


def _pin_reasons(now: Measurement, baseline: Baseline, rules: GateRules) -> Iterator[str]:
    """Why the two sides may not be compared."""
    before, pins = baseline.pins, now.pins
    record = record_before_the_edit(pins.set_name, pins.model_version)
    if is_alias(before.provider_model):
        yield (
            f"the baseline is pinned to {before.provider_model}, an alias, so nobody knows what "
            f"answered it. {record}"
        )
    if rules.compares_models:
        return
    mend = (
        f"{record} Once that is committed, gate with --since that commit. "
        'To compare models on purpose, state against = "…" for this model version.'
    )
    if before.model_version != pins.model_version:
        yield (
            f"the baseline is of model version {before.model_version}, today's answers are of "
            f"{pins.model_version}: the difference would measure the model. {mend}"
        )
    elif before.provider_model != pins.provider_model:
        yield (
            f"the baseline was answered by {before.provider_model}, today's answers come from "
            f"{pins.provider_model}: the difference would measure the model. {mend}"
        )


def _nothing_matched(now: Measurement) -> str:
    return (
        "no document has the same label today as in the baseline, so there is nothing to compare. "
        f"{record_before_the_edit(now.pins.set_name, now.pins.model_version)}"
    )


def _pairings(figures: SetFigures, baseline: Baseline) -> Mapping[str, Pairing]:
    """The paired documents of every field that both sides hold."""
    return {
        now.field: pair_documents(baseline.fields[now.field], now.documents)
        for now in figures.fields
        if now.field in baseline.fields
    }


def _rows(
    fields: Iterable[FieldFigures],
    baseline: Baseline,
    pairings: Mapping[str, Pairing],
    rules: GateRules,
    *,
    set_name: str,
) -> Iterator[FieldDelta]:
    names = []
    for figures in fields:
        names.append(figures.field)
        tolerance = rules.tolerance_of(figures.field)
        if figures.field in pairings:
            yield compared_row(
                figures,
                pairings[figures.field],
                tolerance=tolerance,
                accepted=rules.accepted.get(figures.field),
                set_name=set_name,
            )
        else:
            yield new_row(figures, tolerance=tolerance)
    for name in sorted(baseline.fields.keys() - set(names)):
        tolerance = rules.tolerance_of(name)
        yield vanished_row(name, baseline.fields[name], tolerance=tolerance, set_name=set_name)


def _overall_by_run(figures: SetFigures) -> list[float | None]:
    """The share of right field values in each run; every field has the same planned documents."""
    by_run = zip(*(field.accuracy_by_run for field in figures.fields), strict=True)
    return [_mean([share for share in shares if share is not None]) for shares in by_run]


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _moved(
    fields: Iterable[FieldFigures], pairings: Mapping[str, Pairing], *, is_worse: bool
) -> Iterator[ChangedDocument]:
    for figures in fields:
        if figures.field in pairings:
            yield from moved_documents(pairings[figures.field], figures, is_worse=is_worse)


def _not_gated(
    figures: SetFigures, baseline: Baseline, pairings: Mapping[str, Pairing]
) -> Iterator[ChangedDocument]:
    today = {now.field: now.documents for now in figures.fields}
    for tally in one_sided(today, baseline.fields):
        yield _whole_document(tally, change="added", now=share_text(tally))
    for tally in one_sided(baseline.fields, today):
        yield _whole_document(tally, change="removed", before=share_text(tally))
    for name, pairing in pairings.items():
        yield from relabelled_documents(pairing, name)


def _whole_document(
    tally: DocumentTally, *, change: str, before: str | None = None, now: str | None = None
) -> ChangedDocument:
    return ChangedDocument(
        field=None,
        fixture_id=tally.fixture_id,
        document=tally.document,
        change=change,
        baseline=before,
        now=now,
    )


def _hints(
    now: Measurement, baseline: Baseline, rows: Sequence[FieldDelta], rules: GateRules
) -> Iterator[str]:
    before, pins = baseline.pins, now.pins
    if rules.compares_models and before.provider_model != pins.provider_model:
        yield (
            f"compares models as well as prompts: {before.provider_model} answered the baseline, "
            f"{pins.provider_model} answers now"
        )
    elif rules.compares_models:
        yield f"compares with {before.model_version}, another version of the same model"
    yield from pin_hints(baseline, now)
    yield from status_hints(now.figures.statuses)
    for row in rows:
        if row.verdict is FieldVerdict.NEW and row.field in baseline.fields:
            yield f"every label of {row.field} changed since the baseline; it is gated next time"
    yield from row_hints(rows)
    yield from label_hints(now.figures.fields)

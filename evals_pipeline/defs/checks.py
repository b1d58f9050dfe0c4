"""The checks of a set, as Dagster shows them beside its assets.

A check's description is the sentence that a person needs. ERROR stands where a merge should stop,
WARN otherwise; the checks on the files and the gate also block what follows in the same run. A
check by model version shows in its headline only the partition that was looked at last, so the gate
names every other model version that is red.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from evals_pipeline.core.errors import EvalsError
from evals_pipeline.core.figures import FieldDelta, GateReport
from evals_pipeline.core.outcomes import GateVerdict, SetKind
from evals_pipeline.defs.metadata import gate_metadata, page_metadata
from evals_pipeline.defs.partitions import Grid
from evals_pipeline.pipeline.calibration_checks import calibration_steady
from evals_pipeline.pipeline.check_results import CheckResult
from evals_pipeline.pipeline.cost_checks import cost_within_budget
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.model_checks import (
    conformance,
    disagreement_within_limit,
    errors_within_limit,
    inputs_current,
    makes_promises,
    nothing_unjudged,
    runs_complete,
)
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.set_checks import corpus_intact, labels_complete
from evals_pipeline.pipeline.stamps import make_stamp
from evals_pipeline.report.gate_words import set_level_reasons

_ERROR, _WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN
GATE = "gate"
_SHOWN_DOCUMENTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A check by model version: who answers it, how much a no weighs, and what it asks."""

    name: str
    ask: Callable[[Project, str, str], CheckResult]
    severity: dg.AssetCheckSeverity
    description: str


_OF_ALL = (
    _Question(
        name="errors_within_limit",
        ask=errors_within_limit,
        severity=_ERROR,
        description="No more extractions failed than the set allows.",
    ),
    _Question(
        name="runs_complete",
        ask=runs_complete,
        severity=_WARN,
        description="The figures are over every run that there should be.",
    ),
    _Question(
        name="inputs_current",
        ask=inputs_current,
        severity=_WARN,
        description="The figures are of today's documents, prompt, labels and settings.",
    ),
    _Question(
        name="calibration_steady",
        ask=calibration_steady,
        severity=_WARN,
        description="Stated confidence means what it meant when its fit and baseline were made.",
    ),
    _Question(
        name="cost_within_budget",
        ask=cost_within_budget,
        severity=_WARN,
        description="Asking for these figures once costs no more than the model's budget_usd.",
    ),
)
_OF_FIELDS = (
    _Question(
        name="disagreement_within_limit",
        ask=disagreement_within_limit,
        severity=_WARN,
        description="Every field gets the same answer when it is asked again.",
    ),
)
_OF_CLAIMS = (
    _Question(
        name="nothing_unjudged",
        ask=nothing_unjudged,
        severity=_ERROR,
        description="The judge gave a verdict on every pair it was asked about.",
    ),
)
_CONFORMANCE = _Question(
    name="conformance",
    ask=conformance,
    severity=_WARN,
    description="A code extractor fills, in every document, the properties it promises.",
)


def set_checks(project: Project, grid: Grid) -> list[dg.AssetChecksDefinition]:
    """The checks of a set's files and, where a model version can serve it, of its figures."""
    made = [_corpus_check(project.root, grid)]
    if grid.kind is SetKind.FIELDS:
        made.append(_labels_check(project.root, grid))
    if grid.models:
        made.append(_figures_checks(project.root, grid, _questions(project, grid)))
    return made


def _corpus_check(root: Path, grid: Grid) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=grid.key("fixtures"),
        name="corpus_intact",
        blocking=True,
        description="Every document has the bytes that it was frozen with.",
    )
    def check_corpus() -> dg.AssetCheckResult:
        return _result(lambda: corpus_intact(Project.open(root), grid.set_name), _ERROR)

    return check_corpus


def _labels_check(root: Path, grid: Grid) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=grid.key("gold"),
        name="labels_complete",
        blocking=True,
        description="Every field of every document is labelled, with who did it and when.",
    )
    def check_labels() -> dg.AssetCheckResult:
        return _result(lambda: labels_complete(Project.open(root), grid.set_name), _ERROR)

    return check_labels


def _questions(project: Project, grid: Grid) -> tuple[_Question, ...]:
    of_kind = _OF_FIELDS if grid.kind is SetKind.FIELDS else _OF_CLAIMS
    try:
        promises = any(makes_promises(project, grid.set_name, model) for model in grid.models)
    except EvalsError:
        promises = False
    return (*_OF_ALL, *of_kind, *((_CONFORMANCE,) if promises else ()))


def _figures_checks(
    root: Path, grid: Grid, questions: tuple[_Question, ...]
) -> dg.AssetChecksDefinition:
    metrics = grid.key("metrics")
    specs = [
        dg.AssetCheckSpec(
            name=question.name,
            asset=metrics,
            description=question.description,
            partitions_def=grid.by_model(),
        )
        for question in questions
    ]
    has_gate = grid.kind is SetKind.FIELDS
    if has_gate:
        gate = dg.AssetCheckSpec(
            name=GATE,
            asset=metrics,
            description="No field got worse than its tolerance against the committed baseline.",
            blocking=True,
            partitions_def=grid.by_model(),
        )
        specs.append(gate)

    @dg.multi_asset_check(name=f"{grid.safe_name}__figures_checks", specs=specs)
    def check_figures(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        model = context.partition_key
        project = Project.open(root)
        for question in questions:
            answer = _answer(question, project, grid.set_name, model)
            yield _as_result(answer, question.severity, name=question.name, asset=metrics)
        # The gate comes last: once it is red, nothing else of this step would be recorded.
        if has_gate:
            yield _gate_result(project, grid, model, run_id=context.op_execution_context.run_id)

    return check_figures


def _answer(question: _Question, project: Project, set_name: str, model: str) -> CheckResult:
    try:
        return question.ask(project, set_name, model)
    except EvalsError as error:
        return CheckResult(passed=False, description=str(error))


def _gate_result(
    project: Project, grid: Grid, model_version: str, *, run_id: str
) -> dg.AssetCheckResult:
    try:
        stamp = make_stamp(project.root, run_id=run_id)
        report = gate_model(project, grid.set_name, model_version, stamp=stamp)
    except EvalsError as error:
        answer = CheckResult(passed=False, description=str(error))
        return _as_result(answer, _ERROR, name=GATE, asset=grid.key("metrics"))
    others = _other_red_models(project, grid, model_version)
    is_green = report.verdict is GateVerdict.PASS
    word = "Red by its last gate" if is_green else "Also red"
    also = f" {word}: {', '.join(others)}." if others else ""
    return dg.AssetCheckResult(
        passed=is_green,
        asset_key=grid.key("metrics"),
        check_name=GATE,
        severity=_ERROR,
        description=gate_sentence(report) + also,
        metadata={
            **gate_metadata(report),
            **page_metadata(project.root, grid.set_name),
            "red_model_versions": ", ".join(others) or "no other",
        },
    )


def gate_sentence(report: GateReport) -> str:
    """The verdict in a sentence: the fields that fell with their documents, or the reasons."""
    if report.verdict is GateVerdict.PASS:
        return f"{report.model_version}: no field got worse than its tolerance."
    parts = list(report.reasons if report.verdict is GateVerdict.REFUSED else ())
    parts += set_level_reasons(report) if report.verdict is GateVerdict.FAIL else ()
    for row in report.fields:
        if not row.verdict.fails:
            continue
        fell = "" if row.delta is None else f" {float(row.delta):+.3f}"
        parts.append(f"{row.field}: {row.verdict.value}{fell}{_broken(row)}")
    said = "; ".join(part.rstrip(".") for part in parts) or report.verdict.value
    return f"{report.model_version}: {said}."


def _broken(row: FieldDelta) -> str:
    """The first few documents that a field is wrong in, in brackets."""
    documents = list(dict.fromkeys(miss.document for miss in row.misses))
    if not documents:
        return ""
    more = ", …" if len(documents) > _SHOWN_DOCUMENTS else ""
    return f" ({', '.join(documents[:_SHOWN_DOCUMENTS])}{more})"


def _other_red_models(project: Project, grid: Grid, model_version: str) -> list[str]:
    """The set's other model versions whose last verdict is not a pass."""
    red = []
    for model in grid.models:
        stored = project.store.read_gate(grid.set_name, model) if model != model_version else None
        if stored is not None and stored.record.verdict is not GateVerdict.PASS:
            red.append(model)
    return red


def _result(ask: Callable[[], CheckResult], severity: dg.AssetCheckSeverity) -> dg.AssetCheckResult:
    try:
        answer = ask()
    except EvalsError as error:
        answer = CheckResult(passed=False, description=str(error))
    return _as_result(answer, severity)


def _as_result(
    answer: CheckResult,
    severity: dg.AssetCheckSeverity,
    *,
    name: str | None = None,
    asset: dg.AssetKey | None = None,
) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=answer.passed,
        check_name=name,
        asset_key=asset,
        severity=severity,
        description=answer.description,
        metadata=dict(answer.facts),
    )

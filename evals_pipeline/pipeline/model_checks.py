"""Questions that are asked of a set and a model version before anybody believes a figure.

Each answer is a sentence with the documents in it and what mends them. A question that cannot be
answered (nothing is scored yet) is not passed.
"""

from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import ClaimFigures, SetFigures
from evals_pipeline.core.outcomes import ExtractionStatus, SetKind
from evals_pipeline.core.run_records import PartitionKey
from evals_pipeline.extract.conformance import conformance_report, contract_of
from evals_pipeline.pipeline.check_results import CheckResult, Facts, listed
from evals_pipeline.pipeline.digests import set_digests
from evals_pipeline.pipeline.documents import fixtures_of
from evals_pipeline.pipeline.freshness import planned_runs
from evals_pipeline.pipeline.grid import serving
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import StoredFigures, read_figures
from evals_pipeline.score.claims import is_left_open

_FAILED = (ExtractionStatus.ERROR, ExtractionStatus.DECLINED)


def inputs_current(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether the figures are of today's documents, prompt, labels and settings."""
    stored = read_figures(project, set_name, model_version)
    if stored is None:
        return _unscored(set_name, model_version)
    if stored.outdated:
        changed = ", ".join(stored.outdated)
        return CheckResult(
            passed=False,
            description=(
                f"The figures of {model_version} are of earlier inputs: {changed} changed since. "
                f"{_run_again(set_name, model_version)}"
            ),
            facts={"changed": changed},
        )
    return CheckResult(passed=True, description="The figures are of today's files and settings.")


def errors_within_limit(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether no more extractions failed than the set allows (a suite allows none)."""
    stored = read_figures(project, set_name, model_version)
    if stored is None:
        return _unscored(set_name, model_version)
    limit = 0
    if project.kind_of(set_name) is SetKind.FIELDS:
        limit = project.golden_set(set_name).gate.max_errors
    statuses = stored.figures.statuses
    n_failed = statuses.error + statuses.declined + statuses.absent
    facts: Facts = {
        "failed": n_failed,
        "planned": statuses.planned,
        "limit": limit,
        "truncated": statuses.truncated,
        "unparsable": statuses.unparsable,
    }
    if n_failed > limit:
        head = f"{n_failed} of {statuses.planned} extractions failed; the limit is {limit}"
        documents = _failed_documents(project, stored)
        return CheckResult(
            passed=False,
            description=f"{listed(head, documents)} {_run_again(set_name, model_version)}",
            facts=facts,
        )
    return CheckResult(
        passed=True,
        description=f"{n_failed} of {statuses.planned} extractions failed, {limit} may.",
        facts=facts,
    )


def nothing_unjudged(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether the judge gave a verdict on every pair of a suite that it was asked about."""
    stored = read_figures(project, set_name, model_version)
    if stored is None or not isinstance(stored.figures, ClaimFigures):
        return _unscored(set_name, model_version)
    cases = sorted({case.case_id for case in stored.figures.cases if is_left_open(case)})
    counts = {
        "pair": stored.figures.counts.get("unjudged_pairs", 0),
        "claim": stored.figures.counts.get("unjudged", 0),
        "gold claim": stored.figures.counts.get("gold_unjudged", 0),
    }
    facts: Facts = {"unjudged": counts["claim"], "unjudged_pairs": counts["pair"]}
    if not cases and not any(counts.values()):
        return CheckResult(passed=True, description="Every claim is judged.", facts=facts)
    left_open = ", ".join(counted(n, noun) for noun, n in counts.items() if n)
    head = f"{left_open} without a verdict of the judge, in"
    again = (
        f'Run "evals run {set_name} --model {model_version}": it asks the judge again about what '
        "it could not read."
    )
    return CheckResult(passed=False, description=f"{listed(head, cases)} {again}", facts=facts)


def disagreement_within_limit(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether every field of a golden set gets the same answer again when it is asked again."""
    stored = read_figures(project, set_name, model_version)
    if stored is None or not isinstance(stored.figures, SetFigures):
        return _unscored(set_name, model_version)
    limit = project.golden_set(set_name).gate.disagreement
    unstable = [
        f"{one.field} {one.disagreement:.3f}"
        for one in stored.figures.fields
        if one.is_unstable and one.disagreement is not None
    ]
    facts: Facts = {"unstable": len(unstable), "limit": float(limit)}
    if unstable:
        head = (
            f"{counted(len(unstable), 'field')} with answers that differ between runs in "
            f"{float(limit):g} of the documents or more, so that a single figure is partly luck:"
        )
        return CheckResult(passed=False, description=listed(head, unstable), facts=facts)
    compared = any(one.disagreement is not None for one in stored.figures.fields)
    return CheckResult(
        passed=True,
        description=(
            f"No field's runs differ in {float(limit):g} of the documents or more."
            if compared
            else "One run only: nothing to compare."
        ),
        facts=facts,
    )


def runs_complete(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether the figures are over every run that the model version can have."""
    stored = read_figures(project, set_name, model_version)
    if stored is None:
        return _unscored(set_name, model_version)
    planned = planned_runs(project, set_name, model_version)
    missing = sorted(set(planned) - set(stored.figures.run_indices))
    used = len(stored.figures.run_indices)
    facts: Facts = {"runs": used, "planned": len(planned)}
    least = 1
    if project.kind_of(set_name) is SetKind.FIELDS:
        least = project.golden_set(set_name).gate.min_runs
    if missing:
        names = ", ".join(map(str, missing))
        return CheckResult(
            passed=False,
            description=(
                f"The figures lack run {names} of {len(planned)}. "
                f"{_run_again(set_name, model_version)}"
            ),
            facts=facts,
        )
    if used < least:
        return CheckResult(
            passed=False,
            description=f"{counted(used, 'run')}, and gate.min_runs asks for {least}.",
            facts=facts,
        )
    return CheckResult(
        passed=True, description=f"The figures are over {counted(used, 'run')}.", facts=facts
    )


def makes_promises(project: Project, set_name: str, model_version: str) -> bool:
    """Whether the model version is code that says which properties it fills."""
    how = serving(project, set_name, model_version)
    return how.code is not None and contract_of(how.code) is not None


def conformance(project: Project, set_name: str, model_version: str) -> CheckResult:
    """Whether an extractor fills, in every document of the set, the properties that it promises."""
    how = serving(project, set_name, model_version)
    contract = contract_of(how.code) if how.code is not None else None
    if contract is None:
        return CheckResult(passed=True, description=f"{model_version} promises no properties.")
    key = PartitionKey(set_name=set_name, model_version=model_version, run_index=0)
    fixtures = fixtures_of(project, set_name)
    found = [one for one in project.store.iter_extractions(key) if one.fixture_id in fixtures]
    if not found:
        return _unscored(set_name, model_version)
    report = conformance_report(
        contract,
        found,
        acceptors=dict.fromkeys(fixtures, (how.extractor_id,)),
        corpus_hash=set_digests(project, set_name)[0],
    )
    lacking = [
        f"{fixtures[one.fixture_id].name}: {', '.join(one.missing_required)}"
        for one in report.fixtures
        if one.missing_required
    ]
    shares = {one.name: f"{one.filled}/{one.n}" for one in report.properties}
    if lacking:
        head = f"{counted(len(lacking), 'document')} without a property that {model_version} owes:"
        return CheckResult(passed=False, description=listed(head, lacking), facts=shares)
    return CheckResult(
        passed=True,
        description=f"{model_version} fills all it promises in {counted(len(found), 'document')}.",
        facts=shares,
    )


def _failed_documents(project: Project, stored: StoredFigures) -> list[str]:
    figures = stored.figures
    names = {key: one.name for key, one in fixtures_of(project, figures.set_name).items()}
    failed: list[str] = []
    for run_index in figures.run_indices:
        key = PartitionKey(
            set_name=figures.set_name, model_version=figures.model_version, run_index=run_index
        )
        failed.extend(
            f"{names.get(one.fixture_id, one.fixture_id[:12])} (run {run_index}): {one.reason}"
            for one in project.store.iter_extractions(key)
            if one.status in _FAILED
        )
    return failed


def _unscored(set_name: str, model_version: str) -> CheckResult:
    return CheckResult(
        passed=False,
        description=f"Nothing is scored for {model_version}. {_run_again(set_name, model_version)}",
    )


def _run_again(set_name: str, model_version: str) -> str:
    return f'Run "evals run {set_name} --model {model_version}".'

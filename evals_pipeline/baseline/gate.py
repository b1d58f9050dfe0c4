"""The gate of a golden set: the baseline from before the change, the comparison, what git knows.

Whatever keeps it from judging is a refusal with the command that mends it; it writes nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from evals_pipeline.baseline.acknowledgements import (
    ParsedMessages,
    accepted_fields,
    misdirected,
    parse_messages,
)
from evals_pipeline.baseline.choose import RevisionChoice, choose_revision
from evals_pipeline.baseline.compare import GateRules, compare, refused
from evals_pipeline.baseline.drift import drift_reason
from evals_pipeline.baseline.find import find_baseline, read_baseline
from evals_pipeline.baseline.git import Repository
from evals_pipeline.baseline.hints import empty_slices, prompt_hints, set_hints
from evals_pipeline.baseline.inputs import GateInputs
from evals_pipeline.baseline.measurement import (
    Measurement,
    nothing_planned,
    run_command,
    unfit_reasons,
)
from evals_pipeline.baseline.record import baseline_path
from evals_pipeline.core.errors import InputError, RefusedError
from evals_pipeline.core.figures import GateReport
from evals_pipeline.core.outcomes import GateVerdict

__all__ = ["GateInputs", "gate"]


def gate(inputs: GateInputs) -> GateReport:
    """The gate of one golden set and one model version; never raises for what it can refuse."""
    golden, now = inputs.golden, inputs.measurement
    if now is None:
        return refused(golden.name, inputs.model_version, [_nothing_scored(inputs)])
    if unfit := unfit_reasons(now, golden.gate):  # before git is asked anything
        return refused(golden.name, inputs.model_version, unfit)
    try:
        return _judge(inputs, now)
    except InputError as error:
        return refused(golden.name, inputs.model_version, [str(fault) for fault in error.faults])
    except RefusedError as error:
        return refused(golden.name, inputs.model_version, str(error).splitlines())


def _nothing_scored(inputs: GateInputs) -> str:
    golden = inputs.golden
    if not golden.documents or not golden.fields:
        return nothing_planned(golden.name)
    command = run_command(golden.name, inputs.model_version)
    return f'nothing is scored for {inputs.model_version}. Run "{command}".'


def _judge(inputs: GateInputs, now: Measurement) -> GateReport:
    golden = inputs.golden
    repository = Repository.containing(golden.path)
    choice = choose_revision(
        repository,
        since=inputs.since,
        watched=inputs.watched,
        anchor=inputs.changing_path or baseline_path(golden.path, inputs.model_version),
    )
    found = find_baseline(inputs, repository, choice)
    parsed = _messages(repository, choice)
    accepts = (*inputs.accepts, *parsed.acknowledgements)
    rules = GateRules(
        policy=golden.gate,
        tolerances={
            spec.name: spec.tolerance for spec in golden.fields if spec.tolerance is not None
        },
        accepted=accepted_fields(accepts, set_name=golden.name),
        compares_models=inputs.against is not None,
    )
    report = compare(now, found.baseline, rules)
    drift = _drift(inputs, now, repository, choice)
    if report.verdict is GateVerdict.REFUSED:
        return replace(report, baseline_source=found.source)
    hints = (
        *report.hints,
        *_hints(inputs, now, repository, choice),
        *parsed.unread,
        *misdirected(accepts, set_name=golden.name, fields=[row.field for row in report.fields]),
    )
    return replace(
        report,
        verdict=report.verdict if drift is None else GateVerdict.FAIL,
        reasons=report.reasons if drift is None else (*report.reasons, drift),
        hints=hints,
        baseline_source=found.source,
    )


def _messages(repository: Repository | None, choice: RevisionChoice) -> ParsedMessages:
    if repository is None or choice.revision is None:
        return parse_messages([])
    commits = repository.commits_since(choice.revision)
    return parse_messages((commit.sha, commit.message) for commit in commits)


def _hints(
    inputs: GateInputs,
    now: Measurement,
    repository: Repository | None,
    choice: RevisionChoice,
) -> Iterator[str]:
    if repository is not None and choice.revision is not None and inputs.prompt_path is not None:
        n_hunks = repository.count_hunks(choice.revision, inputs.prompt_path)
        yield from prompt_hints(n_hunks, since=choice.revision[:7])
    yield from set_hints(
        inputs.golden.documents, fewest=inputs.min_documents, most=inputs.max_documents
    )
    expected = (f"source={source}" for source in inputs.golden.sources)
    yield from empty_slices(expected, (one.slice for one in now.figures.slices))


def _drift(
    inputs: GateInputs,
    now: Measurement,
    repository: Repository | None,
    choice: RevisionChoice,
) -> str | None:
    """Once a change is committed, the baseline in the tree has to describe it."""
    if repository is None or choice.revision is None or inputs.against is not None:
        return None
    if not choice.is_committed or not repository.has_changed(choice.revision, inputs.watched):
        return None
    return drift_reason(read_baseline(baseline_path(inputs.golden.path, inputs.model_version)), now)

"""The pairs of a fit, read from the recorded runs: stated confidence, and whether it was right."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evals_pipeline.calibrate.fits import Population
from evals_pipeline.core.figures import ConfidencePair
from evals_pipeline.core.judge_settings import JudgedBy, JudgeKind
from evals_pipeline.core.outcomes import ExtractionStatus, Presence, SetKind
from evals_pipeline.core.run_records import FieldMatch, JudgedCase, PartitionKey
from evals_pipeline.core.settings import Provider
from evals_pipeline.pipeline.calibration_sources import CalibrationPlan
from evals_pipeline.pipeline.digests import input_digests
from evals_pipeline.pipeline.judges import judge_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.score.claims import claim_counts, confidence_pairs, is_left_open


@dataclass(frozen=True, slots=True, kw_only=True)
class Populations:
    """What a fit is made from, what it is checked on, and what is to be said of both."""

    fitted: Population
    heldout: Population
    notes: tuple[str, ...] = ()

    @classmethod
    def empty(cls, plan: CalibrationPlan) -> "Populations":
        """No pairs at all, where none may be read."""
        return cls(fitted=Population(sources=plan.sources, n_runs=0), heldout=Population())


def populations(project: Project, plan: CalibrationPlan) -> Populations:
    """The pairs of a plan's recorded runs; nothing is extracted or judged."""
    if plan.kind is SetKind.FIELDS:
        return _field_populations(project, plan)
    return _claim_populations(project, plan)


def _claim_populations(project: Project, plan: CalibrationPlan) -> Populations:
    cases = [case for key in source_keys(plan) for case in _judged(project, key)]
    heldout: list[JudgedCase] = []
    recorded: list[str] = []
    for name in plan.heldout:
        found = [case for run in plan.runs for case in _judged(project, _key(plan, name, run))]
        heldout += found
        recorded += [name] if found else []
    return Populations(
        fitted=_of_cases(cases, sources=plan.sources),
        heldout=_of_cases(heldout, sources=tuple(recorded)),
        notes=tuple(_claim_notes(project, plan, cases)),
    )


def _of_cases(cases: Sequence[JudgedCase], *, sources: tuple[str, ...]) -> Population:
    counts = claim_counts(cases)
    return Population(
        pairs=confidence_pairs(cases),
        n_unjudged=counts["unjudged"],
        # What an earlier version judged does not count its pairs; there is one at least.
        n_unjudged_pairs=sum(max(case.n_unjudged_pairs, is_left_open(case)) for case in cases),
        n_left_out=counts["confidence_left_out"],
        sources=sources,
        n_runs=len({case.run_index for case in cases}),
    )


def _judged(project: Project, key: PartitionKey) -> Sequence[JudgedCase]:
    """The stored cases of a run when they are of today's files and judge; else none."""
    header = project.store.header("claim_matches", key)
    if header is None or header.digests != input_digests(project, key.set_name, key.model_version):
        return ()
    stored = project.store.read_judged_cases(key)
    return stored.cases if stored is not None else ()


def _field_populations(project: Project, plan: CalibrationPlan) -> Populations:
    """The documents halved by their hash: a document's runs and fields stay on one side."""
    keys = current_field_runs(project, plan.set_name, plan.model_version, plan.runs)
    halves: tuple[list[FieldMatch], list[FieldMatch]] = ([], [])
    for key in keys:
        for match in project.store.iter_field_matches(key):
            halves[int(match.fixture_id[:8], 16) % 2].append(match)
    fitted, heldout = (_of_matches(half, plan, n_runs=len(keys)) for half in halves)
    n_documents = [len({match.fixture_id for match in half}) for half in halves]
    note = (
        f"fitted on {n_documents[0]} documents and checked on {n_documents[1]} others, "
        "parted by the parity of their hash"
    )
    return Populations(fitted=fitted, heldout=heldout, notes=(note,) if keys else ())


def _of_matches(matches: Iterable[FieldMatch], plan: CalibrationPlan, *, n_runs: int) -> Population:
    pairs, n_left_out = field_pairs(matches)
    return Population(pairs=pairs, n_left_out=n_left_out, sources=(plan.set_name,), n_runs=n_runs)


def field_pairs(matches: Iterable[FieldMatch]) -> tuple[list[ConfidencePair], int]:
    """Stated confidences with whether the value was right, and how many state none that counts.

    A field whose key the answer leaves out states no value, so it has no confidence to lack.
    """
    pairs: list[ConfidencePair] = []
    n_left_out = 0
    for match in matches:
        if match.answer is None:
            continue
        if match.confidence is not None:
            pairs.append(
                ConfidencePair(confidence=match.confidence, is_correct=match.outcome.is_correct)
            )
        elif match.presence is not Presence.KEY_MISSING:
            n_left_out += 1
    return pairs, n_left_out


def current_field_runs(
    project: Project, set_name: str, model_version: str, runs: Sequence[int]
) -> list[PartitionKey]:
    """The runs of a golden set that are stored and judged from today's files."""
    today = input_digests(project, set_name, model_version)
    keys = [
        PartitionKey(set_name=set_name, model_version=model_version, run_index=run) for run in runs
    ]
    headers = {key: project.store.header("field_matches", key) for key in keys}
    return [key for key, found in headers.items() if found is not None and found.digests == today]


def source_keys(plan: CalibrationPlan) -> list[PartitionKey]:
    """The cells of the sets that give a plan's pairs."""
    return [_key(plan, source, run) for source in plan.sources for run in plan.runs]


def _key(plan: CalibrationPlan, set_name: str, run_index: int) -> PartitionKey:
    return PartitionKey(set_name=set_name, model_version=plan.model_version, run_index=run_index)


def _claim_notes(
    project: Project, plan: CalibrationPlan, cases: Sequence[JudgedCase]
) -> Iterator[str]:
    if plan.is_deterministic:
        yield "one pass: the extractor is code and says the same every time"
    elif cases:
        n_runs = len({case.run_index for case in cases})
        yield f"{n_runs} of {len(plan.runs)} passes pooled"
    failed = [case for case in cases if case.status is not ExtractionStatus.OK]
    if failed:
        yield f"{len(failed)} of {len(cases)} extractions gave no claims and so no pairs"
    if not cases:
        return
    yield f"label: semantic match, judged by {_judges(project, plan, plan.sources)}"
    if plan.heldout:
        yield f"label of held-out runs: judged by {_judges(project, plan, plan.heldout)}"
    is_embedded = any(
        judge_of(project, name, plan.model_version).kind is JudgeKind.EMBEDDING
        for name in plan.sources
    )
    if is_embedded and project.model(plan.model_version).provider is not Provider.CODE:
        yield (
            "no model judged: a paraphrase that the embedding misses is labelled wrong here; one "
            "judges where judge.model names it and nobody states the embedding"
        )


def _judges(project: Project, plan: CalibrationPlan, names: Sequence[str]) -> str:
    found = {str(JudgedBy.of(judge_of(project, name, plan.model_version))) for name in names}
    return "; and by ".join(sorted(found))

"""The harnesses beside claim suites: extract, align with the labels, score.

Nothing is stored here but a model's answers, so that a second run of a harness costs nothing; the
assets of a suite keep its figures (``stored_harnesses``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals_pipeline.core.harness_records import (
    AlignedCase,
    AlignedLabel,
    HarnessCase,
    HarnessFigures,
    HarnessKind,
    HarnessLabel,
    Modality,
)
from evals_pipeline.core.judge_settings import Assignment, GuardMode, JudgeKind, JudgeSettings
from evals_pipeline.core.outcomes import ClaimOutcome, ExtractionStatus, UncertaintyNature
from evals_pipeline.core.records import GoldClaim, SuiteCase
from evals_pipeline.core.run_records import Claim, Extraction, JudgedCase, PartitionKey, RunStamp
from evals_pipeline.judge.arbiter import Arbiter
from evals_pipeline.judge.claims import judge_cases
from evals_pipeline.judge.vectors import VectorCache
from evals_pipeline.llm.estimate import Estimate
from evals_pipeline.pipeline.extraction import count_statuses
from evals_pipeline.pipeline.harness_extraction import (
    Progress,
    extract_harness,
    known_in_harness,
)
from evals_pipeline.pipeline.harness_suites import HarnessCell
from evals_pipeline.pipeline.judge_calls import estimate_rehearsed, rehearsal
from evals_pipeline.pipeline.judges import arbiter_for, vectors_for, with_overrides
from evals_pipeline.pipeline.project import Project
from evals_pipeline.score.harnesses import emitted_property, score_harness


def run_harness(
    project: Project,
    cell: HarnessCell,
    *,
    runs: Sequence[int],
    judge: JudgeSettings,
    stamp: RunStamp,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> HarnessFigures:
    """The figures of a suite for one model version; ``fresh`` samples a model anew.

    Raises:
        InputError, RefusedError, SetupError: as ``extract_harness`` and the judge.
    """
    suite = cell.suite
    extractions = extract_harness(
        project, cell, runs, stamp=stamp, fresh=fresh, on_progress=on_progress
    )
    key = PartitionKey(set_name=suite.suite_id, model_version=cell.model_version, run_index=0)
    cases = align(
        suite.kind,
        [(case, extractions[case.case_id, run]) for run in runs for case in suite.cases],
        judge=judge,
        vectors=vectors_for(project, judge),
        arbiter=arbiter_for(project, judge, key=key, stamp=stamp),
    )
    return score_harness(
        suite,
        cases,
        extractor_id=cell.serving.extractor_id,
        model_version=cell.model_version,
        run_indices=runs,
        statuses=count_statuses(extractions.values(), planned=len(suite.cases) * len(runs)),
        judge=str(judge.kind),
        threshold=judge.threshold,
    )


def estimate_alignment(
    project: Project,
    cell: HarnessCell,
    runs: Sequence[int],
    *,
    judge: JudgeSettings,
    stamp: RunStamp,
) -> list[Estimate]:
    """What aligning a cell's claims would ask a model; empty where none judges. Makes no call."""
    if not judge.asks_model:
        return []
    suite = cell.suite
    known = known_in_harness(project, cell, runs, stamp=stamp)
    places = [(case, known.get((case.case_id, run))) for run in runs for case in suite.cases]
    arbiter = rehearsal(project, judge, suite.suite_id)
    pairs = [(case, extraction) for case, extraction in places if extraction is not None]
    vectors = vectors_for(project, judge)
    align(suite.kind, pairs, judge=judge, vectors=vectors, arbiter=arbiter)
    unknown = [_as_suite_case(case) for case, extraction in places if extraction is None]
    return [estimate_rehearsed(arbiter, unknown)]


def alignment_judge(
    project: Project, *, kind: str | None = None, threshold: float | None = None
) -> JudgeSettings:
    """How emitted claims are aligned with labels: by embedding, from ``judge.low`` (0.65) on.

    Lower than where a claim suite matches: labels are near paraphrases of what an extractor says,
    and what is measured is the property of the claim that was aligned, not its content.

    Raises:
        SetupError: a model is to judge and the settings name none.
    """
    settings = project.settings.judge
    judge = with_overrides(settings, kind=kind or JudgeKind.EMBEDDING.value, threshold=threshold)
    if threshold is None and judge.kind is JudgeKind.EMBEDDING:
        judge = judge.model_copy(update={"threshold": settings.low})
    return judge.model_copy(update={"guards": GuardMode.FLAG, "assignment": Assignment.GREEDY})


def align(
    kind: HarnessKind,
    pairs: Sequence[tuple[HarnessCase, Extraction]],
    *,
    judge: JudgeSettings,
    vectors: VectorCache,
    arbiter: Arbiter | None,
) -> list[AlignedCase]:
    """Each case's labels with the emitted claims that say the same, in the order given.

    A claim stated as a narrative retells the whole entry and is close to many of its labels; so
    narratives are aligned last, with what no other claim took.
    """
    told = [_split(kind, extraction) for _, extraction in pairs]
    first = judge_cases(
        [
            (_as_suite_case(case), replace(extraction, claims=plain))
            for (case, extraction), (plain, _) in zip(pairs, told, strict=True)
        ],
        settings=judge,
        vectors=vectors,
        arbiter=arbiter,
    )
    left = [
        replace(case, labels=tuple(_unaligned(case, judged)))
        for (case, _), judged in zip(pairs, first, strict=True)
    ]
    second = judge_cases(
        [
            (_as_suite_case(case), replace(extraction, claims=narratives))
            for case, (_, extraction), (_, narratives) in zip(left, pairs, told, strict=True)
        ],
        settings=judge,
        vectors=vectors,
        arbiter=arbiter,
    )
    return [
        _aligned_case(kind, case, extraction, (one, other))
        for (case, extraction), one, other in zip(pairs, first, second, strict=True)
    ]


def _split(
    kind: HarnessKind, extraction: Extraction
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """The claims of an extraction, and apart from them those stated as narratives."""
    if kind is not HarnessKind.MODALITY:
        return extraction.claims, ()
    plain: list[Claim] = []
    narratives: list[Claim] = []
    for claim in extraction.claims:
        is_narrative = emitted_property(kind, claim).name == Modality.NARRATIVE
        (narratives if is_narrative else plain).append(claim)
    return tuple(plain), tuple(narratives)


def _as_suite_case(case: HarnessCase) -> SuiteCase:
    """The labels as gold claims, so that the judge of claim suites aligns them."""
    return SuiteCase(
        case_id=case.case_id,
        fixture=case.fixture,
        expected=tuple(
            GoldClaim(
                content=label.content,
                confidence_min=0.0,
                uncertainty_nature=UncertaintyNature.EPISTEMIC,
            )
            for label in case.labels
        ),
        declares_source_type=True,
    )


def _unaligned(case: HarnessCase, judged: JudgedCase) -> list[HarnessLabel]:
    taken = {claim.gold_index for claim in judged.claims}
    return [label for place, label in enumerate(case.labels) if place not in taken]


def _aligned_case(
    kind: HarnessKind,
    case: HarnessCase,
    extraction: Extraction,
    judged: tuple[JudgedCase, JudgedCase],
) -> AlignedCase:
    found: dict[str, tuple[Claim, float | None]] = {
        one.gold[claim.gold_index].gold.content: (claim.claim, claim.similarity)
        for one in judged
        for claim in one.claims
        if claim.gold_index is not None
    }
    is_ok = extraction.status is ExtractionStatus.OK
    stated = [emitted_property(kind, claim) for claim in extraction.claims]
    return AlignedCase(
        case_id=case.case_id,
        run_index=extraction.run_index,
        status=extraction.status,
        reason=extraction.reason,
        labels=tuple(_aligned_label(kind, label, found) for label in case.labels),
        n_emitted=len(stated) if is_ok else 0,
        n_stating=sum(one.is_stated for one in stated) if is_ok else 0,
        n_unjudged=sum(
            claim.outcome is ClaimOutcome.UNJUDGED for one in judged for claim in one.claims
        ),
        narrative_expected=case.narrative_expected,
        narrative_emitted=is_ok and any(one.name == Modality.NARRATIVE for one in stated),
    )


def _aligned_label(
    kind: HarnessKind,
    label: HarnessLabel,
    found: Mapping[str, tuple[Claim, float | None]],
) -> AlignedLabel:
    if label.content not in found:
        return AlignedLabel(label=label, claim=None, similarity=None, emitted=None)
    claim, similarity = found[label.content]
    stated = emitted_property(kind, claim)
    return AlignedLabel(
        label=label,
        claim=claim.content,
        similarity=similarity,
        emitted=stated.name,
        is_stated=stated.is_stated,
        valid_until=stated.valid_until,
        note=stated.note,
    )

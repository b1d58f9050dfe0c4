"""The fractions of a set of gold subjects, each resolved on its own (semantics: claims)."""

from collections.abc import Iterator, Sequence

from evals_pipeline.core.records import GoldSubject
from evals_pipeline.core.resolution_records import (
    ResolutionFigures,
    ResolutionOutcome,
    SubjectResolution,
    normal_ref,
)
from evals_pipeline.resolve.protocol import Resolution, Resolver, SubjectQuery, SubjectStore


def resolve_gold(gold: Sequence[GoldSubject], resolver: Resolver) -> Iterator[SubjectResolution]:
    """Each gold subject resolved from its mention in a store of its own, in the order given."""
    for subject in gold:
        query = SubjectQuery(name=subject.name, mention=subject.mention)
        resolution = resolver.resolve(query, SubjectStore())
        yield SubjectResolution(
            gold=subject,
            outcome=outcome_of(subject, resolution),
            canonical_name=resolution.subject.canonical_name,
            refs=resolution.subject.refs,
            steps=resolution.steps,
        )


def outcome_of(gold: GoldSubject, resolution: Resolution) -> ResolutionOutcome:
    """How a resolution compares with the gold; a link counts at any confidence.

    Of a gold reference only links into the same namespace are compared: another catalogue's number
    beside it is no wrong link. Where the gold says that no authority holds the entity, any link is
    wrong.
    """
    if resolution.is_outage:
        return ResolutionOutcome.OUTAGE
    linked = {str(ref) for ref in resolution.subject.refs}
    if gold.ref is None:
        return ResolutionOutcome.WRONG_REF if linked else ResolutionOutcome.CORRECT
    wanted = normal_ref(gold.ref)
    namespace = wanted.partition(":")[0]
    within = {ref for ref in linked if ref.partition(":")[0] == namespace}
    if wanted in within:
        return ResolutionOutcome.CORRECT
    return ResolutionOutcome.WRONG_REF if within else ResolutionOutcome.BARE_LOCAL


def resolution_figures(
    set_name: str, resolutions: Sequence[SubjectResolution], *, notes: Sequence[str] = ()
) -> ResolutionFigures:
    """Three shares of the resolved ones, which sum to 1; outages stand apart with their number."""
    counts = {
        outcome: sum(one.outcome is outcome for one in resolutions) for outcome in ResolutionOutcome
    }
    n_outages = counts[ResolutionOutcome.OUTAGE]
    n_resolved = len(resolutions) - n_outages

    def share(outcome: ResolutionOutcome) -> float | None:
        return counts[outcome] / n_resolved if n_resolved else None

    return ResolutionFigures(
        set_name=set_name,
        n_gold=len(resolutions),
        n_resolved=n_resolved,
        n_outages=n_outages,
        accuracy=share(ResolutionOutcome.CORRECT),
        wrong_ref=share(ResolutionOutcome.WRONG_REF),
        bare_local=share(ResolutionOutcome.BARE_LOCAL),
        subjects=tuple(resolutions),
        reason=None if n_resolved else _nothing_resolved(n_outages),
        notes=tuple(notes),
    )


def _nothing_resolved(n_outages: int) -> str:
    if n_outages:
        return f"an authority could not be reached for any of the {n_outages} gold subjects"
    return "the suite has no gold subjects"

"""The resolver: the store first, then authorities in order, else a bare local subject."""

from collections.abc import Sequence

from evals_pipeline.resolve.protocol import (
    Authority,
    AuthorityUnreachableError,
    Finding,
    Resolution,
    Subject,
    SubjectQuery,
    SubjectStore,
    folded_names,
)


class CascadeResolver:
    """Asks each authority in turn; the first that has a finding decides.

    An authority that cannot be reached decides nothing: those after it are still asked, and when
    none of them has a finding either, the resolution is an outage and no bare subject, which is
    what a resolver that had been answered would have left.
    """

    def __init__(self, authorities: Sequence[Authority]) -> None:
        self._authorities = tuple(authorities)

    def resolve(self, query: SubjectQuery, store: SubjectStore) -> Resolution:
        """The subject that the name means, found in the store or added to it."""
        known = store.by_name(query.name)
        if known is not None:
            return Resolution(subject=known, steps=("store: known by that name",))
        steps: list[str] = []
        is_outage = False
        for authority in self._authorities:
            try:
                answer = authority.look_up(query)
            except AuthorityUnreachableError as outage:
                steps.append(f"{authority.name}: could not be asked ({outage})")
                is_outage = True
                continue
            steps.append(f"{authority.name}: {answer.step}")
            if answer.finding is not None:
                subject = _placed(query, answer.finding, store)
                return Resolution(subject=subject, steps=tuple(steps))
        if not is_outage:
            steps.append("no authority has it: a bare local subject")
        bare = Subject(canonical_name=query.name, names=folded_names([query.name]))
        return Resolution(subject=store.put(bare), steps=tuple(steps), is_outage=is_outage)


def _placed(query: SubjectQuery, finding: Finding, store: SubjectStore) -> Subject:
    """The subject of a finding: the one that is linked to its entry already, else a new one."""
    if finding.ref is not None and (known := store.by_ref(finding.ref)) is not None:
        return known
    return store.put(
        Subject(
            canonical_name=finding.canonical_name,
            names=folded_names([query.name, finding.canonical_name]),
            refs=() if finding.ref is None else (finding.ref,),
        )
    )

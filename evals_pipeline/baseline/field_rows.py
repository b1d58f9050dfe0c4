"""Rows of the gate's table: one field each, judged on exact fractions over paired documents.

drop > tolerance        regression, fails
0 < drop ≤ tolerance    acknowledged in a commit, or fails
in the baseline only    vanished, fails
today only              new, reported
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from evals_pipeline.baseline.noise import is_within_noise, mcnemar, run_spread
from evals_pipeline.baseline.pairing import Pair, Pairing, mean_share, summed_up
from evals_pipeline.core.counts import counted
from evals_pipeline.core.figures import (
    ChangedDocument,
    DocumentTally,
    FieldDelta,
    FieldFigures,
    Miss,
)
from evals_pipeline.core.outcomes import FieldVerdict
from evals_pipeline.core.records import Tolerance


def compared_row(
    figures: FieldFigures,
    pairing: Pairing,
    *,
    tolerance: Tolerance,
    accepted: str | None,
    set_name: str,
) -> FieldDelta:
    """The row of a field that both sides hold.

    A field of which no label is as it was has nothing to compare with; its row is that of a new
    field. ``accepted`` is the reason for which a drop was acknowledged.
    """
    baseline, now = pairing.baseline, pairing.now
    if baseline is None or now is None:
        return new_row(figures, tolerance=tolerance)
    delta, n_documents = now - baseline, len(pairing.gated)
    verdict = _verdict(delta, tolerance, n_documents=n_documents, is_accepted=accepted is not None)
    worse = moved_documents(pairing, figures, is_worse=True)
    return FieldDelta(
        field=figures.field,
        baseline=baseline,
        now=now,
        delta=delta,
        tolerance=str(tolerance),
        verdict=verdict,
        n_documents=n_documents,
        acknowledged=accepted,
        p_value=mcnemar(pairing.gated),
        noise=run_spread(figures.accuracy_by_run),
        is_unstable=figures.is_unstable,
        misses=tuple(miss for document in worse for miss in document.misses),
        is_within_noise=is_within_noise(
            delta,
            before=summed_up(pair.before for pair in pairing.gated),
            now=summed_up(pair.now for pair in pairing.gated),
        ),
        reason=_reason(
            figures.field,
            verdict,
            baseline=baseline,
            now=now,
            over=f"{counted(n_documents, 'document')}, tolerance {tolerance}",
            set_name=set_name,
            is_accepted=accepted is not None,
        ),
    )


def new_row(figures: FieldFigures, *, tolerance: Tolerance) -> FieldDelta:
    """The row of a field that the baseline has nothing on: shown, neither passed nor failed."""
    return FieldDelta(
        field=figures.field,
        baseline=None,
        now=mean_share(figures.documents),
        delta=None,
        tolerance=str(tolerance),
        verdict=FieldVerdict.NEW,
        n_documents=len(figures.documents),
        noise=run_spread(figures.accuracy_by_run),
        is_unstable=figures.is_unstable,
        misses=figures.misses,
    )


def vanished_row(
    field: str, before: Sequence[DocumentTally], *, tolerance: Tolerance, set_name: str
) -> FieldDelta:
    """The row of a field that the baseline holds and the set no longer does."""
    return FieldDelta(
        field=field,
        baseline=mean_share(before),
        now=None,
        delta=None,
        tolerance=str(tolerance),
        verdict=FieldVerdict.VANISHED,
        n_documents=len(before),
        reason=(
            f"{field} vanished: the baseline measures it, the set does not. Put it back into the "
            f"set.yaml of {set_name}; where it is meant to go, commit that with a new baseline and "
            "gate later changes with --since that commit."
        ),
    )


def moved_documents(
    pairing: Pairing, figures: FieldFigures, *, is_worse: bool
) -> Iterator[ChangedDocument]:
    """Documents that are right less often than before (or more often), the largest move first."""
    moved = [pair for pair in pairing.gated if pair.movement and (pair.movement < 0) is is_worse]
    misses = _misses_by_document(figures, {pair.now.fixture_id for pair in moved})
    for pair in sorted(moved, key=lambda pair: (-abs(_move(pair)), pair.now.document)):
        yield _changed(
            pair,
            field=figures.field,
            change="newly failing" if is_worse else "newly passing",
            misses=misses.get(pair.now.fixture_id, ()),
        )


def relabelled_documents(pairing: Pairing, field: str) -> Iterator[ChangedDocument]:
    """Documents whose label of this field is another than the baseline was measured against."""
    for pair in pairing.relabelled:
        yield _changed(pair, field=field, change="relabelled")


def share_text(tally: DocumentTally) -> str:
    """How often a document was right: ``2/3``."""
    return f"{tally.correct}/{tally.n}"


def _verdict(
    delta: Fraction, tolerance: Tolerance, *, n_documents: int, is_accepted: bool
) -> FieldVerdict:
    if delta >= 0:
        return FieldVerdict.IMPROVED if delta else FieldVerdict.UNCHANGED
    if not tolerance.allows(-delta, n_documents=n_documents):
        return FieldVerdict.REGRESSION
    return FieldVerdict.ACKNOWLEDGED if is_accepted else FieldVerdict.UNACKNOWLEDGED


def _reason(
    field: str,
    verdict: FieldVerdict,
    *,
    baseline: Fraction,
    now: Fraction,
    over: str,
    set_name: str,
    is_accepted: bool,
) -> str | None:
    drop = f"{float(baseline - now):.3f}"
    moved = f"({float(baseline):.3f} to {float(now):.3f} over {over})"
    if verdict is FieldVerdict.REGRESSION:
        covers = " An acknowledgement covers drops within the tolerance only." * is_accepted
        return (
            f"{field} regressed by {drop} {moved}.{covers} Mend the change, or argue a wider "
            f"tolerance in the set.yaml of {set_name}."
        )
    if verdict is FieldVerdict.UNACKNOWLEDGED:
        return (
            f"{field} dropped by {drop} {moved}, which nobody acknowledges. Add the line "
            f'"Accept-Drop: {set_name}/{field} <reason>" to the commit\'s message, or pass '
            f"--accept '{set_name}/{field}=<reason>'."
        )
    return None


def _move(pair: Pair) -> Fraction:
    return Fraction(pair.movement, pair.before.n * pair.now.n)


def _changed(
    pair: Pair, *, field: str, change: str, misses: tuple[Miss, ...] = ()
) -> ChangedDocument:
    return ChangedDocument(
        field=field,
        fixture_id=pair.now.fixture_id,
        document=pair.now.document,
        change=change,
        baseline=share_text(pair.before),
        now=share_text(pair.now),
        misses=misses,
    )


def _misses_by_document(
    figures: FieldFigures, documents: Iterable[str]
) -> dict[str, tuple[Miss, ...]]:
    wanted = frozenset(documents)
    grouped: dict[str, list[Miss]] = {}
    for miss in figures.misses:
        if miss.fixture_id in wanted:
            grouped.setdefault(miss.fixture_id, []).append(miss)
    return {document: tuple(misses) for document, misses in grouped.items()}

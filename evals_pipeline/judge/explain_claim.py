"""Why two claims match or do not, step by step; the answer to "it says the same, so why not?"."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals_pipeline.core.judge_settings import GuardMode, JudgeSettings
from evals_pipeline.core.similarity import clamped
from evals_pipeline.judge.guards import suspect_reasons
from evals_pipeline.judge.open_case import lowest_considered
from evals_pipeline.judge.rendering import cosines, with_subjects
from evals_pipeline.judge.vectors import VectorCache


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimExplanation:
    """What the judge makes of one pair on its own, without other claims that compete for it.

    ``is_match`` None: the LLM judge would be asked. ``rendering`` is the text of the emitted claim
    whose similarity counts.
    """

    is_match: bool | None
    similarity: float
    rendering: str
    suspect: tuple[str, ...]
    trace: tuple[str, ...]


def explain_claim(
    want: str,
    got: str,
    subjects: Sequence[str],
    settings: JudgeSettings,
    vectors: VectorCache,
) -> ClaimExplanation:
    """What the judge makes of a gold claim and an emitted one, with every step it takes.

    Args:
        want: The gold claim's text.
        got: The emitted claim's text, as written.
        subjects: What the extractor says the emitted claim is about.
        settings: The judge's settings.
        vectors: Where the texts' vectors come from.
    """
    completed = with_subjects(got, subjects) if settings.subject_aware else got
    texts = [want, got, completed]
    found = cosines(vectors.vectors(texts[1:]), vectors.vectors(texts[:1]))[:, 0]
    as_written, with_names = clamped(float(found[0])), clamped(float(found[1]))
    similarity, rendering = max((as_written, got), (with_names, completed), key=_cosine)
    suspect = suspect_reasons(want, got, subjects) if similarity >= settings.threshold else ()
    trace = [f"similarity as written: {as_written:.4f}"]
    if completed != got:
        trace.append(f"similarity as {completed!r}: {with_names:.4f}; the higher one counts")
    is_match, steps = _verdict(similarity, suspect, settings)
    return ClaimExplanation(
        is_match=is_match,
        similarity=similarity,
        rendering=rendering,
        suspect=suspect,
        trace=(*trace, *steps),
    )


def _cosine(scored: tuple[float, str]) -> float:
    return scored[0]


def _verdict(
    similarity: float, suspect: Sequence[str], settings: JudgeSettings
) -> tuple[bool | None, list[str]]:
    threshold, low = settings.threshold, lowest_considered(settings)
    if similarity < low:
        return False, [f"below {low:g}: no match, without another look"]
    if similarity < threshold:
        return None, [f"between {low:g} and {threshold:g}: {_who(settings)} is asked"]
    steps = [f"at or above the threshold {threshold:g}"]
    if not suspect:
        return True, [*steps, "no guard objects: match"]
    steps += [f"suspect: {reason}" for reason in suspect]
    if settings.guards is GuardMode.REJECT:
        return False, [*steps, 'guards = "reject": no match']
    if settings.guards is GuardMode.JUDGE:
        return None, [*steps, f'guards = "judge": {_who(settings)} is asked']
    return True, [*steps, 'guards = "flag": match, flagged']


def _who(settings: JudgeSettings) -> str:
    return f"the judge {settings.plugin}" if settings.plugin else "the LLM judge"

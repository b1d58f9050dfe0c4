"""Whether the baseline in the tree still describes the prompt in the tree.

Prompt and baseline change in one commit. A prompt, schema, document or label that was committed
without the baseline it leads to has drifted apart from it, and the next gate would compare with
figures that nothing in the tree gives.
"""

from collections.abc import Iterator

from evals_pipeline.baseline.measurement import Measurement, record_command
from evals_pipeline.baseline.pairing import summed_up
from evals_pipeline.core.figures import Baseline, DocumentTally

_PINS = {
    "provider_model": "the provider's model",
    "prompt_sha256": "the prompt",
    "extractor": "the extractor",
    "schema_digest": "the set's schema",
    "corpus_digest": "the documents",
    "labels_digest": "the labels",
}


def drift_reason(committed: Baseline | None, now: Measurement) -> str | None:
    """Why the committed baseline is not today's figures; None when it is."""
    pins = now.pins
    mend = (
        f'Run "{record_command(pins.set_name, pins.model_version)}" and commit the file '
        "together with the change."
    )
    if committed is None:
        return f"drifted apart: the change is committed without a baseline. {mend}"
    other = [
        what for pin, what in _PINS.items() if getattr(committed.pins, pin) != getattr(pins, pin)
    ]
    if other:
        return (
            f"drifted apart: {', '.join(other)} changed, and the committed baseline was recorded "
            f"before that. {mend}"
        )
    moved = list(_moved(committed, now))
    if moved:
        return (
            f"drifted apart: the committed baseline is not today's figures ({'; '.join(moved[:3])}"
            f"{'; …' if len(moved) > 3 else ''}). It was recorded from other answers: score those, "
            f"from the record of answers, or record these. {mend}"
        )
    return None


def _moved(committed: Baseline, now: Measurement) -> Iterator[str]:
    today = {figures.field: figures.documents for figures in now.figures.fields}
    for field in sorted(committed.fields.keys() | today.keys()):
        before, after = committed.fields.get(field, ()), today.get(field, ())
        if _cells(before) != _cells(after):
            elsewhere = " on other documents" * (_counts(before) == _counts(after))
            yield f"{field} {_counts(before)} in the baseline, {_counts(after)} today{elsewhere}"


def _cells(tallies: tuple[DocumentTally, ...]) -> dict[str, tuple[int, int, str]]:
    return {tally.fixture_id: (tally.correct, tally.n, tally.gold_digest) for tally in tallies}


def _counts(tallies: tuple[DocumentTally, ...]) -> str:
    correct, n = summed_up(tallies)
    return f"{correct}/{n}"

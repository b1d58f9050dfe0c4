"""What makes a close pair suspect: other numbers, a negation, another subject.

Similarity is nearly blind to all three. A guard gives reasons, in words; what they lead to is the
judge's business: flag the pair, ask a model, or refuse it.
"""

from collections.abc import Sequence
from functools import lru_cache

from evals_pipeline.judge.negation_guard import negation_differences
from evals_pipeline.judge.number_guard import number_differences
from evals_pipeline.judge.quantities import LONGEST_TEXT
from evals_pipeline.judge.subject_guard import subject_differences


def suspect_reasons(want: str, got: str, subjects: Sequence[str] = ()) -> tuple[str, ...]:
    """Why a pair should not be trusted on its similarity alone; empty: no reason found.

    Reads the first 4,000 characters of each text, several times what encoders read.

    Args:
        want: The gold claim's text.
        got: The emitted claim's text as the extractor wrote it.
        subjects: What the extractor says that claim is about; may complete the text.

    >>> suspect_reasons("Lamp A1 weighs 2 kg.", "Lamp A1 weighs 2,000 g.")
    ()
    >>> suspect_reasons("Lamp A1 weighs 2 kg.", "Lamp A1 does not weigh 3 kg.")
    ('numbers: want 2 kg, got 3 kg', 'negation: got has "not"')
    """
    return _reasons(want, got, tuple(subjects))


@lru_cache(maxsize=65_536)
def _reasons(want: str, got: str, subjects: tuple[str, ...]) -> tuple[str, ...]:
    if want == got:
        return ()
    want, got = want[:LONGEST_TEXT], got[:LONGEST_TEXT]
    return (
        *number_differences(want, got, known=subjects),
        *negation_differences(want, got),
        *subject_differences(want, got, subjects=subjects),
    )

"""Free text: equal once typesetting and case are folded, or similar at the field's threshold.

The similarity is the normalised Indel similarity of the folded texts, 2·LCS / (len + len): 1 for
equal texts, 0 for texts without a common character, the same both ways. Without a threshold only
equal texts are equal. However similar two texts are, they stay different where a number or a
negation differs: ``approved`` and ``not approved`` share four fifths of their characters.
"""

from decimal import Decimal

from rapidfuzz.distance import Indel

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.characters import fold_text
from evals_pipeline.judge.kinds.protocol import EQUAL, Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.text_guards import what_differs

LONGEST_COMPARED = 50_000
"""Texts longer than this are equal or not; measuring how similar they are takes too long."""

_FOLDED = ("case, spaces, quotes and dashes folded",)
_ROUNDING = 1e-9  # a similarity of 16/20 has to reach a threshold of 0.8


class TextKind:
    """A name, an address, a description."""

    name = "text"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """The folded text."""
        steps: tuple[str, ...] = ()
        if not isinstance(value, str):
            if isinstance(value, list | tuple):
                problem = f"a list of {len(value)} is not one text; kind list compares several"
                return Canonical(text=None, problem=problem)
            if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
                return Canonical(text=None, problem=f"{str(value)[:40]} is not text")
            value, steps = str(value), ("a JSON number, taken as its text",)
        folded = fold_text(value)
        if not folded:
            return Canonical(text=None, steps=steps, problem="nothing to be seen in it")
        if folded != value:
            steps += _FOLDED
        return Canonical(folded, steps)

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Similar enough, and with the same numbers and negations."""
        threshold = context.spec.threshold
        if threshold is None:
            return _NOT_THE_SAME
        if threshold >= 1:
            return _NOT_EQUAL_AT_ONE
        return compare_texts(want.text or "", got.text or "", threshold)


_NOT_THE_SAME = Comparison(
    is_equal=False, reason="the texts differ and the field states no threshold"
)
_NOT_EQUAL_AT_ONE = Comparison(
    is_equal=False, reason="the texts differ and the field's threshold is 1: only equal texts match"
)


def compare_texts(want: str, got: str, threshold: float) -> Comparison:
    """Whether two folded texts are similar at ``threshold`` (inclusive) and no guard objects.

    >>> compare_texts("not approved", "approved", 0.75).reason
    'similarity 0.800 reaches 0.75, but only one side says "not"'
    """
    if want == got:
        return EQUAL
    if max(len(want), len(got)) > LONGEST_COMPARED:
        reason = f"they differ and are too long to measure (over {LONGEST_COMPARED} characters)"
        return Comparison(is_equal=False, reason=reason)
    similarity = Indel.normalized_similarity(want, got)
    if similarity + _ROUNDING < threshold:
        reason = f"similarity {similarity:.3f} is below {threshold:g}"
        return Comparison(is_equal=False, reason=reason)
    reason = f"similarity {similarity:.3f} reaches {threshold:g}"
    if difference := what_differs(want, got):
        return Comparison(is_equal=False, reason=f"{reason}, but {difference}")
    return Comparison(is_equal=True, reason=reason)


def similarity_of(want: str, got: str) -> float:
    """The similarity alone, in [0, 1]; 0 where it takes too long to measure and they differ."""
    if want == got:
        return 1.0
    if max(len(want), len(got)) > LONGEST_COMPARED:
        return 0.0
    return Indel.normalized_similarity(want, got)

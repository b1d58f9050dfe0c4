"""Enumerations: a closed vocabulary with the synonyms that the schema states.

Case, spaces and dashes make no difference, as in text. Where the schema states no vocabulary the
values are compared as they are written, so folded.
"""

from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.characters import fold_text
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.vocabulary import vocabulary_of


class EnumKind:
    """One of a field's stated values."""

    name = "enum"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """The member of the vocabulary."""
        if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
            return Canonical(text=None, problem=f"{str(value)[:40]} is not a word of a vocabulary")
        spelling = str(value)
        if not context.spec.values:
            step = "no vocabulary is stated: compared as written, case and spaces folded"
            return Canonical(text=fold_text(spelling), steps=(step,))
        vocabulary = vocabulary_of(context.spec.values)
        member = vocabulary.member_of(spelling)
        if member is None:
            known = ", ".join(vocabulary.members[:20])
            return Canonical(
                text=None,
                problem=f'"{spelling}" is neither a value of the field nor a synonym ({known})',
            )
        steps = () if member == spelling else (f'"{spelling}" stands for "{member}"',)
        return Canonical(text=member, steps=steps)

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Never, where the members differ."""
        return Comparison(is_equal=False, reason="two different values of the vocabulary")

"""Booleans: true and false of JSON, and the words that stand for them.

The words are true, yes, false and no in English; a schema that states ``values`` for ``true`` and
``false`` replaces yes and no by its own. The number 1 is not true, unless the schema says so.
"""

from collections.abc import Mapping
from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.judge.kinds.protocol import Canonical, Comparison, KindContext
from evals_pipeline.judge.kinds.vocabulary import vocabulary_of

_WORDS: Mapping[str, tuple[str, ...]] = {"true": ("yes",), "false": ("no",)}


class BooleanKind:
    """True or false."""

    name = "boolean"

    def canonical(self, value: JsonValue, context: KindContext) -> Canonical:
        """``true`` or ``false``."""
        if isinstance(value, bool):
            return Canonical(text="true" if value else "false")
        vocabulary = vocabulary_of(context.spec.values or _WORDS)
        word = str(value) if isinstance(value, str | int | float | Decimal) else ""
        member = vocabulary.member_of(word)
        if member is None or member not in _WORDS:
            sort = "the text" if isinstance(value, str) else "the number" if word else "a list"
            return Canonical(text=None, problem=f"{sort} {word} is neither true nor false".strip())
        return Canonical(text=member, steps=(f'"{word}" stands for {member}',))

    def equal(self, want: Canonical, got: Canonical, context: KindContext) -> Comparison:
        """Never, where the texts differ."""
        return Comparison(is_equal=False, reason="one is true, the other false")

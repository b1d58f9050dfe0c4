"""A closed vocabulary: members with the synonyms that the schema states for them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from evals_pipeline.judge.kinds.characters import fold_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Spellings to members: as written, and folded where only one member has that fold."""

    written: Mapping[str, str]
    folded: Mapping[str, str]
    members: tuple[str, ...]

    def member_of(self, spelling: str) -> str | None:
        """The member that ``spelling`` stands for; None when it is in nobody's synonyms."""
        exact = self.written.get(spelling)
        return self.folded.get(fold_text(spelling)) if exact is None else exact


def vocabulary_of(values: Mapping[str, tuple[str, ...]]) -> Vocabulary:
    """The vocabulary of a field's ``values``."""
    return _vocabulary(tuple((member, tuple(synonyms)) for member, synonyms in values.items()))


@lru_cache(maxsize=256)
def _vocabulary(values: tuple[tuple[str, tuple[str, ...]], ...]) -> Vocabulary:
    written: dict[str, str] = {}
    folded: dict[str, set[str]] = defaultdict(set)
    for member, synonyms in values:
        for spelling in (member, *synonyms):
            written.setdefault(spelling, member)
            folded[fold_text(spelling)].add(member)
    return Vocabulary(
        written=written,
        folded={key: members.pop() for key, members in folded.items() if len(members) == 1},
        members=tuple(member for member, _ in values),
    )

"""Judges of one's own: what decides the pairs that similarity leaves open, in the place of a model.

A package adds one through the entry point group ``evals_pipeline.judges``: a class without
constructor arguments that satisfies ``PairJudge``, under its own name. ``judge.kind`` then takes
that name. It is asked about the pairs that an LLM judge would be asked about: those whose
similarity is at least ``judge.low`` and below ``judge.threshold``, and with ``guards = "judge"``
those that a guard suspects.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.judge_settings import JUDGES_GROUP
from evals_pipeline.core.registry import Registry, made_by
from evals_pipeline.judge.arbiter import ClaimPair, Verdict


@runtime_checkable
class PairJudge(Protocol):
    """A judge under a name and in a version; another version marks what it judged as out of date.

    Whatever can change a verdict belongs into the version: a model, a list of words, a threshold.
    """

    @property
    def name(self) -> str:
        """The name of its entry point."""
        ...

    @property
    def version(self) -> str:
        """What tells it from itself before it was changed."""
        ...

    def decide(self, pairs: Sequence[ClaimPair]) -> Sequence[Verdict]:
        """One verdict per pair, in order; ``aligned`` None leaves a pair unjudged.

        The pairs are distinct, over all cases of a run, and may be asked about in several rounds.
        An exception leaves all of them unjudged; an ``EvalsError`` stops the run with its message.
        """
        ...


@lru_cache(maxsize=16)
def installed_judge(name: str) -> PairJudge:
    """The judge that an installed package offers under a name.

    Raises:
        UnknownNameError: no package does.
        SetupError: it cannot be imported or made, or is no judge of that name.
    """
    registry: Registry[Callable[[], PairJudge]] = Registry("judge", JUDGES_GROUP)
    registry.load_entry_points()
    return made(name, registry.get(name))


def made(name: str, factory: Callable[[], PairJudge]) -> PairJudge:
    """One judge of a plugin, checked against the protocol."""
    judge = made_by(
        factory,
        name,
        what="judge",
        protocol=PairJudge,
        members="name, version and decide",
        named="name",
    )
    if not isinstance(judge.version, str) or not judge.version.strip():
        raise SetupError(
            f"judge {name!r}: its version is {judge.version!r}; expected a text, such as '1'."
        )
    return judge

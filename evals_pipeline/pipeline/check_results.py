"""The answer to a check's question: yes or no, in a sentence for a person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Facts: TypeAlias = Mapping[str, str | int | float]
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Whether a question is answered with yes, in a sentence; ``facts`` are the numbers in it."""

    passed: bool
    description: str
    facts: Facts = field(default_factory=dict)


def listed(head: str, items: Iterable[str]) -> str:
    """A sentence with the first few items, and how many more there are."""
    every = list(items)
    shown = "; ".join(one.rstrip(".") for one in every[:_SHOWN])
    more = f"; and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return f"{head.rstrip(':')}: {shown}{more}."

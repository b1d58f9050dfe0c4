"""Which extractor a source type belongs to, and why (semantics: routing).

Extractors are tried in registration order; the first that neither refuses the source type nor
declines it is the choice. A suite belongs to whoever is the choice for one of its source types.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from evals_pipeline.extract.protocol import Routable

R = TypeVar("R", bound=Routable)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingChoice(Generic[R]):
    """The extractor that a source type goes to, None when nobody takes it.

    ``reasons`` has one sentence for every extractor that was asked, the chosen one last.
    """

    source_type: str
    extractor: R | None
    reasons: tuple[str, ...]


def route(source_type: str, extractors: Sequence[R]) -> RoutingChoice[R]:
    """The first extractor, in the order given, that takes the source type."""
    reasons: list[str] = []
    for extractor in extractors:
        name = extractor.extractor_id
        if source_type in extractor.must_not:
            reasons.append(f"{name} must not take {source_type}")
            continue
        refusal = _declines(extractor, source_type)
        if refusal is None:
            reasons.append(f"{name} accepts {source_type}")
            return RoutingChoice(
                source_type=source_type, extractor=extractor, reasons=tuple(reasons)
            )
        reasons.append(refusal)
    if not extractors:
        reasons.append("no extractor is registered")
    return RoutingChoice(source_type=source_type, extractor=None, reasons=tuple(reasons))


def owner_of(source_types: Sequence[str], extractors: Sequence[Routable]) -> tuple[str, ...]:
    """The ids of the extractors that are the choice for at least one of the source types.

    In registration order, each once; empty when nobody takes any of them. More than one id means
    that the suite has no single owner, which ``evals validate`` reports.
    """
    chosen = {
        choice.extractor.extractor_id
        for choice in (route(source_type, extractors) for source_type in source_types)
        if choice.extractor is not None
    }
    ids = (extractor.extractor_id for extractor in extractors)
    return tuple(dict.fromkeys(name for name in ids if name in chosen))


def _declines(extractor: Routable, source_type: str) -> str | None:
    """Why an extractor does not take a source type, None when it does; a crash declines too."""
    name = extractor.extractor_id
    try:
        accepted = extractor.accepts(source_type)
    except Exception as crash:  # noqa: BLE001 - a plugin's crash must not end the routing
        return f"{name} crashed when asked about {source_type} ({type(crash).__name__})"
    return None if accepted is True else f"{name} does not accept {source_type}"

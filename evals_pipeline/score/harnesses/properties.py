"""Which class an emitted claim states for itself, read from its properties.

A claim that says nothing has the default of its kind: falsifiable, asserted, durable. Whether it
said so or said nothing is kept, since an extractor that never states the property cannot be
measured by its silence.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import assert_never

from evals_pipeline.core.harness_records import (
    UNREADABLE,
    HarnessKind,
    Modality,
    Polarity,
    Validity,
)
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Claim

KEYS: dict[HarnessKind, tuple[str, ...]] = {
    HarnessKind.MODALITY: ("modality", "assertion_modality"),
    HarnessKind.POLARITY: ("polarity", "extraction:polarity"),
    HarnessKind.VALIDITY: ("valid_until",),
}
"""Under which key of its properties a claim states each of them; the first that is there counts."""

_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedProperty:
    """The class of a claim; ``is_stated`` False when it is the default."""

    name: str
    is_stated: bool
    valid_until: date | None = None
    note: str | None = None


def emitted_property(kind: HarnessKind, claim: Claim) -> EmittedProperty:
    """The class that a claim states, UNREADABLE with a note when it is none of the kind's.

    >>> claim = Claim(content="It rained.", confidence=0.9, properties={"modality": "narrative"})
    >>> emitted_property(HarnessKind.MODALITY, claim).name
    'NARRATIVE'
    """
    key = next((key for key in KEYS[kind] if key in claim.properties), None)
    raw = None if key is None else claim.properties[key]
    is_silent = raw is None or (isinstance(raw, str) and not raw.strip())
    match kind:
        case HarnessKind.MODALITY:
            return _word(raw, Modality, default=Modality.FALSIFIABLE, is_silent=is_silent)
        case HarnessKind.POLARITY:
            return _word(raw, Polarity, default=Polarity.ASSERTED, is_silent=is_silent)
        case HarnessKind.VALIDITY:
            return _boundary(raw, is_there=key is not None, is_silent=is_silent)
        case _:
            assert_never(kind)


def _word(
    raw: JsonValue,
    vocabulary: type[Modality] | type[Polarity],
    *,
    default: Modality | Polarity,
    is_silent: bool,
) -> EmittedProperty:
    if is_silent:
        return EmittedProperty(name=default.value, is_stated=False)
    word = raw.strip().upper() if isinstance(raw, str) else None
    if word in [member.value for member in vocabulary]:
        return EmittedProperty(name=str(word), is_stated=True)
    return _unreadable(f"not one of the classes: {str(raw)[:_SHOWN]}")


def _boundary(raw: JsonValue, *, is_there: bool, is_silent: bool) -> EmittedProperty:
    if is_silent:
        # A key with null says that the claim has no end; without the key nothing is said.
        return EmittedProperty(name=Validity.DURABLE.value, is_stated=is_there)
    day = _day(raw) if isinstance(raw, str) else None
    if day is None:
        return _unreadable(f'an unreadable date: "{str(raw)[:_SHOWN]}"')
    return EmittedProperty(name=Validity.BOUNDED.value, is_stated=True, valid_until=day)


def _day(text: str) -> date | None:
    for read in (date.fromisoformat, lambda raw: datetime.fromisoformat(raw).date()):
        try:
            return read(text.strip())
        except ValueError:
            continue
    return None


def _unreadable(note: str) -> EmittedProperty:
    return EmittedProperty(name=UNREADABLE, is_stated=True, note=note)

"""From a JSON value, or a model's text, to claims or field values.

Prompts and prediction files both come through here, so that the same answer means the same thing
whichever way it came in. Fields stand as ``{"name": value}``, or ``{"value", "confidence"}`` for a
value that states one; claims as ``[{"content", "confidence", "subjects"}]``, also under a key
``claims``.

An answer that does not keep to its form is ``unparsable`` as a whole: leaving out the one claim
that cannot be read would raise the precision of the rest.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from evals_pipeline.core.absence import is_blank, presence_of
from evals_pipeline.core.answer_text import parse_answer
from evals_pipeline.core.confidence import read_confidence
from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind, Presence
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Claim, FieldValue
from evals_pipeline.extract.protocol import Draft

_CLAIM_KEYS = frozenset({"content", "confidence", "subjects"})


def draft_from_text(
    text: str, *, finish_reason: str | None, output: OutputKind, field_names: Sequence[str] = ()
) -> Draft:
    """What a model's answer says, as it came; never raises."""
    answer = parse_answer(text, finish_reason=finish_reason)
    if answer.status is not ExtractionStatus.OK:
        return Draft(status=answer.status, reason=answer.reason)
    draft = draft_from_value(answer.value, output=output, field_names=field_names)
    return replace(draft, recovered=answer.recovered, repaired=answer.repaired)


def draft_from_value(
    value: JsonValue, *, output: OutputKind, field_names: Sequence[str] = ()
) -> Draft:
    """What a JSON answer says, read from strict JSON.

    Args:
        value: The answer; for fields an object, for claims an array or an object with ``claims``.
        output: Whether it states claims or fills fields.
        field_names: The fields of the set's schema. Those without a key are kept as missing keys;
            keys beyond the schema are kept as they are, nothing judges them.

    Returns:
        Status ok with the values, or ``unparsable`` with the place that does not keep to the form.
    """
    match output:
        case OutputKind.FIELDS:
            return _fields_draft(value, field_names)
        case OutputKind.CLAIMS:
            return _claims_draft(value)
        case _:
            assert_never(output)


def field_value(raw: JsonValue) -> FieldValue:
    """A field's value with how it was there: null and blank strings are kept apart from a value.

    >>> field_value(" ").presence.value
    'blank'
    """
    confidence, flag = None, None
    if isinstance(raw, dict) and "value" in raw:
        if "confidence" in raw:
            confidence, flag = read_confidence(raw["confidence"], is_present=True)
        raw = raw["value"]
    return FieldValue(
        value=raw, presence=presence_of(raw), confidence=confidence, confidence_flag=flag
    )


def _fields_draft(value: JsonValue, field_names: Sequence[str]) -> Draft:
    if not isinstance(value, dict):
        return _unparsable(f"the answer is {_kind(value)}, expected an object of fields")
    if set(value) == {"fields"} and "fields" not in field_names:
        return _fields_draft(value["fields"], field_names)
    missing = FieldValue(value=None, presence=Presence.KEY_MISSING)
    fields = {name: field_value(raw) for name, raw in value.items()}
    return Draft(fields={**{name: missing for name in field_names}, **fields})


def _claims_draft(value: JsonValue) -> Draft:
    if isinstance(value, dict):
        if "claims" not in value:
            return _unparsable('the answer is an object without "claims"')
        value = value["claims"]
    if not isinstance(value, list):
        return _unparsable(f"the claims are {_kind(value)}, expected an array")
    claims: list[Claim] = []
    for number, item in enumerate(value, start=1):
        claim = _claim(item)
        if isinstance(claim, str):
            return _unparsable(f"claim {number}: {claim}")
        claims.append(claim)
    return Draft(claims=tuple(claims))


def _claim(item: JsonValue) -> Claim | str:
    """One claim, or what is wrong with it."""
    if isinstance(item, str):
        item = {"content": item}
    if not isinstance(item, dict):
        return f"it is {_kind(item)}, expected an object"
    content = item.get("content")
    if not isinstance(content, str) or is_blank(content):
        return f"content is {_kind(content)}, expected a text that is not blank"
    subjects = item.get("subjects")
    subjects = [] if subjects is None else subjects
    names = [subjects] if isinstance(subjects, str) else subjects
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return "subjects are not an array of names"
    confidence, flag = read_confidence(item.get("confidence"), is_present="confidence" in item)
    return Claim(
        content=content,
        confidence=confidence,
        confidence_flag=flag,
        subjects=tuple(name.strip() for name in names if isinstance(name, str) and name.strip()),
        properties={key: entry for key, entry in item.items() if key not in _CLAIM_KEYS},
    )


def _kind(value: JsonValue) -> str:
    """What a JSON value is, in words, without quoting it."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a blank text" if is_blank(value) else "a text"
        case list():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a number"


def _unparsable(reason: str) -> Draft:
    return Draft(status=ExtractionStatus.UNPARSABLE, reason=reason)

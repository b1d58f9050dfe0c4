"""Runs a code extractor on one document; whatever happens, the result is one ``Extraction``.

This is the one place that catches whatever a plugin raises. What a plugin hands back is checked
like any other input: a confidence outside [0, 1] is flagged, a value that JSON cannot hold makes
the extraction an error, and a status other than ok carries no values.
"""

import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evals_pipeline.core import strict_json
from evals_pipeline.core.absence import is_blank
from evals_pipeline.core.confidence import read_confidence
from evals_pipeline.core.errors import InputError
from evals_pipeline.core.outcomes import ExtractionStatus, Presence
from evals_pipeline.core.run_records import Claim, Extraction, FieldValue, Provenance
from evals_pipeline.extract.protocol import Draft, Extractor, SourceDocument

NOT_GIVEN = "the extractor did not give this field"


def run_code_extractor(
    extractor: Extractor,
    document: SourceDocument,
    *,
    run_index: int,
    required_fields: tuple[str, ...] = (),
) -> Extraction:
    """One extraction by a code extractor; never raises for what the plugin does.

    Args:
        extractor: The plugin.
        document: What it reads.
        run_index: The repeat that this is, from 0.
        required_fields: The fields of the set's schema, which the document then names to the
            extractor. Those that it leaves out of an ok answer are filled in as missing keys,
            with a note.
    """
    name = f"{extractor.extractor_id}@{extractor.version}"
    started = time.perf_counter()
    asked = required_fields or document.field_names
    draft = _draft(extractor, replace(document, field_names=asked))
    return stamp(
        draft,
        fixture_id=document.fixture_id,
        run_index=run_index,
        required_fields=required_fields,
        provenance=Provenance(extractor=name, duration_s=time.perf_counter() - started),
    )


def stamp(
    draft: Draft,
    *,
    fixture_id: str,
    run_index: int,
    provenance: Provenance,
    required_fields: tuple[str, ...] = (),
) -> Extraction:
    """A draft as the extraction that is stored; missing fields of an ok draft are filled in."""
    is_ok = draft.status is ExtractionStatus.OK
    missing = {
        field: FieldValue(value=None, presence=Presence.KEY_MISSING, note=NOT_GIVEN)
        for field in required_fields
        if field not in draft.fields
    }
    return Extraction(
        fixture_id=fixture_id,
        run_index=run_index,
        status=draft.status,
        reason=draft.reason,
        claims=draft.claims if is_ok else (),
        fields={**draft.fields, **missing} if is_ok else {},
        recovered=draft.recovered,
        repaired=draft.repaired,
        provenance=provenance,
    )


def _draft(extractor: Extractor, document: SourceDocument) -> Draft:
    """The plugin's draft, checked; a refusal, a crash or a faulty draft as a status."""
    source_type = document.source_type
    try:
        if source_type in extractor.must_not or extractor.accepts(source_type) is not True:
            reason = f"{extractor.extractor_id} does not take {source_type}"
            return Draft(status=ExtractionStatus.DECLINED, reason=reason)
        if document.problem is not None:
            return Draft(status=ExtractionStatus.ERROR, reason=document.problem)
        draft = extractor.extract(document)
    except Exception as crash:  # noqa: BLE001 - a plugin's crash becomes a status of its document
        return Draft(status=ExtractionStatus.ERROR, reason=_crash_reason(crash))
    if not isinstance(draft, Draft):
        return _faulty(f"extract() gave {type(draft).__name__}, expected a Draft")
    return _checked(draft)


def _crash_reason(crash: Exception) -> str:
    """Type and place of a crash; its message may quote the document, and is left out."""
    frames = traceback.extract_tb(crash.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"the extractor crashed: {type(crash).__name__}{place}"


def _checked(draft: Draft) -> Draft:
    """The draft with its confidences read; an error where it holds what cannot be stored."""
    if draft.status is not ExtractionStatus.OK:
        return replace(draft, reason=draft.reason or "the extractor gave no reason")
    for number, claim in enumerate(draft.claims, start=1):
        if not isinstance(claim, Claim):
            return _faulty(f"claim {number} is {type(claim).__name__}, expected a Claim")
        if not isinstance(claim.content, str) or is_blank(claim.content):
            return _faulty(f"claim {number} has no content")
    for name, value in draft.fields.items():
        if not isinstance(value, FieldValue):
            return _faulty(f"field {name} is {type(value).__name__}, expected a FieldValue")
    try:
        for claim in draft.claims:
            strict_json.dumps([claim.content, [*claim.subjects], dict(claim.properties)])
        for name, value in draft.fields.items():
            strict_json.dumps([name, value.value])
    except (InputError, TypeError, ValueError, RecursionError) as refusal:
        return _faulty(f"a value cannot be written as strict JSON ({type(refusal).__name__})")
    return replace(
        draft,
        claims=tuple(_with_confidence_read(claim) for claim in draft.claims),
        fields=_with_confidences_read(draft.fields),
    )


def _with_confidence_read(claim: Claim) -> Claim:
    if claim.confidence is None:
        return claim if claim.confidence_flag else replace(claim, confidence_flag="absent")
    confidence, flag = read_confidence(claim.confidence, is_present=True)
    return replace(claim, confidence=confidence, confidence_flag=flag)


def _with_confidences_read(fields: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    read: dict[str, FieldValue] = {}
    for name, value in fields.items():
        if value.confidence is None:
            read[name] = value
            continue
        confidence, flag = read_confidence(value.confidence, is_present=True)
        read[name] = replace(value, confidence=confidence, confidence_flag=flag)
    return read


def _faulty(reason: str) -> Draft:
    return Draft(
        status=ExtractionStatus.ERROR, reason=f"the extractor's answer is faulty: {reason}"
    )

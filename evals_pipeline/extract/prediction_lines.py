"""One line of a predictions file: its keys checked, and what it says beside the answer.

A line is a JSON object: ``fixture`` (case id, hash, unique prefix of it, or name), ``run_index``
(0 when left out), and one of ``fields``, ``claims``, ``raw`` (the model's text as it came, with
``finish_reason``) and ``status`` with ``reason`` (for an answer that never came). Optional:
``model``, and what goes into provenance: ``provider_model``, ``system_fingerprint``, ``usage``,
``cost`` in US dollars, ``retries``, ``duration_s``. Other keys are passed over, unless they look
like a misspelling that would change what the line says.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum

from evals_pipeline.core.outcomes import ExtractionStatus, OutputKind
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Cost, Provenance, Usage


class AnswerForm(StrEnum):
    """How a line gives its answer; exactly one of the keys stands in it."""

    FIELDS = "fields"
    CLAIMS = "claims"
    RAW = "raw"
    STATUS = "status"

    def fits(self, output: OutputKind) -> bool:
        """Whether a set of this kind can be served by an answer of this form."""
        if self in (AnswerForm.RAW, AnswerForm.STATUS):
            return True
        return self.value == output.value


_FORMS = tuple(form.value for form in AnswerForm)
_TEXTS = ("provider_model", "system_fingerprint", "finish_reason", "reason")
_TOKEN_KEYS = ("input_tokens", "cached_input_tokens", "output_tokens")
_OTHER_KEYS = ("fixture", "run_index", "model", "usage", "cost", "retries", "duration_s")
_KEYS = frozenset((*_FORMS, *_TEXTS, *_OTHER_KEYS))
# Misspelling one of these changes what the line says; misspelling the others loses a remark.
_KEYS_THAT_MATTER = (*_FORMS, "fixture", "run_index", "model", "finish_reason")
_STATUSES = tuple(status.value for status in ExtractionStatus if status != ExtractionStatus.OK)


def problems_of(line: Mapping[str, object]) -> list[tuple[str, str]]:
    """What is wrong with a line's keys, each with what to do; empty when nothing is.

    The answer itself is not looked into: what it holds is the model's, not the file's, fault.
    """
    problems = [*_reference_problems(line), *_form_problems(line), *_provenance_problems(line)]
    for key in line:
        if key not in _KEYS and (
            near := get_close_matches(key, _KEYS_THAT_MATTER, n=1, cutoff=0.8)
        ):
            problems.append((f"unknown key {key!r}", f'Did you mean "{near[0]}"?'))
    return problems


def _reference_problems(line: Mapping[str, object]) -> list[tuple[str, str]]:
    problems: list[tuple[str, str]] = []
    fixture = line.get("fixture")
    if not isinstance(fixture, str) or not fixture.strip():
        problems.append(
            (
                "fixture is missing or not a text",
                "Name the document: case id, hash, a unique prefix of the hash, or its name.",
            )
        )
    if not _is_count(line.get("run_index", 0)):
        problems.append(("run_index is not a whole number from 0", "Number the repeats 0, 1, 2 …"))
    model = line.get("model")
    if model is not None and (not isinstance(model, str) or not model.strip()):
        problems.append(("model is not a text", "Name the model, or leave the key out."))
    return problems


def _form_problems(line: Mapping[str, object]) -> list[tuple[str, str]]:
    given = [name for name in _FORMS if name in line]
    if len(given) != 1:
        got = " and ".join(given) or "none of them"
        return [(f"expected one of {', '.join(_FORMS)}, got {got}", "Keep exactly one.")]
    if given == ["raw"] and not isinstance(line["raw"], str):
        return [
            ("raw is not a text", "Write the model's text as it came, or use fields or claims.")
        ]
    if given == ["status"] and line["status"] not in _STATUSES:
        return [
            (f"status is not one of {', '.join(_STATUSES)}", "Give the answer itself if it is.")
        ]
    return []


def _provenance_problems(line: Mapping[str, object]) -> list[tuple[str, str]]:
    problems = [
        (f"{key} is not a text", "Write it as text, or leave it out.")
        for key in _TEXTS
        if not isinstance(line.get(key), str | None)
    ]
    usage = line.get("usage")
    usage = {} if usage is None else usage
    if not isinstance(usage, Mapping) or not all(
        usage.get(key) is None or _is_count(usage[key]) for key in _TOKEN_KEYS
    ):
        remedy = f"Give whole numbers under {', '.join(_TOKEN_KEYS)}, or leave it out."
        problems.append(("usage does not hold counts of tokens", remedy))
    for key in ("cost", "duration_s"):
        if line.get(key) is not None and not _is_amount(line[key]):
            problems.append((f"{key} is not a number from 0", "Write a number, or leave it out."))
    if not _is_count(line.get("retries", 0)):
        problems.append(
            ("retries is not a whole number from 0", "Write a number, or leave it out.")
        )
    return problems


def provenance_of(line: Mapping[str, JsonValue], *, extractor: str) -> Provenance:
    """What a sound line says of where its answer came from; a cost in it was paid long ago."""
    usage = line.get("usage")
    cost = line.get("cost")
    retries = line.get("retries")
    duration = line.get("duration_s")
    return Provenance(
        extractor=extractor,
        provider_model=_text(line.get("provider_model")) or _text(line.get("model")),
        system_fingerprint=_text(line.get("system_fingerprint")),
        finish_reason=_text(line.get("finish_reason")),
        usage=_usage(usage) if isinstance(usage, dict) else None,
        cost=(
            Cost(usd=Decimal(str(cost)), price_table=None, is_new=False)
            if isinstance(cost, int | Decimal)
            else None
        ),
        retries=retries if isinstance(retries, int) else 0,
        duration_s=float(duration) if isinstance(duration, int | Decimal) else None,
    )


def _usage(usage: Mapping[str, JsonValue]) -> Usage:
    counts = {key: count for key in _TOKEN_KEYS if isinstance(count := usage.get(key), int)}
    return Usage(
        input_tokens=counts.get("input_tokens"),
        cached_input_tokens=counts.get("cached_input_tokens"),
        output_tokens=counts.get("output_tokens"),
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_amount(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return 0 <= value < math.inf

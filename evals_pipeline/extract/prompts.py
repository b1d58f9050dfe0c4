"""Prompts: Markdown with a YAML head and a sandboxed Jinja2 body.

    ---
    output: fields            # or claims
    confidence: stated        # or logprobs, or none
    max_output_tokens: 800
    ---
    You read invoices. Fill in:
    {{ fields }}
    <!-- user -->
    {{ document }}

The SHA-256 of the file is the prompt's version. What stands before a line ``<!-- user -->`` is the
system message, what follows the user's; without such a line all of it is the user's. The document
is put in as data: a template inside it is never run, and it cannot end a message.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BeforeValidator, Field

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import (
    Count,
    EdgeModel,
    Exact,
    Text,
    member_of,
    validate_yaml,
)
from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.core.fingerprints import sha256_bytes
from evals_pipeline.core.outcomes import OutputKind
from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.extract.answer_schema import (
    ClaimProperty,
    field_views,
    schema_for_claims,
    schema_for_fields,
)
from evals_pipeline.extract.documents import ShownDocument
from evals_pipeline.extract.protocol import SourceDocument
from evals_pipeline.llm.request import Message, TextPart

VARIABLES = (
    "document",
    "fields",
    "schema",
    "locale",
    "currency",
    "formats",
    "source_type",
    "reference_date",
)
PICTURES_STAND_FOR_TEXT = "(The document follows as pictures.)"
MAX_BYTES = 256 * 2**10

_HEAD = re.compile(r"---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_USER_MARK = re.compile(r"^[ \t]*<!--\s*user\s*-->[ \t]*\r?\n?", re.MULTILINE)


class ConfidenceSource(StrEnum):
    """Where the confidence of a value comes from."""

    STATED = "stated"
    LOGPROBS = "logprobs"
    NONE = "none"


class PromptHead(EdgeModel):
    """The YAML head; parameters here go before those of the model's settings.

    ``properties`` are asked of every claim besides its content (modality, polarity, valid_until).
    """

    output: Annotated[OutputKind, BeforeValidator(member_of(OutputKind))]
    description: Text | None = None
    confidence: Annotated[ConfidenceSource, BeforeValidator(member_of(ConfidenceSource))] = (
        ConfidenceSource.STATED
    )
    temperature: Exact | None = Field(default=None, ge=0)
    max_output_tokens: Count | None = Field(default=None, ge=1)
    properties: tuple[Annotated[ClaimProperty, BeforeValidator(member_of(ClaimProperty))], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt file as loaded; ``sha256`` is its version."""

    where: str
    sha256: str
    output: OutputKind
    confidence: ConfidenceSource
    temperature: Decimal | None
    max_output_tokens: int | None
    system: str
    user: str
    properties: tuple[ClaimProperty, ...] = ()


def read_prompt(path: Path) -> Prompt:
    """The prompt in a file.

    Raises:
        InputError: it cannot be read, or as ``load_prompt``.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError.one(str(path), f"the prompt cannot be read: {error.strerror}") from None
    return load_prompt(content, where=str(path))


def load_prompt(content: bytes | str, *, where: str) -> Prompt:
    """The prompt that a file's content states.

    Raises:
        InputError: No head, a faulty head, a template that does not parse, or that uses a variable
            which does not exist; all faults at once.
    """
    raw = content.encode("utf-8") if isinstance(content, str) else content
    text = _decode(raw, where=where)
    found = _HEAD.match(text)
    if found is None:
        raise InputError.one(
            where,
            "has no head",
            remedy='Begin the file with "---", "output: claims" or "output: fields", "---".',
            line=1,
        )
    # One empty line stands for the opening mark, so that lines count from the start of the file.
    head = validate_yaml(PromptHead, strict_yaml.loads("\n" + found[1], where=where), where=where)
    body = text[found.end() :]
    faults = _template_faults(body, where=where, first_line=text.count("\n", 0, found.end()) + 1)
    if head.properties and head.output is not OutputKind.CLAIMS:
        problem = "properties are asked of claims, and the output is fields"
        faults.append(Fault(where=where, problem=problem, remedy="Remove properties.", line=1))
    if faults:
        raise InputError(faults)
    system, user = _split(body)
    return Prompt(
        where=where,
        sha256=sha256_bytes(raw),
        output=head.output,
        confidence=head.confidence,
        temperature=head.temperature,
        max_output_tokens=head.max_output_tokens,
        system=system,
        user=user,
        properties=head.properties,
    )


def _decode(raw: bytes, *, where: str) -> str:
    if len(raw) > MAX_BYTES:
        raise InputError.one(where, f"longer than {MAX_BYTES} bytes, got {len(raw)}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError.one(
            where, f"not UTF-8 at byte {error.start}", remedy="Save it as UTF-8."
        ) from None


def _split(body: str) -> tuple[str, str]:
    """System and user part; the mark is looked for in the template, never in what is put in."""
    mark = _USER_MARK.search(body)
    return ("", body) if mark is None else (body[: mark.start()], body[mark.end() :])


def _template_faults(body: str, *, where: str, first_line: int) -> list[Fault]:
    if not body.strip():
        return [Fault(where=where, problem="the prompt says nothing", line=first_line)]
    environment = _environment()
    try:
        used = meta.find_undeclared_variables(environment.parse(body))
    except TemplateSyntaxError as error:
        line = first_line + error.lineno - 1
        return [Fault(where=where, problem=f"not a template: {error.message}", line=line)]
    unknown = sorted(used - set(VARIABLES))
    faults = [
        Fault(
            where=where,
            problem=f"the variable {name} does not exist",
            remedy=did_you_mean(name, VARIABLES),
            line=first_line + _line_of(name, body),
        )
        for name in unknown
    ]
    if "document" not in used:
        faults.append(
            Fault(
                where=where,
                problem="the document is nowhere put in",
                remedy="Add {{ document }}.",
                line=first_line,
            )
        )
    return faults


@lru_cache(maxsize=32)
def variables_of(prompt: Prompt) -> frozenset[str]:
    """The variables that a prompt's text uses; their values shape what is sent."""
    template = _environment().parse(f"{prompt.system}\n{prompt.user}")
    return frozenset(meta.find_undeclared_variables(template))


def _line_of(name: str, body: str) -> int:
    """How many lines stand before the first use of a variable."""
    found = re.search(rf"{{[{{%][^}}]*\b{re.escape(name)}\b", body)
    return body.count("\n", 0, found.end()) if found else 0


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False
    )


@lru_cache(maxsize=32)
def _compiled(template: str) -> Template:
    """A part of a prompt, compiled once for all documents."""
    return _environment().from_string(template)


def answer_schema(prompt: Prompt, fields: Sequence[FieldSpec]) -> dict[str, JsonValue]:
    """The JSON Schema of the answer to a prompt."""
    is_stated = prompt.confidence is ConfidenceSource.STATED
    if prompt.output is OutputKind.FIELDS:
        return schema_for_fields(fields, with_confidence=is_stated)
    return schema_for_claims(with_confidence=is_stated, properties=prompt.properties)


def render(
    prompt: Prompt,
    document: SourceDocument,
    shown: ShownDocument,
    *,
    fields: Sequence[FieldSpec] = (),
) -> tuple[Message, ...]:
    """The messages that are sent for one document.

    Raises:
        InputError: the template fails on this document.
    """
    values = {
        "document": PICTURES_STAND_FOR_TEXT if shown.text is None else shown.text,
        "fields": field_views(fields),
        "schema": json.dumps(answer_schema(prompt, fields), ensure_ascii=False, indent=2),
        "locale": document.locale,
        "currency": document.currency,
        "formats": document.formats,
        "source_type": document.source_type,
        "reference_date": document.reference_date,
    }
    system = _rendered(prompt.system, values, where=prompt.where)
    user = _rendered(prompt.user, values, where=prompt.where)
    spoken = [Message.of_text("system", system)] if system else []
    return (*spoken, Message(role="user", parts=(TextPart(text=user), *shown.images)))


def _rendered(template: str, values: Mapping[str, object], *, where: str) -> str:
    try:
        return _compiled(template).render(values).strip()
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise InputError.one(
            where, f"the template fails: {type(error).__name__}: {error}"
        ) from None

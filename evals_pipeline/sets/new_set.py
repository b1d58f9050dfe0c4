"""Starts a golden set: its ``set.yaml``, a first prompt, and the folders, from a few answers."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals_pipeline.core import strict_yaml
from evals_pipeline.core.edges import validate_yaml
from evals_pipeline.core.errors import InputError
from evals_pipeline.sets.golden import SET_FILE
from evals_pipeline.sets.paths import is_plain_name, shown
from evals_pipeline.sets.redaction.ledger import LEDGER_FILE
from evals_pipeline.sets.set_model import SetModel, known_kinds
from evals_pipeline.sets.shelf import DOCUMENTS, LABELS

PROMPT_FILE = "prompt.md"
GUESSED_KINDS: Sequence[tuple[str, str]] = (
    (r"(^|_)(date|day|due|deadline|born|expiry|dob)(_|$)", "date"),
    (r"(^|_)(days|weeks|months|years|minutes|seconds|distance|area|length|age)$", "number"),
    (
        r"(^|_)(total|amount|price|net|gross|tax|fees?|sum|balance|subtotal|costs?|rent|deposit"
        r"|salary|wage|premium|charges?|discount|payment|budget|revenue|fare)(_|$)",
        "money",
    ),
    (r"(^|_)(rate|percent|percentage|share)(_|$)", "percent"),
    (
        r"(^|_)(number|no|nr|id|ref|reference|iban|bic|vat|code|sku|account|order|po)(_|$)",
        "identifier",
    ),
    (r"(^|_)(quantity|qty|count|pages|weight|hours)(_|$)", "number"),
    (r"^(is|has|was)_", "boolean"),
    (r"(^|_)(lines|items|positions|rows)$", "table"),
    (r"(^|_)(tags|keywords|names)$", "list"),
)
_FIELD = re.compile(r"([^\s:(]+)(?:\s*:\s*([A-Za-z_]+))?(?:\s*\((.*)\))?", re.DOTALL)
_TEXT_THRESHOLD = "0.85"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewField:
    """A field of a set to be made; ``parts`` are columns, the item's kind, members or formats."""

    name: str
    kind: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSet:
    """What a set is made from."""

    name: str
    source_type: str
    fields: tuple[NewField, ...]
    locale: str | None = None
    currency: str | None = None


def guess_kind(name: str) -> str:
    """The kind that a field's name suggests; text where it suggests none.

    >>> guess_kind("due_date"), guess_kind("supplier"), guess_kind("po_number")
    ('date', 'text', 'identifier')
    """
    return next((kind for pattern, kind in GUESSED_KINDS if re.search(pattern, name)), "text")


def read_field(written: str) -> NewField:
    """A field as people write it in one line: ``name``, ``name:kind`` or ``name:kind(parts)``.

    The parts are the members of an enum, the formats of a date, the item's kind of a list, and the
    columns of a table, ``lines:table(description, amount:money)``. A kind that is left out is the
    one that the name suggests.

    Raises:
        InputError: It is not of that form.

    >>> read_field("status:enum(paid, open)")
    NewField(name='status', kind='enum', parts=('paid', 'open'))
    """
    match = _FIELD.fullmatch(written.strip())
    if match is None:
        remedy = "Write name:kind, or name:kind(part, part)."
        raise InputError.one(written[:60], "is no field", remedy=remedy)
    name, kind, parts = match.groups()
    found = tuple(part.strip() for part in (parts or "").split(",") if part.strip())
    return NewField(name=name, kind=kind or guess_kind(name), parts=found)


def set_text(new: NewSet) -> str:
    """The ``set.yaml`` of a new set.

    Raises:
        InputError: It would not load: a kind, a locale or a currency does not exist, an enum has
            no members; all faults.
    """
    lines = [
        f"# The golden set {new.name}. Kinds, and what else a field may state: docs/formats.md.",
        f"set: {new.name}",
        f"source_type: {_scalar(new.source_type)}",
    ]
    if new.locale:
        lines += [
            "# How the documents write numbers and dates; one written otherwise says so itself.",
            f"locale: {_scalar(new.locale)}",
        ]
    if new.currency:
        lines.append(f"currency: {_scalar(new.currency)}")
    lines += [f"prompt: {PROMPT_FILE}", "fields:"]
    for field in new.fields:
        lines += _field_lines(field)
    lines += [
        "# How far a field may drop before the gate fails: here by one document.",
        "gate: {tolerance: 1 docs, max_errors: 0, disagreement: 0.10}",
    ]
    text = "\n".join(lines) + "\n"
    validate_yaml(SetModel, strict_yaml.loads(text, where="set.yaml"), where="set.yaml")
    return text


def _field_lines(field: NewField) -> Iterator[str]:
    match field.kind:
        case "table":
            yield f"  {field.name}:"
            yield "    kind: table"
            yield "    columns:"
            for part in field.parts:
                column = read_field(part)
                yield f"      {column.name}: {{kind: {column.kind}{_threshold(column.kind)}}}"
        case "list":
            kind = field.parts[0] if field.parts else "text"
            yield f"  {field.name}: {{kind: list, item: {{kind: {kind}{_threshold(kind)}}}}}"
        case "enum" | "boolean" if field.parts:
            members = ", ".join(_scalar(part) for part in field.parts)
            yield f"  {field.name}: {{kind: {field.kind}, values: [{members}]}}"
        case "date" if field.parts:
            formats = ", ".join(_scalar(part) for part in field.parts)
            yield f"  {field.name}: {{kind: date, formats: [{formats}]}}"
        case kind:
            yield f"  {field.name}: {{kind: {kind}{_threshold(kind)}}}"


def _threshold(kind: str) -> str:
    return f", threshold: {_TEXT_THRESHOLD}" if kind == "text" else ""


def _scalar(text: str) -> str:
    """A text as YAML writes it: as it is where that reads back the same, else in quotes."""
    is_plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_\-]*", text) is not None
    return text if is_plain and text.lower() not in ("null", "none") else json.dumps(text)


_EXAMPLES: Mapping[str, str] = {
    "money": '"<amount>"',
    "date": '"<date>"',
    "identifier": '"<code>"',
    "number": '"<number>"',
    "percent": '"<percent>"',
    "boolean": "true",
    "enum": '"<one of the list>"',
    "list": '["<item>"]',
}


def prompt_text(new: NewSet) -> str:
    """A first prompt for the set, to be edited like any other."""
    shape = ",".join(f'"{field.name}":{_example(field)}' for field in new.fields)
    return f"""---
output: fields
description: Reads the fields of one document of {new.name}
confidence: none
---
You read business documents and fill in a form.

Fields:
{{{{ fields }}}}

Rules:
- Take every value from the document. Where the document does not state a field, write null.
- Copy numbers and codes exactly as they are printed. Write dates as YYYY-MM-DD.
- Answer with JSON on one line, in this form:
{{{shape}}}
<!-- user -->
{{{{ document }}}}
"""


def _example(field: NewField) -> str:
    if field.kind == "table":
        columns = (read_field(part) for part in field.parts)
        inner = ",".join(f'"{one.name}":{_EXAMPLES.get(one.kind, _ANY)}' for one in columns)
        return f"[{{{inner}}}]"
    return _EXAMPLES.get(field.kind, _ANY)


_ANY = '"<text>"'


def write_new_set(golden_dir: Path, new: NewSet) -> tuple[Path, ...]:
    """Makes the folder of a new set, with its files; nothing that exists is changed.

    Raises:
        InputError: The name is taken or is no name, or the set would not load.
    """
    if not is_plain_name(new.name):
        remedy = "Use letters, digits, - and _, such as supplier-invoices."
        raise InputError.one(new.name[:60], "cannot be the name of a set", remedy=remedy)
    folder = golden_dir / new.name
    if (folder / SET_FILE).exists():
        remedy = f"Choose another name, or edit {shown(folder / SET_FILE)}."
        raise InputError.one(shown(folder / SET_FILE), "exists already", remedy=remedy)
    files = {
        SET_FILE: set_text(new),
        PROMPT_FILE: prompt_text(new),
        ".gitattributes": (
            "# A document's name is the SHA-256 of its bytes: no line ending may change.\n"
            f"{DOCUMENTS}/* -text\n"
            "# Lines are only ever added: two branches are merged by keeping those of both.\n"
            f"{LEDGER_FILE} merge=union\n"
        ),
    }
    for name in (DOCUMENTS, LABELS):
        (folder / name).mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, text in files.items():
        path = folder / name
        if not path.exists():
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return tuple(written)


def kinds() -> tuple[str, ...]:
    """The kinds that a field may have."""
    return known_kinds()

"""The questions of ``evals golden new``; what the options answer is not asked."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from evals_pipeline.cli.output import say
from evals_pipeline.core.errors import InputError, RefusedError, did_you_mean
from evals_pipeline.sets.conventions import read_currency, read_locale
from evals_pipeline.sets.new_set import (
    NewField,
    NewSet,
    guess_kind,
    kinds,
    read_field,
    set_text,
    write_new_set,
)

_PARTS = {
    "table": "columns (such as description, quantity:number, amount:money)",
    "enum": "values (such as paid, open, cancelled)",
    "list": "kind of its items (such as text)",
}


def new_set_from(
    golden_dir: Path,
    name: str,
    *,
    source_type: str | None,
    locale: str | None,
    currency: str | None,
    fields: Sequence[str],
) -> tuple[Path, ...]:
    """Makes a set from what is given, and from answers where somebody can be asked.

    Raises:
        RefusedError: Something is missing and nobody can be asked.
        InputError: The set would not load; all faults.
    """
    is_asked = not fields or source_type is None
    if is_asked and not sys.stdin.isatty() and not fields:
        message = (
            "no field is given and nobody can be asked. Give --source-type T and --field NAME:KIND "
            "for each field."
        )
        raise RefusedError(message)
    if is_asked and sys.stdin.isatty():
        say(f"A new golden set, {name}. Enter takes what stands in [brackets] or leaves it out.")
        source_type = source_type or _asked("What are the documents? one word", "DOCUMENT").upper()
        locale = locale or _asked_of("Their locale, as en_GB or de_DE", read_locale)
        currency = currency or _asked_of("Their currency, as GBP", read_currency)
    stated = tuple(read_field(text) for text in fields) or tuple(_asked_fields())
    new = NewSet(
        name=name,
        source_type=source_type or "DOCUMENT",
        locale=locale,
        currency=currency,
        fields=stated,
    )
    if is_asked and sys.stdin.isatty():
        say("")
        say(set_text(new))
        if not click.confirm("Write it?", default=True, err=True):
            raise RefusedError("nothing was written")
    return write_new_set(golden_dir, new)


def _asked(question: str, default: str = "") -> str:
    return str(
        click.prompt(question, default=default, show_default=bool(default), err=True)
    ).strip()


def _asked_of(question: str, reader: Callable[[object], object]) -> str | None:
    """An answer that a reader takes, asked until it does; None: left out."""
    while True:
        typed = _asked(question)
        if not typed:
            return None
        try:
            return str(reader(typed))
        except ValueError as error:
            say(f"  ? {error}")


def _asked_fields() -> list[NewField]:
    say("")
    say("The fields, one after the other; Enter on an empty line ends the list.")
    say(f"Kinds: {', '.join(kinds())}.")
    fields: list[NewField] = []
    while True:
        typed = _asked(f"  field {len(fields) + 1}")
        if not typed:
            if fields:
                return fields
            say("  ? a set needs at least one field, such as invoice_number")
            continue
        field = _asked_field(typed)
        if field is not None:
            fields.append(field)


def _asked_field(typed: str) -> NewField | None:
    try:
        field = read_field(typed)
    except InputError as error:
        say(f"  ? {error}")
        return None
    kind = field.kind
    if ":" not in typed:
        kind = _asked("    kind", guess_kind(field.name))
    if kind not in kinds():
        say(f"  ? there is no kind {kind!r}. {did_you_mean(kind, kinds())}")
        return None
    parts = field.parts
    if not parts and kind in _PARTS:
        typed_parts = _asked(f"    {_PARTS[kind]}")
        parts = tuple(part.strip() for part in typed_parts.split(",") if part.strip())
    field = NewField(name=field.name, kind=kind, parts=parts)
    try:
        set_text(NewSet(name="x", source_type="X", fields=(field,)))
    except InputError as error:
        say(f"  ? {error.faults[0].problem}")
        return None
    return field

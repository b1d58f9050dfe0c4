"""Labelling from the command line: by hand, document after document, or from given answers."""

import shutil
import sys
from contextlib import suppress

import click

from evals_pipeline.cli.answer_words import spell
from evals_pipeline.cli.document_view import DocumentView
from evals_pipeline.cli.labelling_session import Outcome, Session
from evals_pipeline.cli.output import say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import Fault, InputError, did_you_mean
from evals_pipeline.core.records import FieldSpec, JsonValue
from evals_pipeline.pipeline.label_answers import ABSENT, Answer, Choice, Unread
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.pipeline.suggestions import suggestions_for
from evals_pipeline.sets.label_files import Draft
from evals_pipeline.sets.media import media_type_of_name

_ROOM = 12  # lines of a screen that the question needs
_WIDEST = 120
_MOST_NAMED = 8


def label_by_hand(desk: LabellingDesk, reference: str | None, *, suggest: str | None) -> None:
    """A conversation about each document that is open, until the labeller stops."""
    with suppress(ImportError):
        import readline  # noqa: F401 - line editing and the arrow keys, where there is a terminal
    drafts = desk.to_label(reference)
    if not drafts:
        say(f"{desk.set_name}: every document is labelled. More come in by: evals golden add")
        return
    click.echo(f"{desk.set_name}: {_count(len(drafts), 'document')} to label · you are {desk.by}")
    click.echo('Type a value as the document has it; "absent" where it does not state one.')
    click.echo("Enter leaves a field open · ? explains · :back · :quit (everything is saved)")
    for number, draft in enumerate(drafts, start=1):
        outcome = _converse(desk, draft, f"{number} of {len(drafts)}", suggest)
        if outcome is Outcome.QUIT:
            break
    left = [f"{one.name} ({len(desk.desk.missing(one))} open)" for one in desk.to_label()]
    if left:
        more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        say(f"saved. Still to label: {', '.join(left[:_MOST_NAMED])}{more}")
    else:
        say(f"{desk.set_name}: every document is labelled. Next: evals golden verify")


def _converse(desk: LabellingDesk, draft: Draft, place: str, suggest: str | None) -> Outcome:
    suggestions = suggestions_for(desk, draft, suggest) if suggest else None
    if suggestions is not None and suggestions.note:
        say(f"no suggestions from {suggest}: {suggestions.note}")
    size = shutil.get_terminal_size()
    text = desk.text(draft.doc)
    view = DocumentView(
        title=_title(draft, text, place),
        place=str(desk.path(draft.doc)),
        text=text,
        say=click.echo,
        width=min(size.columns, _WIDEST),
        height=max(10, size.lines - _ROOM),
    )
    session = Session(
        desk=desk, draft=draft, ask=_ask, say=click.echo, view=view, suggestions=suggestions
    )
    return session.run()


def _ask(prompt: str) -> str:
    if sys.stdin.isatty():
        return input(prompt)
    # Piped answers are shown where a typed one would stand, so that a log can be followed.
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    click.echo(line.rstrip("\n"))
    return line.rstrip("\n")


def _title(draft: Draft, text: str | None, place: str) -> str:
    own = draft.convention
    notation = ", ".join(part for part in (own.locale, own.currency, *own.formats) if part)
    n_lines = counted(len(text.splitlines()), "line") if text else "no text"
    form = media_type_of_name(draft.doc).rpartition("/")[2].replace("plain", "text")
    about = " · ".join(part for part in (f"{form}, {n_lines}", notation, place) if part)
    return f"{draft.name}  {draft.sha256[:8]}  {about}"


def label_from_answers(
    desk: LabellingDesk,
    reference: str,
    answers: dict[str, JsonValue],
    fields: tuple[str, ...],
    absents: tuple[str, ...],
) -> None:
    """Labels what is given, all of it or nothing; a document with no field open becomes a label.

    Raises:
        InputError: A field does not exist, is given twice, or its value cannot be read; all faults.
    """
    (draft,) = desk.to_label(reference)
    typed = _typed(fields, absents, known=[*answers])
    reader = desk.reader(draft)
    found: dict[str, Answer] = {}
    faults: list[Fault] = []
    for name, value in (*answers.items(), *typed.items()):
        spec = desk.desk.specs.get(name)
        if spec is None:
            remedy = did_you_mean(name, [*desk.desk.specs])
            faults.append(Fault(where=name, problem="no such field", remedy=remedy))
            continue
        is_typed = name in typed and isinstance(value, str)
        answer = reader.read_typed(spec, str(value)) if is_typed else reader.read_json(spec, value)
        if isinstance(answer, Answer):
            found[name] = answer
        else:
            faults.append(_fault(spec, answer))
    if faults:
        raise InputError(faults)
    for name, answer in found.items():
        draft = desk.record(draft, name, answer.value)
        where = "" if answer.is_found is not False else "  (does not stand in the document)"
        click.echo(f"{name}: {spell(draft.fields[name])}{where}")
    missing = desk.desk.missing(draft)
    if missing:
        say(f"{draft.name}: {_count(len(missing), 'field')} still open: {', '.join(missing)}")
        return
    path = desk.finish(draft)
    click.echo(f"labelled: {path.relative_to(desk.project.root)}")


def _typed(
    fields: tuple[str, ...], absents: tuple[str, ...], *, known: list[str]
) -> dict[str, JsonValue]:
    """What was typed as options, by field; a field that is given twice is a fault."""
    found: dict[str, JsonValue] = {}
    faults: list[Fault] = []
    pairs = [text.partition("=") for text in fields]
    for name, mark, value in (*pairs, *((name, "=", ABSENT) for name in absents)):
        if not mark or not value.strip():
            remedy = f"Write --field {name}=VALUE, or --absent {name}."
            faults.append(Fault(where=name, problem="has no value", remedy=remedy))
        elif name in found or name in known:
            faults.append(Fault(where=name, problem="is given twice"))
        found[name] = value
    if faults:
        raise InputError(faults)
    return found


def _fault(spec: FieldSpec, answer: Choice | Unread) -> Fault:
    if isinstance(answer, Unread):
        return Fault(where=spec.name, problem=answer.problem)
    both = " or ".join(option.shown for option in answer.options)
    return Fault(
        where=spec.name, problem=f"reads in two ways, {both}", remedy="Write one of these."
    )


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"

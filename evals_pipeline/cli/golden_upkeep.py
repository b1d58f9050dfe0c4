"""``evals golden correct``, ``verify`` and ``redact``: labels and documents that are there."""

import shlex
from pathlib import Path
from typing import Any

import click

from evals_pipeline.cli.golden_desks import open_desk, open_desks, read_terms
from evals_pipeline.cli.golden_printing import print_check, print_looks
from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import say
from evals_pipeline.core.errors import EXIT_REFUSED, InputError, did_you_mean
from evals_pipeline.core.strict_json import loads
from evals_pipeline.pipeline.label_answers import Answer, Choice, Unread
from evals_pipeline.pipeline.label_checks import verify_labels
from evals_pipeline.pipeline.remasking import declare_masked, look_for_unmasked, mask_again

set_option = click.option("--set", "set_name", metavar="S", help="Which golden set.")
by_option = click.option(
    "--by", metavar="NAME", help="Who you are (default: git config user.name)."
)


@click.command(
    "correct",
    epilog="Example: evals golden correct acme-2026-03 due_date 2026-04-03 "
    "--reason 'was the delivery date'",
)
@click.argument("document", metavar="HASH|NAME")
@click.argument("field_name", metavar="FIELD")
@click.argument("value")
@click.option("--reason", required=True, metavar="WHY", help="Why the label was wrong.")
@click.option("--json", "as_json", is_flag=True, help="VALUE is JSON, for lists and tables.")
@set_option
@by_option
def correct(
    document: str,
    field_name: str,
    value: str,
    reason: str,
    as_json: bool,
    set_name: str | None,
    by: str | None,
) -> None:
    """Change one labelled value; what it was, who changed it, when and why is kept.

    VALUE is as in labelling: "absent", or several accepted readings parted by ||.
    """
    desk = open_desk(set_name, document, by)
    found = desk.desk.label(document)
    if field_name not in desk.desk.specs:
        remedy = did_you_mean(field_name, [*desk.desk.specs])
        raise InputError.one(field_name, f"is no field of {desk.set_name}", remedy=remedy)
    spec, reader = desk.desk.specs[field_name], desk.reader(found)
    answer = (
        reader.read_json(spec, loads(value, where=field_name))
        if as_json
        else reader.read_typed(spec, value)
    )
    if not isinstance(answer, Answer):
        raise InputError.one(field_name, _unread(answer))
    before = found.fields.get(field_name)
    desk.correct(found, field_name, answer.value, reason=reason)
    was = "absent" if before is None else before
    click.echo(f"{found.name} · {field_name}: {was} → {answer.shown}")
    if answer.is_found is False:
        say(f"note: {answer.shown} does not stand in the document's text")
    set_name = shlex.quote(desk.set_name)
    say(
        f"next: evals run {set_name}, then evals gate {set_name}: it lists the document "
        "as relabelled"
    )


@click.command("verify", epilog="Example: evals golden verify invoices")
@click.argument("sets", nargs=-1, metavar="[SET]...")
@click.option("--set", "named", multiple=True, metavar="S", help="The same as SET; repeatable.")
@format_option("json")
@click.pass_context
def verify(ctx: click.Context, sets: tuple[str, ...], named: tuple[str, ...], form: str) -> None:
    """Look at labels: hashes, completeness, values that cannot be read or stand in no document."""
    checks = [verify_labels(desk) for desk in open_desks(tuple(dict.fromkeys((*sets, *named))))]
    print_check(checks, form=form)
    if any(check.faults for check in checks):
        ctx.exit(EXIT_REFUSED)


@click.command(
    "redact",
    epilog="Examples: evals golden redact invoices; evals golden redact invoices --mask 'Jane Doe' "
    "--write",
)
@click.argument("sets", nargs=-1, metavar="[SET]...")
@click.option("--mask", "masks", multiple=True, metavar="TEXT", help="As for add; repeatable.")
@click.option(
    "--mask-list",
    "mask_lists",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="As for add; repeatable.",
)
@click.option("--keep", "keeps", multiple=True, metavar="TEXT", help="As for add; repeatable.")
@click.option("--write", is_flag=True, help="Rewrite what holds something; else only say so.")
@click.option(
    "--already-masked",
    is_flag=True,
    help="You declare that nothing in these documents has to be masked: they are invented.",
)
@by_option
@format_option("json")
@click.pass_context
def redact(
    ctx: click.Context,
    sets: tuple[str, ...],
    masks: tuple[str, ...],
    mask_lists: tuple[Path, ...],
    keeps: tuple[str, ...],
    write: bool,
    already_masked: bool,
    by: str | None,
    form: str,
) -> None:
    """Say what in documents and labels would be masked today; with --write, mask it.

    A document that is rewritten gets a new hash, and its label moves with it. What was committed
    before stays in git's history until that is rewritten too.
    """
    if write and already_masked:
        raise click.UsageError("--write masks what --already-masked declares to be no secret")
    work = declare_masked if already_masked else mask_again if write else look_for_unmasked
    found: dict[str, Any] = {}
    for desk in open_desks(sets, by=by, must_say_who=already_masked):
        terms = read_terms(desk.project, masks, mask_lists)
        found[desk.set_name] = work(desk, terms=terms, keeps=keeps)
    print_looks(found, form=form, is_written=write)
    open_looks = [look for looks in found.values() for look in looks if look.n_open]
    if any(look.refusal or not write for look in open_looks):
        ctx.exit(EXIT_REFUSED)


def _unread(answer: Choice | Unread) -> str:
    if isinstance(answer, Choice):
        both = " or ".join(option.shown for option in answer.options)
        return f"reads in two ways, {both}; write one of these"
    return answer.problem

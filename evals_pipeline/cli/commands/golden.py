"""``evals golden``: documents and labels of golden sets, without writing JSON by hand."""

from collections.abc import Sequence
from pathlib import Path

import click

from evals_pipeline.cli.golden_desks import open_desk, read_terms
from evals_pipeline.cli.golden_new import new_set_from
from evals_pipeline.cli.golden_printing import print_added
from evals_pipeline.cli.golden_upkeep import by_option, correct, redact, set_option, verify
from evals_pipeline.cli.labelling_runs import label_by_hand, label_from_answers
from evals_pipeline.cli.options import format_option
from evals_pipeline.cli.output import say
from evals_pipeline.core.errors import InputError, did_you_mean
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.strict_json import loads
from evals_pipeline.pipeline.adding import AddOptions, add_documents
from evals_pipeline.pipeline.labelling import LabellingDesk
from evals_pipeline.pipeline.project import Project
from evals_pipeline.sets.conventions import ConventionModel
from evals_pipeline.sets.new_set import read_field


@click.group("golden")
def command() -> None:
    """Start golden sets, add documents, label, correct, verify and mask them."""


@command.command(
    "new",
    epilog="Example: evals golden new bills --source-type BILL --locale en_GB --currency GBP "
    "--field bill_number --field due_date:date --field 'lines:table(description, amount:money)'",
)
@click.argument("name")
@click.option("--source-type", metavar="T", help="What the documents are, such as INVOICE.")
@click.option("--locale", metavar="L", help="How they write numbers and dates, such as en_GB.")
@click.option("--currency", metavar="C", help="Their currency, such as GBP.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME[:KIND[(PARTS)]]",
    help="A field; repeatable. Its kind is guessed from its name where none is given.",
)
def new(
    name: str,
    source_type: str | None,
    locale: str | None,
    currency: str | None,
    fields: tuple[str, ...],
) -> None:
    """Start a golden set; asks for what the options leave open."""
    project = Project.open()
    golden_dir = project.root / project.settings.golden_dir
    written = new_set_from(
        golden_dir, name, source_type=source_type, locale=locale, currency=currency, fields=fields
    )
    for path in written:
        click.echo(f"wrote {path.relative_to(project.root)}")
    _tell_guesses(fields)
    say(f"next: evals golden add FILE… --set {name}")


def _tell_guesses(fields: Sequence[str]) -> None:
    """Which kinds were taken from names: a text is compared far more loosely than an amount."""
    stated = [read_field(written) for written in fields]
    guessed = [one for one, written in zip(stated, fields, strict=True) if ":" not in written]
    if guessed:
        kinds = ", ".join(f"{one.name} {one.kind}" for one in guessed)
        say(
            f"kinds taken from the names: {kinds}. Another one: edit set.yaml (docs/formats.md); "
            "the next time, --field NAME:KIND"
        )


@command.command(
    "add",
    epilog="Examples: evals golden add scan.pdf letter.txt --set invoices --mask 'Jane Doe' "
    "--mask 'ADDRESS=12 High Street, Leamouth'; evals golden add photo.jpg --set invoices "
    "--already-masked",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@set_option
@click.option("--name", metavar="N", help="What to call the document (default: its file's name).")
@click.option(
    "--mask",
    "masks",
    multiple=True,
    metavar="TEXT",
    help="A name to be masked, or KIND=TEXT, as ADDRESS=…; repeatable.",
)
@click.option(
    "--mask-list",
    "mask_lists",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with one such text a line, outside of the repository; repeatable.",
)
@click.option(
    "--keep",
    "keeps",
    multiple=True,
    metavar="TEXT",
    help="A text that only looks like something to be masked; repeatable.",
)
@click.option(
    "--already-masked",
    is_flag=True,
    help="You declare that nothing in the files has to be masked; they are stored as they are.",
)
@click.option(
    "--keep-pictures", is_flag=True, help="Leave pictures and files inside documents in them."
)
@click.option("--locale", metavar="L", help="The documents' locale, where it is not the set's.")
@click.option("--currency", metavar="C", help="Their currency, where it is not the set's.")
@click.option(
    "--date-format", "formats", multiple=True, metavar="F", help="A date format of theirs."
)
@click.option("--source", metavar="S", help="Which of the set's sources they come from.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="A tag, such as fax; repeatable.")
@click.option(
    "--new-key", is_flag=True, help="Begin with a new key; the set's earlier one is lost."
)
@by_option
@format_option("json")
def add(
    files: tuple[Path, ...],
    set_name: str | None,
    name: str | None,
    masks: tuple[str, ...],
    mask_lists: tuple[Path, ...],
    keeps: tuple[str, ...],
    already_masked: bool,
    keep_pictures: bool,
    locale: str | None,
    currency: str | None,
    formats: tuple[str, ...],
    source: str | None,
    tags: tuple[str, ...],
    new_key: bool,
    by: str | None,
    form: str,
) -> None:
    """Take documents into a set: masked first, looked at again, then written.

    Account and card numbers, IBANs, e-mail addresses and phone numbers are found by themselves;
    names and addresses are those that you give. When one file is refused, none is written.
    """
    if name is not None and len(files) > 1:
        raise click.UsageError("--name takes one file; several are called after their files")
    desk = open_desk(set_name, None, by)
    stated: dict[str, JsonValue] = {
        key: value
        for key, value in (("locale", locale), ("currency", currency), ("source", source))
        if value is not None
    }
    if formats:
        stated["formats"] = list(formats)
    _check_stated(desk, stated)
    options = AddOptions(
        terms=read_terms(desk.project, masks, mask_lists),
        keeps=keeps,
        already_masked=already_masked,
        keep_pictures=keep_pictures,
        new_key=new_key,
        name=name,
        tags=tags,
        stated=stated,
    )
    summary = add_documents(desk, files, options)
    print_added(desk, summary, files, form=form)


@command.command(
    "label",
    epilog="Examples: evals golden label; evals golden label acme-2026-03; evals golden label 4c81 "
    "--field total=4820.15 --absent po_number; evals golden label 4c81 --answers answers.json",
)
@click.argument("document", required=False, metavar="[HASH|NAME]")
@set_option
@click.option(
    "--answers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the values from a JSON object, {field: value or null}, instead of asking.",
)
@click.option(
    "--field", "fields", multiple=True, metavar="NAME=VALUE", help="One field's value; repeatable."
)
@click.option(
    "--absent", "absents", multiple=True, metavar="NAME", help="A field that the document has not."
)
@click.option(
    "--suggest",
    metavar="M",
    help="Show what this model version says; nothing is taken unless you take it.",
)
@by_option
def label(
    document: str | None,
    set_name: str | None,
    answers: Path | None,
    fields: tuple[str, ...],
    absents: tuple[str, ...],
    suggest: str | None,
    by: str | None,
) -> None:
    """Label documents field by field; goes on where you stopped.

    Without a document it takes all that are open, one after the other.
    """
    desk = open_desk(set_name, document, by)
    given: dict[str, JsonValue] | None = None
    if answers is not None:
        value = loads(answers.read_bytes(), where=str(answers))
        if not isinstance(value, dict):
            raise InputError.one(str(answers), "expected an object, {field: value}")
        given = value
    if given is not None or fields or absents:
        if document is None:
            raise click.UsageError("say which document, by its name or the start of its hash")
        label_from_answers(desk, document, given or {}, fields, absents)
        return
    label_by_hand(desk, document, suggest=suggest)


def _check_stated(desk: LabellingDesk, stated: dict[str, JsonValue]) -> None:
    """A locale or a source that does not exist is told before anything is read."""
    sources = desk.desk.model.sources
    source = stated.get("source")
    if source is not None and sources and source not in sources:
        remedy = did_you_mean(str(source), [*sources])
        raise InputError.one("--source", f"{source!r} is no source of the set", remedy=remedy)
    convention = {
        key: value for key, value in stated.items() if key in ConventionModel.model_fields
    }
    desk.desk.convention_of(convention)


for _one in (correct, verify, redact):
    command.add_command(_one)

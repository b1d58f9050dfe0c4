"""``evals explain``: why two values are, or are not, equal, step by step."""

import sys
from typing import Any

import click

from evals_pipeline.cli.options import Share
from evals_pipeline.cli.output import print_json
from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import EXIT_REFUSED, InputError
from evals_pipeline.core.visible import visible_line
from evals_pipeline.pipeline.explaining import explain_claims, explain_object, explain_values


@click.command(
    "explain",
    epilog="Examples: evals explain --kind money --locale de_DE 1234.56 '1.234,56 €'; "
    "evals explain --kind date --format '%d/%m/%Y' 2024-04-03 03/04/2024; "
    "evals explain --kind claim 'The deposit is 1,250 EUR.' 'The deposit is 12,500 EUR.'",
)
@click.option(
    "--kind", metavar="K", help="money, date, identifier, text, claim … (docs/formats.md)."
)
@click.option("--locale", metavar="L", help="The document's locale, for example de_DE.")
@click.option("--currency", metavar="C", help="The set's currency, for example EUR.")
@click.option(
    "--format",
    "--date-format",
    "--formats",
    "formats",
    multiple=True,
    metavar="F",
    help="A date format of the source, for example %d/%m/%Y; repeatable.",
)
@click.option(
    "--threshold",
    type=Share(),
    help="Similarity at which texts, or claims, count as equal.",
)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="A subject of the emitted claim; repeatable (kind claim).",
)
@click.option(
    "--batch", metavar="-", help="Read one JSON object a line from this file, - for standard input."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the result as JSON (--format is taken by date formats).",
)
@click.argument("want", required=False)
@click.argument("got", required=False)
@click.pass_context
def command(
    ctx: click.Context,
    kind: str | None,
    locale: str | None,
    currency: str | None,
    formats: tuple[str, ...],
    threshold: float | None,
    subjects: tuple[str, ...],
    batch: str | None,
    as_json: bool,
    want: str | None,
    got: str | None,
) -> None:
    """Say whether WANT (as labelled) and GOT (as extracted) are equal, and why.

    With --batch, each line is an object with kind, locale, formats, currency, threshold, golden,
    extracted; one object comes out for each, in order.
    """
    if batch is not None:
        _run_batch(ctx, batch)
        return
    if kind is None or want is None or got is None:
        raise click.UsageError("expected --kind K WANT GOT, or --batch FILE")
    if kind == "claim":
        found = explain_claims(want, got, subjects=subjects, threshold=threshold)
    else:
        found = explain_values(
            kind,
            want,
            got,
            locale=locale,
            currency=currency,
            formats=formats,
            threshold=threshold,
        )
    if as_json:
        print_json(found)
        return
    _print(found)


def _print(found: dict[str, Any]) -> None:
    words = {True: "equal", False: "not equal", None: "open"}
    click.echo(words[found["equal"]])
    for name in ("outcome", "want", "got"):
        if name in found:
            value = "absent" if found[name] is None else str(found[name])
            click.echo(f"  {name}: {visible_line(value)}")
    for step in found["trace"]:
        click.echo(f"  - {visible_line(str(step))}")


def _run_batch(ctx: click.Context, source: str) -> None:
    """Every line gets one line; a faulty one gets its error, and the exit status says so."""
    is_faulty = False
    lines = sys.stdin.buffer if source == "-" else click.open_file(source, "rb")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            answer = explain_object(strict_json.loads(line, where=f"line {number}"))
        except InputError as error:
            is_faulty = True
            answer = {"error": str(error)}
        click.echo(strict_json.dumps(answer))
    if is_faulty:
        ctx.exit(EXIT_REFUSED)

"""``evals costs``: what was spent, on what."""

from collections.abc import Mapping

import click

from evals_pipeline.cli.options import format_option, models_option, sets_argument
from evals_pipeline.cli.output import print_json, print_table
from evals_pipeline.core.records import JsonValue
from evals_pipeline.llm.archive import SpendTotal
from evals_pipeline.pipeline.answer_spending import GROUPS, USUAL_GROUPS, Spending, spending
from evals_pipeline.pipeline.project import Project

SHORT = 12


@click.command(
    "costs",
    epilog="Examples: evals costs; evals costs invoices --by commit; "
    "evals costs --model gpt-5-mini-2025-08-07 --by day --format json",
)
@sets_argument
@models_option
@click.option(
    "--by",
    "groups",
    multiple=True,
    type=click.Choice(list(GROUPS)),
    help="Sum by this; repeatable. All but run by default.",
)
@format_option("json")
def command(
    sets: tuple[str, ...], models: tuple[str, ...], groups: tuple[str, ...], form: str
) -> None:
    """Say what was spent on calls to models: by set, model version, day, commit, purpose, run.

    Every call that was paid for counts, also those that were sampled anew since. Recordings that
    came with the project were paid for elsewhere. An unknown price is unknown, not free.
    """
    project = Project.open()
    found = spending(project, sets=sets, models=models, groups=groups or USUAL_GROUPS)
    if form == "json":
        print_json(_json(found))
        return
    if not found.total.n:
        click.echo("nothing was spent: no call to a model is recorded")
        return
    for name, totals in found.by.items():
        _print(name, totals, found.total)
    tables = ", ".join(found.price_tables) or "none"
    click.echo(f"prices: {tables}")


def _print(name: str, totals: Mapping[str, SpendTotal], whole: SpendTotal) -> None:
    columns = ("calls", "tokens in", "cached", "tokens out", "USD", "priced")
    rows = [(_group_name(name, group), *_cells(total)) for group, total in totals.items()]
    print_table((name, *columns), [*rows, ("total", *_cells(whole))], right=columns)


def _group_name(name: str, group: str) -> str:
    is_long = name == "run" or (name == "commit" and len(group) >= 40)
    return group[:SHORT] if is_long else group


def _cells(total: SpendTotal) -> tuple[str, ...]:
    return (
        f"{total.n:,}",
        f"{total.input_tokens:,}",
        f"{total.cached_input_tokens:,}",
        f"{total.output_tokens:,}",
        "unknown" if total.usd is None else f"{total.usd:.4f}",
        f"{total.n_priced} of {total.n}",
    )


def _json(found: Spending) -> dict[str, JsonValue]:
    return {
        "total": _total_json(found.total),
        "by": {
            name: {group: _total_json(total) for group, total in totals.items()}
            for name, totals in found.by.items()
        },
        "price_tables": list(found.price_tables),
    }


def _total_json(total: SpendTotal) -> dict[str, JsonValue]:
    return {
        "calls": total.n,
        "priced": total.n_priced,
        "metered": total.n_metered,
        "input_tokens": total.input_tokens,
        "cached_input_tokens": total.cached_input_tokens,
        "output_tokens": total.output_tokens,
        "usd": None if total.usd is None else str(total.usd),
    }

"""``evals baseline``: the committed record that gates compare with."""

from typing import Any

import click

from evals_pipeline.cli.options import format_option, models_option, sets_argument
from evals_pipeline.cli.output import print_json, print_table, say
from evals_pipeline.core.counts import counted
from evals_pipeline.core.errors import EXIT_REFUSED, RefusedError
from evals_pipeline.pipeline.baselines import read_baseline, record_baseline
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.selection import select_gates
from evals_pipeline.pipeline.stamps import make_stamp

SHORT = 12


@click.group("baseline")
def command() -> None:
    """Record or show the committed baseline of a golden set."""


@command.command("record", epilog="Example: evals baseline record invoices --model M")
@sets_argument
@models_option
@click.pass_context
def record(ctx: click.Context, sets: tuple[str, ...], models: tuple[str, ...]) -> None:
    """Write today's figures as the baseline file, to be committed with the prompt."""
    project = Project.open()
    stamp = make_stamp(project.root)
    refusals: list[str] = []
    cells = select_gates(project, sets, models)
    for set_name, model in cells:
        try:
            path = record_baseline(project, set_name, model, stamp=stamp)
        except RefusedError as refusal:
            refusals.append(str(refusal))
        else:
            click.echo(f"wrote {path.relative_to(project.root)}; commit it with the prompt")
    for reason in refusals:
        say(f"refused: {reason}")
    if refusals:
        ctx.exit(EXIT_REFUSED)


@command.command("show", epilog="Example: evals baseline show invoices --format json")
@sets_argument
@models_option
@format_option("json")
def show(sets: tuple[str, ...], models: tuple[str, ...], form: str) -> None:
    """What the baselines in the tree say, and what they are pinned to."""
    project = Project.open()
    rows = [
        row
        for set_name, model in select_gates(project, sets, models)
        if (row := _row(project, set_name, model)) is not None
    ]
    if not rows:
        raise RefusedError('no baseline is recorded. Run "evals baseline record SET".')
    if form == "json":
        print_json({"baselines": rows})
        return
    for row in rows:
        click.echo(
            f"{row['set']} · {row['model_version']}: {row['provider_model']} answered, "
            f"{counted(row['n_runs'], 'run')}, recorded {row['recorded_at']}, "
            f"prompt {(row['prompt_sha256'] or 'none')[:SHORT]}"
        )
        print_table(
            ("field", "correct", "of", "accuracy", "calibration error"),
            [
                (
                    one["field"],
                    str(one["correct"]),
                    str(one["n"]),
                    "n/a" if not one["n"] else f"{one['correct'] / one['n']:.3f}",
                    "n/a" if one["calibration_error"] is None else one["calibration_error"],
                )
                for one in row["fields"]
            ],
            right=("correct", "of", "accuracy", "calibration error"),
        )


def _row(project: Project, set_name: str, model: str) -> dict[str, Any] | None:
    baseline = read_baseline(project, set_name, model)
    if baseline is None:
        return None
    pins = baseline.pins
    return {
        "set": set_name,
        "model_version": model,
        "provider_model": pins.provider_model,
        "prompt_sha256": pins.prompt_sha256,
        "n_runs": pins.n_runs,
        "recorded_at": pins.recorded_at,
        "fields": [
            {
                "field": name,
                "correct": sum(one.correct for one in tallies),
                "n": sum(one.n for one in tallies),
                "calibration_error": str(baseline.calibration[name])
                if name in baseline.calibration
                else None,
            }
            for name, tallies in baseline.fields.items()
        ],
    }

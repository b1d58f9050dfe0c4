"""``make demo``: what is in the repository, run end to end, in the order a newcomer reads it."""

import sys
from collections.abc import Sequence

import click

from evals_pipeline.cli.main import cli
from evals_pipeline.core.errors import EXIT_FINE, EXIT_GATE_FAILED, EvalsError

GATED = "constructed-llm-2026-07@hinted"
RECORDED = "qwen2.5-coder-0.5b-instruct-q4@hinted"
REPORT = "report.html"
_STEPS: tuple[tuple[str, Sequence[str], tuple[int, ...]], ...] = (
    (
        "1. Everything: extract, judge and score every set, in Dagster (kept when it is current)",
        ("run",),
        (EXIT_FINE,),
    ),
    (
        "2. The gate: one hint was added to a prompt (constructed answers of an imaginary model)",
        ("gate", "invoices", "--model", GATED),
        (EXIT_GATE_FAILED,),
    ),
    (
        "3. The same hint, answered by a real and very small model (recorded, three runs each)",
        ("gate", "invoices", "--model", RECORDED),
        (EXIT_GATE_FAILED,),
    ),
    ("4. The report: one page to open or to send", ("report", "--output", REPORT), (EXIT_FINE,)),
)


def main() -> None:
    """Run the demonstration; its exit status is 0 when every step ended as it should."""
    for title, arguments, expected in _STEPS:
        click.secho(f"\n{title}", bold=True)
        click.echo(f"$ evals {' '.join(arguments)}\n")
        status = _status(arguments)
        if status not in expected:
            click.echo(f"this step should have ended with {expected[0]}, not {status}", err=True)
            sys.exit(status or 1)
    click.secho("\nWhat you saw", bold=True)
    click.echo(
        f"""Both gates are red on purpose. In the constructed answers the hint mended invoice_date
and broke due_date, while the overall figure moved by a thousandth. In the real ones twelve
values more are right than before, and yet the field that the hint was for and four others lost.

  open {REPORT}                                  the same with every miss and its reason
  .venv/bin/evals trace invoices --field due_date --model {GATED}
  make dev                                          the Dagster UI on http://127.0.0.1:3000
  docs/tutorial.md                                  your own documents, in twenty minutes"""
    )


def _status(arguments: Sequence[str]) -> int:
    """The exit status of one command in this process; its errors are printed as evals does."""
    try:
        # Called so, click gives back the status of a command that exits instead of raising it.
        ended = cli.main(args=list(arguments), prog_name="evals", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except EvalsError as error:
        click.echo(f"evals: {error}", err=True)
        return error.exit_status
    return ended if isinstance(ended, int) else EXIT_FINE


if __name__ == "__main__":
    main()

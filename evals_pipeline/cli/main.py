"""The ``evals`` command: a group whose commands are imported only when they are called.

Exit status: 0 fine, 1 a gate or ``--fail-on`` failed, 2 refused (input, setup, nothing to measure),
141 the reader of a pipe (head, less) went away before there was a verdict.
"""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from evals_pipeline.cli.output import silence_output
from evals_pipeline.core.errors import (
    EXIT_CLOSED_PIPE,
    EXIT_INTERRUPTED,
    EXIT_REFUSED,
    EvalsError,
    did_you_mean,
)

COMMANDS: dict[str, tuple[str, str]] = {
    "list": ("show_sets", "Sets, extractors, model versions, and who serves what."),
    "validate": ("validate", "Every fault of suites, sets, labels and settings, at once."),
    "run": ("run", "Materialise sets: extract, judge, score."),
    "gate": ("gate", "Per field, what a change did; red when a field got worse."),
    "baseline": ("baseline", "Record or show the committed baseline of a golden set."),
    "benchmark": ("benchmark", "Precision, recall and calibration of an extractor's claims."),
    "compare": ("compare", "Model versions or extractors side by side on the same fixtures."),
    "conform": ("conform", "Completeness of an extractor's claims over the suite fixtures."),
    "calibrate": ("calibrate", "Fit stated confidence to observed correctness, or refuse."),
    "calibrations": ("calibrations", "List or forget stored calibration fits."),
    "benchmark-modality": ("harness:modality", "What kind of assertion emitted claims are."),
    "benchmark-polarity": ("harness:polarity", "How documents frame emitted claims."),
    "benchmark-validity": ("harness:validity", "Until when emitted claims hold."),
    "resolve": ("resolve", "Gold subjects of a suite: right reference, wrong one, or none."),
    "score": ("score", "Figures for outputs that you already have; nothing is stored."),
    "explain": ("explain", "Why two values are, or are not, equal."),
    "trace": ("trace", "From a figure down to its fixtures."),
    "golden": ("golden", "Add, label, correct, verify and redact golden documents."),
    "suite": ("suite", "Draft a claim suite from an extractor's current output."),
    "prompt": ("prompt", "Show what would be sent for a document."),
    "answers": ("answers", "List, prune and export recorded answers."),
    "costs": ("costs", "What was spent, on what."),
    "report": ("html_report", "One self-contained HTML page."),
    "export": ("export", "A snapshot of all tables, to hand on."),
}
"""Command name -> (module under ``cli.commands`` whose ``command`` it is, line of help).

``module:name`` is another command of a module.
"""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        del ctx
        return [name for name in COMMANDS if _is_there(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself; unknown names are left to ``resolve_command``."""
        del ctx
        if cmd_name not in COMMANDS or not _is_there(cmd_name):
            return None
        name, attribute = _place(cmd_name)
        command: click.Command = getattr(importlib.import_module(name), attribute)
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """As click does; help is printed here, too."""
        with _closed_pipes():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, but for what click ends with the status of a red gate."""
        with _closed_pipes(), _interruptions():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table above, so that help imports none of them."""
        rows = [(name, COMMANDS[name][1]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown command comes with the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            offer = did_you_mean(args[0], self.list_commands(ctx))
            raise click.UsageError(f"there is no command {args[0]!r}. {offer}", ctx)
        return super().resolve_command(ctx, args)


@contextmanager
def _closed_pipes() -> Iterator[None]:
    """The quiet end where the reader of a pipe (head, less) went away; no fault of ours."""
    try:
        yield
    except BrokenPipeError:
        silence_output()
        sys.exit(EXIT_CLOSED_PIPE)


@contextmanager
def _interruptions() -> Iterator[None]:
    """The end at Ctrl-C, also at a question."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        _end("evals: interrupted; what was written stays.", EXIT_INTERRUPTED)


def _place(name: str) -> tuple[str, str]:
    """The module of a command, and what it is called there."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    return f"evals_pipeline.cli.commands.{module}", attribute or "command"


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(_place(name)[0]) is not None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 fine, 1 a gate or --fail-on failed, 2 refused. "
    "Shell completion: see docs/commands.md.",
)
@click.version_option(package_name="evals-pipeline", prog_name="evals")
def cli() -> None:
    """Says field by field and claim by claim what a prompt change did, before it ships."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; every error of ours ends as one message and its exit status."""
    try:
        cli.main(args=None if args is None else list(args), prog_name="evals", standalone_mode=True)
    except EvalsError as error:
        _end(f"evals: {error}", error.exit_status)
    except BrokenPipeError:
        # Of a message of click's.
        silence_output()
        sys.exit(EXIT_REFUSED)
    except OSError as error:
        _end(f"evals: {_os_fault(error)}", EXIT_REFUSED)
    except Exception:  # noqa: BLE001 - a crash of ours must not leave with 1, which is a red gate
        traceback.print_exc()
        click.echo("evals: this is a fault of evals itself; nothing was decided.", err=True)
        sys.exit(EXIT_REFUSED)


def _end(message: str, status: int) -> NoReturn:
    """Ends with a message, and with its status even where nobody reads the message."""
    try:
        click.echo(message, err=True)
    except BrokenPipeError:
        silence_output()
    sys.exit(status)


def _os_fault(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}. Free space or grant access, then run the same again."


if __name__ == "__main__":
    main()

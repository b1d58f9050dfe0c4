"""Options that several commands share, worded once."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from evals_pipeline.core.judge_settings import JUDGES_GROUP, JudgeKind
from evals_pipeline.core.registry import offered_names

F = TypeVar("F", bound=Callable[..., Any])


class Share(click.FloatRange):
    """A number above 0 and up to 1; NaN, which no comparison finds outside, is none."""

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or click's message that it is out of range."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not in the range 0<x<=1.", param, ctx)
        return number


def _judge_kinds() -> "click.Choice[str]":
    """The built-in kinds of judge, and those that installed packages offer."""
    built_in = [kind.value for kind in JudgeKind]
    others = (name for name in offered_names(JUDGES_GROUP) if name not in built_in)
    return click.Choice([*built_in, *others])


def _read_judge_kind(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else str(_judge_kinds().convert(value, param, ctx))


def _complete_judge_kind(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return _judge_kinds().shell_complete(ctx, param, incomplete)


def sets_argument(function: F) -> F:
    """Names of evaluation sets; none means all."""
    return click.argument("sets", nargs=-1, metavar="[SET]...")(function)


def models_option(function: F) -> F:
    """Which model versions; none means all that can serve the set."""
    return click.option(
        "--model", "models", multiple=True, metavar="M", help="Only this model version; repeatable."
    )(function)


def format_option(*formats: str) -> Callable[[F], F]:
    """In which form a table is printed."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", *formats]),
        default="table",
        show_default=True,
        help="How to print the result.",
    )


def output_option(function: F) -> F:
    """Where the rendering goes instead of standard output."""
    return click.option(
        "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
    )(function)


def fixtures_option(function: F) -> F:
    """Where suite fixtures lie beside the project's own folder and those of the settings."""
    return click.option(
        "--fixtures",
        multiple=True,
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Another folder of suite fixtures; repeatable.",
    )(function)


def judge_options(function: F) -> F:
    """Judge and threshold, over those of the settings."""
    function = click.option(
        "--judge",
        "judge_kind",
        callback=_read_judge_kind,
        shell_complete=_complete_judge_kind,
        metavar="KIND",
        help="Who decides whether two claims say the same: embedding, llm or the name of an "
        "installed judge (default: the settings').",
    )(function)
    return click.option(
        "--threshold",
        type=Share(),
        help="Lowest similarity that matches (default: the settings', 0.80).",
    )(function)

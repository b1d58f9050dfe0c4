"""Options that several commands share, worded once."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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
        type=click.Choice(["embedding", "llm"]),
        help="Who decides whether two claims say the same (default: the settings').",
    )(function)
    return click.option(
        "--threshold",
        type=Share(),
        help="Lowest similarity that matches (default: the settings', 0.80).",
    )(function)

"""Two model versions, or two extractors, side by side on the same fixtures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.json_interface import JSON_VERSION
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.gate_json import status_json
from evals_pipeline.report.numbers import (
    UNMEASURED,
    count_text,
    money_text,
    share_text,
    statuses_text,
)
from evals_pipeline.report.terminal import COMPACT, Fitting, as_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a figure is over, all runs together: ``right`` of ``of``.

    ``right`` is None for a calibration error, which is over ``of`` stated confidences.
    """

    right: int | None
    of: int

    def __str__(self) -> str:
        """``11/20``, or ``of 117`` where nothing is right or wrong."""
        return f"of {self.of}" if self.right is None else f"{self.right}/{self.of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One field or metric on both sides, each with its counts.

    ``better`` and ``worse`` count the pairs (documents, cases or gold claims, as ``paired_on``
    says) in which the second side is right more, or less, often than the first; ``p_value`` is the
    exact McNemar test over them. None where nothing can be paired, with ``reason`` where a side
    was not measured.
    """

    name: str
    first: float | None
    second: float | None
    first_counts: Counts
    second_counts: Counts
    paired_on: str | None = None
    n_pairs: int = 0
    better: int | None = None
    worse: int | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def delta(self) -> float | None:
        """Second minus first; None where one of them is."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide:
    """Who answered on one side, over how many runs, and what it cost."""

    name: str
    n_runs: int
    statuses: StatusCounts
    cost: AnswerCost | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides on one set; ``overall`` is information, ``notes`` say what limits the rest.

    ``set_version`` is a suite's; golden sets state none.
    """

    set_name: str
    kind: SetKind
    first: ComparedSide
    second: ComparedSide
    rows: tuple[ComparedRow, ...]
    overall: ComparedRow | None = None
    notes: tuple[str, ...] = ()
    set_version: str | None = None


def comparison_json(found: Sequence[Comparison]) -> dict[str, JsonValue]:
    """The comparisons as documented JSON; what is unmeasured is null."""
    return {"version": JSON_VERSION, "comparisons": [_one_json(one) for one in found]}


def comparison_table(found: Sequence[Comparison]) -> RenderableType:
    """What to print: one table a set and pair."""
    return Group(*(part for one in found for part in _one_table(one)))


def comparison_text(found: Sequence[Comparison], *, width: int = 100) -> str:
    """The same as plain text."""
    return as_text(comparison_table(found), width=width)


def _one_json(one: Comparison) -> dict[str, JsonValue]:
    return {
        "set": one.set_name,
        "set_version": one.set_version,
        "kind": one.kind.value,
        "first": _side_json(one.first),
        "second": _side_json(one.second),
        "rows": [_row_json(row) for row in one.rows],
        "overall": None if one.overall is None else _row_json(one.overall),
        "notes": list(one.notes),
    }


def _row_json(row: ComparedRow) -> dict[str, JsonValue]:
    return {
        "name": row.name,
        "first": row.first,
        "second": row.second,
        "first_counts": {"right": row.first_counts.right, "of": row.first_counts.of},
        "second_counts": {"right": row.second_counts.right, "of": row.second_counts.of},
        "delta": row.delta,
        "paired_on": row.paired_on,
        "pairs": row.n_pairs,
        "better": row.better,
        "worse": row.worse,
        "p_value": row.p_value,
        "reason": row.reason,
    }


def _side_json(side: ComparedSide) -> dict[str, JsonValue]:
    cost = side.cost
    return {
        "name": side.name,
        "runs": side.n_runs,
        "counts": status_json(side.statuses),
        "cost_usd": None if cost is None or cost.usd is None else str(cost.usd),
        "answers": None if cost is None else cost.n_answers,
        "metered": None if cost is None else cost.n_metered,
        "priced": None if cost is None else cost.n_priced,
        "input_tokens": None if cost is None else cost.input_tokens,
        "output_tokens": None if cost is None else cost.output_tokens,
    }


def _one_table(one: Comparison) -> Iterator[RenderableType]:
    version = "" if one.set_version is None else f", suite version {one.set_version}"
    yield Text(visible_line(f"{one.set_name}{version}"), style="bold")
    for word, side in (("first", one.first), ("second", one.second)):
        runs, cost = count_text(side.n_runs, "run"), _cost_words(side.cost)
        name, statuses = visible_line(side.name), statuses_text(side.statuses)
        yield Text(f"{word}: {name}, {runs}, {statuses}, {cost}")
    yield Fitting(_rows_table(one, is_narrow=False), _rows_table(one, is_narrow=True))
    for row in one.rows:
        if row.reason is not None:
            yield Text(f"{row.name}: {visible_line(row.reason)}")
    for note in one.notes:
        yield Text(f"note: {visible_line(note)}")
    yield Text(
        "counts: right of all, over all runs; a calibration error is over stated confidences"
    )
    yield Text("better, worse: pairs that the second side has right more, less often; p: McNemar")
    yield Text()


def _rows_table(one: Comparison, *, is_narrow: bool) -> Table:
    """A figure has its counts beside it, or below it where there is no room."""
    between = "\n" if is_narrow else " "
    what = "field" if one.kind is SetKind.FIELDS else "metric"
    right = ("first", "second", "delta", "better", "worse", "p", "pairs")
    table = Table(
        Column(what, overflow="fold"),
        *(Column(name, justify="right", no_wrap=True) for name in right),
        box=box.SIMPLE,
        padding=COMPACT if is_narrow else (0, 1),
        pad_edge=False,
        header_style="",
    )
    for row in one.rows:
        table.add_row(*_cells(row, between))
    if one.overall is not None:
        table.add_section()
        table.add_row(*_cells(one.overall, between))
    return table


def _cells(row: ComparedRow, between: str) -> tuple[Text | str, ...]:
    delta = UNMEASURED if row.delta is None else f"{row.delta:+.3f}"
    pairs = "" if row.paired_on is None else count_text(row.n_pairs, row.paired_on)
    pairs = pairs.replace(" ", between, 1)
    return (
        Text(visible_line(row.name)),
        f"{share_text(row.first)}{between}{row.first_counts}",
        f"{share_text(row.second)}{between}{row.second_counts}",
        delta,
        _count(row.better),
        _count(row.worse),
        _p_text(row),
        pairs,
    )


def _count(n: int | None) -> str:
    return "" if n is None else str(n)


def _p_text(row: ComparedRow) -> str:
    if row.p_value is None:
        return ""
    return "<0.001" if row.p_value < 0.001 else f"{row.p_value:.3f}"


def _cost_words(cost: AnswerCost | None) -> str:
    """``0.443 USD``; what counts no tokens is named, and so is what has no price."""
    if cost is None or not cost.n_metered:
        return "no metered answers"
    if cost.is_complete:
        return money_text(cost.usd)
    if cost.usd is None:
        return "price unknown"
    return f"{money_text(cost.usd)}, {cost.n_priced} of {cost.n_metered} answers priced"

"""Numbers and names as all reports write them; what is unmeasured reads ``n/a``, never 0."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from evals_pipeline.core.figures import Miss
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.core.run_records import StatusCounts
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.table_rows import differing_cells, laid_over

UNMEASURED = "n/a"
_PLACES = 3
_MOST_PLACES = 6
_HEX = re.compile(r"[0-9a-f]{12,}")
_SHOWN = 60


def share_text(share: Fraction | float | None) -> str:
    """A share to three places: ``0.960``."""
    return UNMEASURED if share is None else f"{float(share):.{_PLACES}f}"


def delta_text(delta: Fraction | None) -> str:
    """A change with its sign, to as many places as it takes to show one: ``-0.080``, ``-0.0002``.

    >>> delta_text(Fraction(-2, 25)), delta_text(Fraction(0)), delta_text(Fraction(1, 5000))
    ('-0.080', '+0.000', '+0.0002')
    """
    if delta is None:
        return UNMEASURED
    places = _PLACES
    while delta and places < _MOST_PLACES and not round(delta, places):
        places += 1
    return f"{float(delta):+.{places}f}"


def count_text(n: int | None, what: str) -> str:
    """A count with its noun: ``1 run``, ``3 runs``."""
    return f"{UNMEASURED if n is None else n} {what}{'' if n == 1 else 's'}"


def money_text(usd: Decimal | None) -> str:
    """An amount of US dollars; an unknown price is unknown, not free."""
    return "unknown" if usd is None else f"{usd:.3f} USD"


def document_text(fixture_id: str, name: str) -> str:
    """A document by its short hash and the name that people gave it: ``4c81ba acme-2026-03``."""
    short = fixture_id[:6] if _HEX.fullmatch(fixture_id) else fixture_id
    if not name or name == fixture_id:
        return visible_line(short)
    return visible_line(f"{short} {name}", limit=_SHOWN)


def value_text(value: str | None) -> str:
    """A value on one line; absence reads ``null``, and a text of that spelling stands in quotes."""
    if value is None:
        return "null"
    return '"null"' if value == "null" else visible_line(value, limit=_SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissLine:
    """The misses of one document that are alike, as one line."""

    document: str
    want: str
    got: str
    remark: str


def miss_lines(misses: Iterable[Miss]) -> list[MissLine]:
    """Misses as lines, in the order given; runs in which a document missed alike are joined."""
    alike: dict[tuple[str, str | None, str | None, FieldOutcome], list[Miss]] = {}
    for miss in misses:
        alike.setdefault((miss.fixture_id, miss.want, miss.got, miss.outcome), []).append(miss)
    return [_line(same) for same in alike.values()]


def _line(same: Sequence[Miss]) -> MissLine:
    first = same[0]
    is_error = first.outcome is FieldOutcome.ERROR
    remark = "" if first.outcome is FieldOutcome.WRONG or is_error else first.outcome.value
    runs = _runs_text([miss.run_index for miss in same])
    cells = _differing(first)
    if cells:
        place, want, got = cells[0]
        more = f"and {count_text(len(cells) - 1, 'more cell')}" if len(cells) > 1 else ""
        return MissLine(
            document=document_text(first.fixture_id, first.document),
            want=f"{place}: {value_text(want)}",
            got=value_text(got),
            remark=", ".join(part for part in (more, remark, runs) if part),
        )
    return MissLine(
        document=document_text(first.fixture_id, first.document),
        want=value_text(first.want),
        got="no extraction" if is_error else value_text(first.got),
        remark=", ".join(part for part in (remark, runs) if part),
    )


def _differing(miss: Miss) -> Sequence[tuple[str, str, str]]:
    """The cells that differ, of tables too long to be shown whole; empty for other values."""
    if len(miss.want or "") <= _SHOWN and len(miss.got or "") <= _SHOWN:
        return ()
    table = None if miss.want is None or miss.got is None else laid_over(miss.want, miss.got)
    return () if table is None else tuple(differing_cells(table))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is to be said of one case in one run."""

    case_id: str
    run_index: int
    text: str


def remark_lines(remarks: Iterable[Remark]) -> list[str]:
    """Remarks as lines, in the order given; runs of which the same is said are joined.

    What is said more than once of a run is said so.
    """
    alike: dict[tuple[str, str], list[int]] = {}
    for one in remarks:
        alike.setdefault((one.case_id, one.text), []).append(one.run_index)
    return [
        f"{case}, {_runs_text(runs)}{_times(runs)}: {text}" for (case, text), runs in alike.items()
    ]


def _times(runs: Sequence[int]) -> str:
    return f" ({len(runs)} times)" if len(runs) > len(set(runs)) else ""


def _runs_text(runs: Sequence[int]) -> str:
    """``run 2``, ``runs 0, 2`` or ``runs 0-4``."""
    ordered = sorted(set(runs))
    if len(ordered) == 1:
        return f"run {ordered[0]}"
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"runs {ordered[0]}-{ordered[-1]}"
    return f"runs {', '.join(map(str, ordered))}"


def statuses_text(statuses: StatusCounts) -> str:
    """``180 planned, 178 ok, 2 error``; what did not happen is not named."""
    counts = {
        "ok": statuses.ok,
        "declined": statuses.declined,
        "error": statuses.error,
        "truncated": statuses.truncated,
        "unparsable": statuses.unparsable,
        "absent": statuses.absent,
    }
    named = (f"{count} {name}" for name, count in counts.items() if count)
    return ", ".join([f"{statuses.planned} planned", *named])

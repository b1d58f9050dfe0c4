"""The subject-resolution column of a suite, in the terminal and as JSON (``docs/json.md``)."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.json_interface import JSON_VERSION
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.resolution_records import (
    ResolutionFigures,
    ResolutionOutcome,
    SubjectResolution,
)
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.numbers import share_text


def resolution_table(figures: ResolutionFigures) -> RenderableType:
    """The three fractions with their counts, then the subjects that did not come out right."""
    table = Table(
        Column("subject resolution", no_wrap=True),
        Column("share", justify="right", no_wrap=True),
        Column("of", justify="right", no_wrap=True),
        Column("", overflow="fold"),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
    )
    for name, share in _shares(figures).items():
        reason = figures.reason if share is None else None
        table.add_row(
            name, share_text(share), str(figures.n_resolved), Text(visible_line(reason or ""))
        )
    return Group(
        Text(
            visible_line(
                f"{figures.set_name}, {figures.n_gold} gold subjects, {figures.n_outages} of them "
                "undecided for an outage"
            ),
            style="bold",
        ),
        table,
        *(Text(f"note: {visible_line(note)}") for note in figures.notes),
        *(
            Text(_line(one))
            for one in figures.subjects
            if one.outcome is not ResolutionOutcome.CORRECT
        ),
    )


def resolution_json(figures: ResolutionFigures) -> dict[str, JsonValue]:
    """The column as other tools read it."""
    return {
        "version": JSON_VERSION,
        "set": figures.set_name,
        "metrics": dict(_shares(figures)),
        "counts": {
            "gold": figures.n_gold,
            "resolved": figures.n_resolved,
            "outages": figures.n_outages,
        },
        "reason": figures.reason,
        "subjects": [_subject(one) for one in figures.subjects],
        "notes": list(figures.notes),
    }


def nothing_resolved(found: Sequence[ResolutionFigures]) -> str | None:
    """What to say where no gold subject of any suite was resolved; None when one was, or no suite.

    An outage of some subjects is none of it: the others were measured.
    """
    if not found or any(one.n_resolved for one in found):
        return None
    why = "; ".join(f"{one.set_name}: {one.reason}" for one in found)
    if any(one.n_outages for one in found):
        mend = 'Run the same again once it answers, or set resolve.wikidata = "off".'
    else:
        mend = "State them (docs/how-to/write-a-suite.md)."
    return f"no subject resolved, nothing measured: {why}. {mend}"


def _shares(figures: ResolutionFigures) -> dict[str, float | None]:
    return {
        "resolution_accuracy": figures.accuracy,
        "resolution_wrong_ref": figures.wrong_ref,
        "resolution_bare_local": figures.bare_local,
    }


def _line(one: SubjectResolution) -> str:
    refs = ", ".join(f"{ref} at {ref.confidence:.2f}" for ref in one.refs) or "no reference"
    want = one.gold.ref or "no reference"
    said = f"{one.gold.case_id}: {one.outcome.value}: {one.gold.name}: want {want}, got {refs}"
    return visible_line(f"{said} ({'; '.join(one.steps)})")


def _subject(one: SubjectResolution) -> JsonValue:
    return {
        "case_id": one.gold.case_id,
        "name": one.gold.name,
        "mention": one.gold.mention,
        "want": one.gold.ref,
        "outcome": one.outcome.value,
        "canonical_name": one.canonical_name,
        "refs": [
            {"ref": str(ref), "confidence": ref.confidence, "authority": ref.authority}
            for ref in one.refs
        ],
        "steps": list(one.steps),
    }

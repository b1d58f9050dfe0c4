"""Figures of the harnesses beside claim suites, in the terminal and as JSON (``docs/json.md``).

Beside every rate stands what it is a share of, and the confusion table shows every cell, so that a
rate over nothing cannot pass for a good one.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from evals_pipeline.core.claim_text import kind_alone
from evals_pipeline.core.harness_records import (
    AlignedCase,
    AlignedLabel,
    ClassFigures,
    HarnessFigures,
    HarnessKind,
    HarnessRate,
)
from evals_pipeline.core.json_interface import JSON_VERSION
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.similarity import clamped
from evals_pipeline.core.visible import visible_line
from evals_pipeline.report.gate_json import status_json
from evals_pipeline.report.numbers import UNMEASURED, Remark, count_text, remark_lines, share_text
from evals_pipeline.report.terminal import Fitting

MOST_MISTAKES = 20
_TEXT_WIDTH = 100


def harness_table(figures: HarnessFigures) -> RenderableType:
    """What to print for a suite of a harness and one model version."""
    return Group(
        Text(_heading(figures), style="bold"),
        Fitting(_rates(figures.rates)),
        Fitting(_confusion(figures), _confusion_in_words(figures)),
        *(Text(f"note: {visible_line(note)}") for note in figures.notes),
        *(Text(line) for line in _mistake_lines(figures)),
    )


def harness_json(figures: HarnessFigures, *, with_claim_text: bool = True) -> dict[str, JsonValue]:
    """The figures as other tools read them.

    Without ``with_claim_text`` the content of emitted claims is null, and of a note its kind alone
    is said; the suite's labels stay.
    """
    return {
        "version": JSON_VERSION,
        "set": figures.set_name,
        "set_version": figures.set_version,
        "kind": "harness",
        "harness": figures.kind.value,
        "extractor": figures.extractor_id,
        "model_version": figures.model_version,
        "runs": len(figures.run_indices),
        "run_indices": list(figures.run_indices),
        "judge": figures.judge,
        "threshold": figures.threshold,
        "date_tolerance_days": figures.date_tolerance_days,
        "labels": {"n": figures.n_labels, "aligned": figures.n_aligned},
        "rates": {rate.name: _rate_json(rate) for rate in figures.rates},
        "classes": [_class_json(one) for one in figures.classes],
        "confusion": [
            {"expected": cell.expected, "emitted": cell.emitted, "n": cell.n}
            for cell in figures.confusion
        ],
        "counts": status_json(figures.statuses),
        "cases": [_case_json(case, with_text=with_claim_text) for case in figures.cases],
        "notes": list(figures.notes),
    }


# --- terminal -----------------------------------------------------------------------------------


def _heading(figures: HarnessFigures) -> str:
    parts = [
        f"{figures.set_name} {figures.set_version}",
        figures.model_version,
        count_text(len(figures.run_indices), "run"),
        f"{figures.statuses.ok} of {figures.statuses.planned} extractions ok",
        f"{figures.n_aligned} of {figures.n_labels} labels aligned "
        f"({figures.judge}, from {figures.threshold:g})",
    ]
    return visible_line(", ".join(parts))


def _rates(rates: Sequence[HarnessRate]) -> Table:
    table = Table(
        Column("rate", no_wrap=True),
        *(Column(name, justify="right", no_wrap=True) for name in ("mean", "min", "max", "range")),
        Column("all runs", justify="right", no_wrap=True),
        Column("", overflow="fold"),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
    )
    for rate in rates:
        figure = rate.figure
        table.add_row(
            rate.name,
            share_text(figure.mean),
            share_text(figure.min),
            share_text(figure.max),
            share_text(figure.range),
            f"{rate.count}/{rate.n}",
            Text(visible_line(figure.reason or "")),
        )
    return table


def _confusion(figures: HarnessFigures) -> Table:
    """Rows: what labels say; columns: what claims were emitted as; then recall, and precision."""
    emitted = list(dict.fromkeys(cell.emitted for cell in figures.confusion))
    counts = {(cell.expected, cell.emitted): cell.n for cell in figures.confusion}
    table = Table(
        Column("label", footer="precision", no_wrap=True),
        *(
            Column(name, footer=_precision(figures, name), justify="right", no_wrap=True)
            for name in emitted
        ),
        Column("not aligned", justify="right", no_wrap=True),
        Column("recall", justify="right", no_wrap=True),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
        footer_style="",
        show_footer=True,
    )
    for one in figures.classes:
        table.add_row(
            one.name,
            *(str(counts.get((one.name, name), 0)) for name in emitted),
            str(one.n_labels - sum(counts.get((one.name, name), 0) for name in emitted)),
            _of(one.recall),
        )
    return table


def _confusion_in_words(figures: HarnessFigures) -> Table:
    """The same counts for a narrow terminal: what claims were emitted as stands in a sentence."""
    table = Table(
        Column("label", no_wrap=True),
        Column("precision", justify="right", no_wrap=True),
        Column("recall", justify="right", no_wrap=True),
        Column("emitted as", overflow="fold"),
        box=box.SIMPLE,
        pad_edge=False,
        header_style="",
    )
    for one in figures.classes:
        cells = [cell for cell in figures.confusion if cell.expected == one.name and cell.n]
        parts = [f"{cell.n} {cell.emitted}" for cell in cells]
        if n_left := one.n_labels - sum(cell.n for cell in cells):
            parts.append(f"{n_left} not aligned")
        emitted = ", ".join(parts) or "no label is one"
        table.add_row(one.name, _of(one.precision), _of(one.recall), emitted)
    return table


def _precision(figures: HarnessFigures, name: str) -> str:
    found = next((one for one in figures.classes if one.name == name), None)
    return "" if found is None else _of(found.precision)


def _of(rate: HarnessRate) -> str:
    """The share over all runs together, with its counts: ``0.938 (15/16)``.

    The matrix above it counts all runs, so this does too; means over runs stand in the other table.
    """
    counts = f"{rate.count}/{rate.n}"
    if rate.figure.mean is None or not rate.n:
        return f"{UNMEASURED} ({counts})"
    return f"{share_text(rate.count / rate.n)} ({counts})"


def _mistake_lines(figures: HarnessFigures) -> Iterator[str]:
    """The labels that were emitted otherwise, the first of them."""
    lines = remark_lines(_mistakes(figures))
    yield from lines[:MOST_MISTAKES]
    if len(lines) > MOST_MISTAKES:
        yield f"and {len(lines) - MOST_MISTAKES} more; --format json lists all"


def _mistakes(figures: HarnessFigures) -> Iterator[Remark]:
    for case in figures.cases:
        for one in case.labels:
            if one.emitted is None or not _is_mistaken(figures, one):
                continue
            text = (
                f"{_class_text(figures, one)}: {visible_line(one.label.content, limit=_TEXT_WIDTH)}"
            )
            yield Remark(case_id=case.case_id, run_index=case.run_index, text=text)


def _is_mistaken(figures: HarnessFigures, one: AlignedLabel) -> bool:
    if one.emitted != one.label.expected:
        return True
    if one.valid_until is None or one.label.valid_until is None:
        return False
    off = abs((one.valid_until - one.label.valid_until).days)
    return off > (figures.date_tolerance_days or 0)


def _class_text(figures: HarnessFigures, one: AlignedLabel) -> str:
    match figures.kind:
        case HarnessKind.MODALITY | HarnessKind.POLARITY:
            return f"{one.label.expected} emitted as {one.emitted}"
        case HarnessKind.VALIDITY:
            wanted = one.label.valid_until or "no end"
            got = one.note or f"until {one.valid_until or 'no end'}"
            return visible_line(f"until {wanted}, emitted {got}")
        case _:
            assert_never(figures.kind)


# --- JSON ---------------------------------------------------------------------------------------


def _rate_json(rate: HarnessRate) -> dict[str, JsonValue]:
    figure = rate.figure
    return {
        "mean": figure.mean,
        "min": figure.min,
        "max": figure.max,
        "range": figure.range,
        "stdev": figure.stdev,
        "values": list(figure.values),
        "reason": figure.reason,
        "count": rate.count,
        "n": rate.n,
    }


def _class_json(one: ClassFigures) -> dict[str, JsonValue]:
    return {
        "class": one.name,
        "labels": one.n_labels,
        "precision": _rate_json(one.precision),
        "recall": _rate_json(one.recall),
    }


def _case_json(case: AlignedCase, *, with_text: bool) -> dict[str, JsonValue]:
    return {
        "case_id": case.case_id,
        "run_index": case.run_index,
        "status": case.status.value,
        "reason": case.reason,
        "emitted": case.n_emitted,
        "stating": case.n_stating,
        "unjudged": case.n_unjudged,
        "narrative_expected": case.narrative_expected,
        "narrative_emitted": case.narrative_emitted,
        "labels": [_label_json(one, with_text=with_text) for one in case.labels],
    }


def _label_json(one: AlignedLabel, *, with_text: bool) -> dict[str, JsonValue]:
    wanted, got = one.label.valid_until, one.valid_until
    return {
        "content": one.label.content,
        "expected": one.label.expected,
        "expected_valid_until": None if wanted is None else wanted.isoformat(),
        "claim": one.claim if with_text else None,
        "similarity": clamped(one.similarity),
        "emitted": one.emitted,
        "stated": one.is_stated,
        "valid_until": None if got is None else got.isoformat(),
        "note": one.note if with_text or one.note is None else kind_alone(one.note),
    }

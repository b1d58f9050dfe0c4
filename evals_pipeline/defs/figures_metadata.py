"""Figures as a person sees them in Dagster: numbers to plot, the table of fields, the misses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from evals_pipeline.core.answer_costs import AnswerCost
from evals_pipeline.core.figures import (
    CalibrationFigures,
    ClaimFigures,
    FieldFigures,
    SetFigures,
)
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.defs.metadata import (
    Metadata,
    digest_metadata,
    money,
    stamp_metadata,
    status_metadata,
)

_SHOWN_MISSES = 50
_BAR_WIDTH = 20


def figures_metadata(
    figures: SetFigures | ClaimFigures, digests: InputDigests, stamp: RunStamp, cost: AnswerCost
) -> Metadata:
    """The figures of a set and a model version: to plot, to read, and what was missed."""
    own = _claims(figures) if isinstance(figures, ClaimFigures) else _fields(figures)
    return {
        **own,
        **status_metadata(figures.statuses),
        "runs": dg.MetadataValue.int(len(figures.run_indices)),
        **cost_metadata(cost),
        **digest_metadata(digests),
        **stamp_metadata(stamp),
        **({"notes": dg.MetadataValue.md(bullets(figures.notes))} if figures.notes else {}),
    }


def cost_metadata(cost: AnswerCost) -> Metadata:
    """What the answers cost when they were first paid for; nothing where no model was asked."""
    if not cost.n_metered:
        return {}
    metadata: Metadata = {
        "answers": dg.MetadataValue.int(cost.n_answers),
        "tokens/input": dg.MetadataValue.int(cost.input_tokens),
        "tokens/output": dg.MetadataValue.int(cost.output_tokens),
        **money("cost_usd", cost.usd),
    }
    if not cost.is_complete:
        unpriced = cost.n_metered - cost.n_priced
        metadata["answers_without_price"] = dg.MetadataValue.int(unpriced)
    return metadata


def reliability_markdown(calibration: CalibrationFigures) -> str:
    """A reliability diagram in text: per bin how sure the values were, and how often right.

    Bins that no value fell into are not drawn: an empty bar would look like nought.
    """
    if calibration.n == 0:
        return calibration.reason or "No value states a confidence."
    rows = [
        f"| {one.lower:.1f}–{one.upper:.1f} | {one.n} | {share(one.mean_confidence)} "
        f"| {share(one.accuracy)} | `{_bar(one.accuracy)}` |"
        for one in calibration.bins
        if one.accuracy is not None
    ]
    head = "| stated | n | mean stated | right | right, drawn |\n|---|--:|--:|--:|---|"
    return "\n".join([head, *rows])


def _fields(figures: SetFigures) -> Metadata:
    metadata: Metadata = {"fields": _field_table(figures.fields_by_weight)}
    for one in figures.fields:
        if one.accuracy is not None:
            metadata[f"accuracy/{one.field}"] = dg.MetadataValue.float(one.accuracy)
    metadata["misses"] = _miss_table(figures.fields_by_weight)
    with_confidence = [one for one in figures.fields if one.calibration and one.calibration.n]
    if with_confidence:
        parts = [
            f"**{one.field}**\n\n{reliability_markdown(one.calibration)}"
            for one in with_confidence
            if one.calibration is not None
        ]
        metadata["reliability"] = dg.MetadataValue.md("\n\n".join(parts))
    return metadata


def _field_table(fields: Sequence[FieldFigures]) -> dg.MetadataValue[Any]:
    records: list[dict[str, str | int | float]] = [
        {
            "field": one.field,
            "n": one.n,
            "correct": one.correct,
            "accuracy": share(one.accuracy),
            "interval": f"{share(one.ci_low)}–{share(one.ci_high)}",
            "value recall": share(one.value_recall),
            "invention rate": share(one.invention_rate),
            "disagreement": share(one.disagreement) + (" unstable" if one.is_unstable else ""),
        }
        for one in fields
    ]
    return table(records)


def _miss_table(fields: Sequence[FieldFigures]) -> dg.MetadataValue[Any]:
    misses = [(one.field, miss) for one in fields for miss in one.misses]
    records: list[dict[str, str | int]] = [
        {
            "field": field,
            "document": miss.document,
            "run": miss.run_index,
            "want": _value(miss.want),
            "got": _value(miss.got),
            "outcome": miss.outcome.value,
        }
        for field, miss in misses[:_SHOWN_MISSES]
    ]
    if len(misses) > _SHOWN_MISSES:
        rest = f"{len(misses) - _SHOWN_MISSES} more"
        records.append(
            {"field": rest, "document": "…", "run": 0, "want": "…", "got": "…", "outcome": "…"}
        )
    return table(records) if records else dg.MetadataValue.text("none")


def _claims(figures: ClaimFigures) -> Metadata:
    metadata: Metadata = {}
    for name, figure in figures.metrics.items():
        if figure.mean is not None:
            metadata[name] = dg.MetadataValue.float(figure.mean)
    metadata["figures"] = table(
        [
            {
                "metric": name,
                "mean": share(figure.mean),
                "min": share(figure.min),
                "max": share(figure.max),
                "range": share(figure.range),
                "stdev": share(figure.stdev),
                "reason": figure.reason or "",
            }
            for name, figure in figures.metrics.items()
        ]
    )
    if figures.set_version is not None:
        metadata["suite_version"] = dg.MetadataValue.text(figures.set_version)
    if figures.judged_by is not None:
        metadata["judged_by"] = dg.MetadataValue.text(str(figures.judged_by))
    for name, count in figures.counts.items():
        metadata[f"count/{name}"] = dg.MetadataValue.int(count)
    metadata["reliability"] = dg.MetadataValue.md(reliability_markdown(figures.calibration))
    return metadata


def table(records: Iterable[Mapping[str, str | int | float]]) -> dg.MetadataValue[Any]:
    """Records as a table of Dagster's."""
    return dg.MetadataValue.table([dg.TableRecord(dict(record)) for record in records])


def share(value: float | None) -> str:
    """A share to read; what is unmeasured is no nought."""
    return "n/a" if value is None else f"{value:.3f}"


def _value(text: str | None) -> str:
    return "null" if text is None else text


def _bar(share: float) -> str:
    filled = round(share * _BAR_WIDTH)
    return "█" * filled + "░" * (_BAR_WIDTH - filled)


def bullets(notes: Iterable[str]) -> str:
    """Notes as a list in Markdown."""
    return "\n".join(f"- {note}" for note in notes)

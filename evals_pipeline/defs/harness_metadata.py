"""Harness figures and subject resolution as a person sees them in Dagster."""

import dagster as dg

from evals_pipeline.core.harness_records import ClassFigures, HarnessFigures
from evals_pipeline.core.resolution_records import ResolutionFigures
from evals_pipeline.core.run_records import InputDigests, RunStamp
from evals_pipeline.defs.figures_metadata import bullets, share, table
from evals_pipeline.defs.metadata import Metadata, digest_metadata, stamp_metadata, status_metadata

_SHOWN_SUBJECTS = 50


def harness_metadata(figures: HarnessFigures, digests: InputDigests, stamp: RunStamp) -> Metadata:
    """The rates to plot, the same as a table with their counts, and the confusion table."""
    metadata: Metadata = {
        rate.name: dg.MetadataValue.float(rate.figure.mean)
        for rate in figures.rates
        if rate.figure.mean is not None
    }
    metadata["figures"] = table(
        [
            {
                "rate": rate.name,
                "mean": share(rate.figure.mean),
                "min": share(rate.figure.min),
                "max": share(rate.figure.max),
                "range": share(rate.figure.range),
                "all runs": f"{rate.count}/{rate.n}",
                "reason": rate.figure.reason or "",
            }
            for rate in figures.rates
        ]
    )
    metadata["confusion"] = table([_confusion_row(figures, one) for one in figures.classes])
    return {
        **metadata,
        "suite_version": dg.MetadataValue.text(figures.set_version),
        "judged_by": dg.MetadataValue.text(f"{figures.judge} from {figures.threshold:g}"),
        "labels": dg.MetadataValue.int(figures.n_labels),
        "labels_aligned": dg.MetadataValue.int(figures.n_aligned),
        **status_metadata(figures.statuses),
        "runs": dg.MetadataValue.int(len(figures.run_indices)),
        **digest_metadata(digests),
        **stamp_metadata(stamp),
        **({"notes": dg.MetadataValue.md(bullets(figures.notes))} if figures.notes else {}),
    }


def _confusion_row(figures: HarnessFigures, one: ClassFigures) -> dict[str, str | int]:
    """What claims were emitted as whose label is of one class; then its precision and recall."""
    emitted = dict.fromkeys(cell.emitted for cell in figures.confusion)
    counts = {cell.emitted: cell.n for cell in figures.confusion if cell.expected == one.name}
    row: dict[str, str | int] = {"label": one.name}
    row |= {f"as {name}": counts.get(name, 0) for name in emitted}
    row["not aligned"] = one.n_labels - sum(counts.values())
    row["precision"] = f"{one.precision.count}/{one.precision.n}"
    row["recall"] = f"{one.recall.count}/{one.recall.n}"
    return row


def resolution_metadata(
    figures: ResolutionFigures, digests: InputDigests, stamp: RunStamp
) -> Metadata:
    """The three fractions to plot, and every subject that was not resolved rightly."""
    metadata: Metadata = {
        name: dg.MetadataValue.float(value)
        for name, value in (
            ("resolution_accuracy", figures.accuracy),
            ("resolution_wrong_ref", figures.wrong_ref),
            ("resolution_bare_local", figures.bare_local),
        )
        if value is not None
    }
    wrong = [one for one in figures.subjects if one.outcome.value != "correct"]
    records = [
        {
            "case": one.gold.case_id,
            "name": one.gold.name,
            "want": one.gold.ref or "no reference",
            "got": ", ".join(map(str, one.refs)) or "no reference",
            "outcome": one.outcome.value,
        }
        for one in wrong[:_SHOWN_SUBJECTS]
    ]
    metadata["not_right"] = table(records) if records else dg.MetadataValue.text("none")
    return {
        **metadata,
        "subjects": dg.MetadataValue.int(figures.n_gold),
        "resolved": dg.MetadataValue.int(figures.n_resolved),
        "outages": dg.MetadataValue.int(figures.n_outages),
        **({"reason": dg.MetadataValue.text(figures.reason)} if figures.reason else {}),
        **digest_metadata(digests),
        **stamp_metadata(stamp),
        **({"notes": dg.MetadataValue.md(bullets(figures.notes))} if figures.notes else {}),
    }

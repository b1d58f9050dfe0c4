"""Figures, misses, claims and costs as pandas frames, for notebooks and scripts.

    from evals_pipeline.notebook import Evaluations

    evals = Evaluations.open("path/to/project")
    evals.figures("invoices").query("is_unstable")
    evals.misses("invoices", model="gpt-5-mini-2025-08-07").groupby(["field", "outcome"]).size()

Everything is read from the store and changes nothing. An unmeasured figure is NaN in a frame of
numbers, with its reason beside it where it has one; every share stands beside its counts. Absence
of a value is missing in a frame of texts (``isna()``), never an empty text.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from evals_pipeline.core.errors import RefusedError
from evals_pipeline.core.figures import ClaimFigures, SetFigures
from evals_pipeline.core.outcomes import SetKind
from evals_pipeline.llm.archive import spend_lines
from evals_pipeline.notebook.rows import (
    calibrations,
    claim_rows,
    figure_rows,
    harness_rows,
    head,
    values_by_run,
)
from evals_pipeline.pipeline.gating import gate_model
from evals_pipeline.pipeline.grid import models_for
from evals_pipeline.pipeline.model_answers import record_of
from evals_pipeline.pipeline.project import Project
from evals_pipeline.pipeline.scoring import AnyFigures, read_figures
from evals_pipeline.pipeline.stored_harnesses import select_harness_cells, stored_harness

__all__ = ["Evaluations"]

_FIGURES = (
    "set", "model_version", "field", "kind", "n", "correct", "accuracy", "ci_low", "ci_high",
    "value_recall", "n_values", "invention_rate", "n_absences", "disagreement", "n_compared",
    "is_unstable", "calibration_error", "n_misses", "is_outdated",
)  # fmt: skip
_METRICS = (
    "set", "model_version", "metric", "mean", "min", "max", "range", "stdev", "n_runs", "reason",
    "is_outdated",
)  # fmt: skip
_MISSES = (
    "set", "model_version", "field", "document", "fixture_id", "run_index", "outcome", "want",
    "got", "in_document", "trace", "note",
)  # fmt: skip
_CLAIMS = (
    "set", "model_version", "case_id", "run_index", "side", "outcome", "content", "matched",
    "similarity", "confidence", "confidence_min", "required", "suspect", "note",
)  # fmt: skip
_RATES = (
    "set", "model_version", "harness", "rate", "mean", "min", "max", "range", "stdev", "count", "n",
    "reason", "is_outdated",
)  # fmt: skip
_SLICES = ("set", "model_version", "slice", "field", "n", "correct", "accuracy")
_BINS = (
    "set", "model_version", "what", "lower", "upper", "n", "mean_confidence", "accuracy",
)  # fmt: skip
_GATE = (
    "set", "model_version", "field", "verdict", "baseline", "now", "delta", "tolerance",
    "n_documents", "p_value", "noise", "is_unstable", "acknowledged", "reason",
)  # fmt: skip
_COSTS = (
    "set", "model_version", "purpose", "document", "run_index", "at", "status", "input_tokens",
    "cached_input_tokens", "output_tokens", "usd", "price_table", "run_id", "commit",
)  # fmt: skip


class Evaluations:
    """A project's stored results; ``open`` finds the project."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @classmethod
    def open(cls, folder: str | Path | None = None) -> "Evaluations":
        """The project that ``folder`` lies in (default: EVALS_PROJECT, else the working folder).

        Raises:
            SetupError: there is no project there.
        """
        return cls(Project.open(None if folder is None else Path(folder)))

    def sets(self) -> pd.DataFrame:
        """One row a set and model version that can serve it: ``set``, ``kind``, ``is_scored``."""
        rows = []
        for name in self.project.set_names():
            for model in models_for(self.project, name):
                stored = read_figures(self.project, name, model)
                rows.append(
                    {
                        "set": name,
                        "kind": self.project.kind_of(name).value,
                        "model_version": model,
                        "is_scored": stored is not None,
                        "outdated": [] if stored is None else list(stored.outdated),
                    }
                )
        columns = ("set", "kind", "model_version", "is_scored", "outdated")
        return _frame(rows, columns)

    def figures(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """One row a field of a golden set, or a metric of a suite, for each model version.

        Fields: ``accuracy`` = ``correct`` / ``n`` over planned documents and runs, with a Wilson
        95 % interval; ``value_recall`` over labelled values, ``invention_rate`` over labelled
        absences; no row is an average over fields. Metrics: mean, min, max and sample standard
        deviation over ``n_runs`` runs, with the ``reason`` where one is unmeasured.

        Args:
            set_name: A golden set or a claim suite.
            model: One model version; all that are scored by default.

        Raises:
            UnknownNameError: no such set or model version.
            RefusedError: nothing is scored.
        """
        rows: list[dict[str, Any]] = []
        for figures, is_outdated in self._scored(set_name, model):
            rows += figure_rows(figures, is_outdated=is_outdated)
        is_fields = self.project.kind_of(set_name) is SetKind.FIELDS
        return _frame(rows, _FIGURES if is_fields else _METRICS)

    def by_run(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """One row a field (or metric), model version and run: ``run_index``, ``value``."""
        rows = [
            {**head(figures), "figure": name, "run_index": run, "value": value}
            for figures, _ in self._scored(set_name, model)
            for name, values in values_by_run(figures)
            for run, value in zip(figures.run_indices, values, strict=True)
        ]
        return _frame(rows, ("set", "model_version", "figure", "run_index", "value"))

    def misses(
        self, set_name: str, *, model: str | None = None, field: str | None = None
    ) -> pd.DataFrame:
        """One row for every field of every document in every run that was not correct.

        ``want`` and ``got`` are canonical forms (missing: absent), ``trace`` the steps as a list,
        ``in_document`` whether the value in question stands in the document's text.
        """
        rows = [
            {
                **head(figures),
                "field": one.field,
                "document": miss.document,
                "fixture_id": miss.fixture_id,
                "run_index": miss.run_index,
                "outcome": miss.outcome.value,
                "want": miss.want,
                "got": miss.got,
                "in_document": miss.in_document,
                "trace": list(miss.trace),
                "note": miss.note,
            }
            for figures in self._fields(set_name, model)
            for one in figures.fields
            if field in (None, one.field)
            for miss in one.misses
        ]
        return _frame(rows, _MISSES)

    def documents(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """One row a field and document: in how many (``correct``) of ``n`` runs it was right."""
        rows = [
            {
                **head(figures),
                "field": one.field,
                "document": tally.document,
                "fixture_id": tally.fixture_id,
                "correct": tally.correct,
                "n": tally.n,
            }
            for figures in self._fields(set_name, model)
            for one in figures.fields
            for tally in one.documents
        ]
        columns = ("set", "model_version", "field", "document", "fixture_id", "correct", "n")
        return _frame(rows, columns)

    def slices(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """One row a slice (``source=acme``, ``tag=fax`` …) and field: ``n``, ``correct``."""
        rows = [
            {
                **head(figures),
                "slice": one.slice,
                "field": one.field,
                "n": one.n,
                "correct": one.correct,
                "accuracy": one.correct / one.n if one.n else None,
            }
            for figures in self._fields(set_name, model)
            for one in figures.slices
        ]
        return _frame(rows, _SLICES)

    def claims(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """One row an emitted claim (``side`` claim) or gold claim (``side`` gold), case and run.

        ``matched`` is the text on the other side, missing where nothing matches. Where the settings
        say ``record_claim_text = false`` the content of emitted claims is missing too.

        Raises:
            RefusedError: the set is a golden set, which has misses instead.
        """
        with_text = self.project.settings.record_claim_text
        rows = [
            {**head(figures), **row}
            for figures in self._claims(set_name, model)
            for case in figures.cases
            for row in claim_rows(case, with_text=with_text)
        ]
        return _frame(rows, _CLAIMS)

    def calibration(self, set_name: str, *, model: str | None = None) -> pd.DataFrame:
        """The ten bins of each reliability diagram; ``what`` is the field, or the sort of match.

        Empty bins are there, with ``n`` 0 and nothing measured.
        """
        rows = [
            {
                **head(figures),
                "what": what,
                "lower": one.lower,
                "upper": one.upper,
                "n": one.n,
                "mean_confidence": one.mean_confidence,
                "accuracy": one.accuracy,
            }
            for figures, _ in self._scored(set_name, model)
            for what, calibration in calibrations(figures)
            for one in calibration.bins
        ]
        return _frame(rows, _BINS)

    def harness(self, suite_id: str, *, model: str | None = None) -> pd.DataFrame:
        """One row a rate of a modality, polarity or validity suite, for each model version.

        ``count`` of ``n`` over all runs stand beside the mean over runs. ``confusion.A.B`` rows
        have the ``count`` of labels A that were emitted as B.

        Raises:
            UnknownNameError: no such harness suite or model version.
            RefusedError: nothing is stored; the commands of the harnesses store nothing.
        """
        cells = select_harness_cells(self.project, [suite_id], () if model is None else (model,))
        stored = [found for cell in cells if (found := stored_harness(self.project, cell))]
        if not stored:
            raise RefusedError(f'{suite_id}: nothing is stored. Run "evals run {suite_id}".')
        rows = [
            row
            for found in stored
            for row in harness_rows(found.figures, is_outdated=bool(found.outdated))
        ]
        return _frame(rows, _RATES)

    def gate(
        self, set_name: str, *, model: str | None = None, since: str | None = None
    ) -> pd.DataFrame:
        """The gate's table, one row a field; a refused gate is one row with its reasons.

        Shares are exact fractions in the gate and floats here. The verdict is not stored.

        Args:
            set_name: A golden set.
            model: One model version; all that can serve the set by default.
            since: Gate against the baseline of this git revision.
        """
        rows: list[dict[str, Any]] = []
        for version in self._versions(set_name, model):
            report = gate_model(self.project, set_name, version, since=since)
            head = {"set": set_name, "model_version": version}
            if not report.fields:
                reason = "\n".join(report.reasons)
                rows.append({**head, "verdict": report.verdict.value, "reason": reason})
            for row in report.fields:
                rows.append(
                    {
                        **head,
                        "field": row.field,
                        "verdict": row.verdict.value,
                        "baseline": _number(row.baseline),
                        "now": _number(row.now),
                        "delta": _number(row.delta),
                        "tolerance": row.tolerance,
                        "n_documents": row.n_documents,
                        "p_value": row.p_value,
                        "noise": row.noise,
                        "is_unstable": row.is_unstable,
                        "acknowledged": row.acknowledged,
                        "reason": row.reason,
                    }
                )
        return _frame(rows, _GATE)

    def costs(self, set_name: str | None = None) -> pd.DataFrame:
        """One row a call that was paid for; ``usd`` is a float here, NaN where it is unknown.

        Sum money from ``evals costs --format json`` where it has to be exact.
        """
        rows = [
            {
                "set": line.set_name,
                "model_version": line.model_version,
                "purpose": line.purpose.value,
                "document": line.label,
                "run_index": line.run_index,
                "at": line.at,
                "status": line.status.value,
                "input_tokens": line.input_tokens,
                "cached_input_tokens": line.cached_input_tokens,
                "output_tokens": line.output_tokens,
                "usd": _number(line.usd),
                "price_table": line.price_table,
                "run_id": line.run_id,
                "commit": line.commit,
            }
            for line in spend_lines(record_of(self.project))
            if set_name in (None, line.set_name)
        ]
        return _frame(rows, _COSTS)

    def sql(self, query: str) -> pd.DataFrame:
        """The result of SQL over the store's views (``field_matches``, ``extractions``, …)."""
        with self.project.store.connect() as connection:
            found: pd.DataFrame = connection.sql(query).df()
            return found

    # --- reading ----------------------------------------------------------------------------

    def _versions(self, set_name: str, model: str | None) -> tuple[str, ...]:
        self.project.kind_of(set_name)
        if model is not None:
            self.project.model(model)
            return (model,)
        return models_for(self.project, set_name)

    def _scored(self, set_name: str, model: str | None) -> Iterator[tuple[AnyFigures, bool]]:
        """The figures that exist, with whether their inputs changed since."""
        n_found = 0
        for version in self._versions(set_name, model):
            stored = read_figures(self.project, set_name, version)
            if stored is not None:
                n_found += 1
                yield stored.figures, bool(stored.outdated)
        if not n_found:
            raise RefusedError(f'{set_name}: nothing is scored. Run "evals run {set_name}".')

    def _fields(self, set_name: str, model: str | None) -> Iterator[SetFigures]:
        for figures, _ in self._scored(set_name, model):
            if not isinstance(figures, SetFigures):
                message = f"{set_name}: a claim suite has claims, no fields. Use claims()."
                raise RefusedError(message)
            yield figures

    def _claims(self, set_name: str, model: str | None) -> Iterator[ClaimFigures]:
        for figures, _ in self._scored(set_name, model):
            if not isinstance(figures, ClaimFigures):
                message = f"{set_name}: a golden set has misses, no claims. Use misses()."
                raise RefusedError(message)
            yield figures


def _frame(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """A frame with these columns in this order, also where there is no row."""
    return pd.DataFrame(list(rows), columns=list(columns))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)

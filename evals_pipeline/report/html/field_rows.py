"""The rows of a golden set: every miss, alike ones of several runs joined."""

from collections.abc import Iterable, Mapping, Sequence

from evals_pipeline.core.figures import GateReport, Miss
from evals_pipeline.core.label_history import label_words
from evals_pipeline.core.outcomes import FieldOutcome
from evals_pipeline.report.html.page import GoldenModel, GoldenSection, in_order
from evals_pipeline.report.html.rows import ABSENT, Json, Once, Rows, shown, shown_name
from evals_pipeline.report.table_rows import Table, laid_over


def field_rows(section: GoldenSection) -> Json:
    """Every miss of a golden set: those of one document that are alike in several runs are one."""
    rows = Rows(
        (
            "model", "field", "outcome", "doc", "runs", "want", "got", "mark", "trace", "note",
            "place", "change", "table",
        )
    )  # fmt: skip
    documents, tables = Once(), Once()
    models = in_order(section.models)
    order: dict[str, int] = {}
    for name in (name for model in models for name in _fields_in_order(model)):
        order.setdefault(name, len(order))
    outcomes = [outcome.value for outcome in FieldOutcome if not outcome.is_correct]
    for number, model in enumerate(models):
        changes = _changes(model.gate)
        for field, alike in _alike_misses(model, changes):
            first = alike[0]
            table = laid_over(first.want, first.got) if _is_table(first) else None
            rows.add(
                model=number,
                field=order[field],
                outcome=outcomes.index(first.outcome.value),
                doc=documents.place((first.fixture_id, first.document)),
                runs=rows.runs(miss.run_index for miss in alike),
                want=rows.text(first.want),
                got=rows.text(first.got),
                mark=rows.marked(first.want, first.got),
                trace=rows.text_list((*first.trace, *_label(first))),
                note=rows.text(first.note),
                place=rows.excerpts(
                    model.places.get((first.fixture_id, field, first.want, first.got), ())
                ),
                change=rows.text(changes.get((field, first.fixture_id))),
                table=ABSENT if table is None else tables.place(table, _table_json(table)),
            )
    slices = Once()
    return rows.as_json(
        kind="fields",
        models=[shown_name(model.measured.model_version) for model in models],
        fields=[shown_name(name) for name in order],
        outcomes=outcomes,
        run_indices=sorted({run for model in section.models for run in model.figures.run_indices}),
        doc_ids=[identity for identity, _ in documents.kept],
        doc_names=[shown_name(name) for _, name in documents.kept],
        doc_slices=[
            [slices.place(name) for name in section.slices.get(identity, ())]
            for identity, _ in documents.kept
        ],
        slices=[shown_name(name) for name in slices.kept],
        tables=tables.kept,
    )


def _fields_in_order(model: GoldenModel) -> list[str]:
    """Failing fields first, then the gate's order, which is that of the weights."""
    gated = sorted(model.gate.fields, key=lambda row: not row.verdict.fails)
    names = dict.fromkeys(row.field for row in gated)
    return list(names | dict.fromkeys(one.field for one in model.figures.fields))


def _alike_misses(
    model: GoldenModel, changes: Mapping[tuple[str, str], str]
) -> Iterable[tuple[str, list[Miss]]]:
    """Misses by field, those of newly failing documents first."""
    figures = {one.field: one for one in model.figures.fields}
    for name in _fields_in_order(model):
        alike: dict[tuple[object, ...], list[Miss]] = {}
        for miss in figures[name].misses if name in figures else ():
            key = (miss.fixture_id, miss.want, miss.got, miss.outcome)
            alike.setdefault(key, []).append(miss)
        new_first = sorted(
            alike.values(), key=lambda same: (name, same[0].fixture_id) not in changes
        )
        for same in new_first:
            yield name, same


def _changes(gate: GateReport) -> Mapping[tuple[str, str], str]:
    return {
        (one.field, one.fixture_id): f"newly failing: {one.baseline} before, {one.now} now"
        for one in gate.newly_failing
        if one.field is not None
    }


def _label(miss: Miss) -> tuple[str, ...]:
    """Whom to ask for the label, as the last of the steps."""
    said = label_words(miss.labelled_by, miss.labelled_at, miss.corrections)
    return () if said is None else (said,)


def _is_table(miss: Miss) -> bool:
    return any(value is not None and value.startswith("[{") for value in (miss.want, miss.got))


def _table_json(table: Table) -> Json:
    return {
        "columns": [shown_name(name) for name in table.columns],
        "rows": [[_row_json(row.want), _row_json(row.got)] for row in table.rows],
    }


def _row_json(cells: Sequence[str] | None) -> list[str] | None:
    return None if cells is None else [shown(cell) for cell in cells]

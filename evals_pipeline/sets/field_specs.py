"""From the fields that ``set.yaml`` states to the records that judging and gates read."""

from collections.abc import Iterable
from dataclasses import fields, replace
from fractions import Fraction

from evals_pipeline.core.fingerprints import digest_of
from evals_pipeline.core.records import FieldSpec, GatePolicy, SourceConvention
from evals_pipeline.sets.set_model import FieldModel, GateModel, PartModel

# What may change without changing how any value compares.
_BESIDE_COMPARISON = frozenset({"weight", "tolerance", "description"})


def field_spec(name: str, stated: PartModel) -> FieldSpec:
    """The record of a field, a column or an item."""
    spec = FieldSpec(
        name=name,
        kind=stated.kind,
        threshold=stated.threshold,
        formats=stated.formats,
        locale=stated.locale,
        currency=stated.currency,
        absolute_tolerance=stated.absolute_tolerance,
        relative_tolerance=stated.relative_tolerance,
        pivot=stated.pivot,
        credit_is_positive=stated.credit_is_positive,
        values=stated.values,
        ordered=stated.ordered,
        item=None if stated.item is None else field_spec("item", stated.item),
        key=stated.key,
        columns=tuple(field_spec(column, part) for column, part in stated.columns.items()),
        description=stated.description,
    )
    if isinstance(stated, FieldModel):
        return replace(spec, weight=stated.weight, tolerance=stated.tolerance)
    return spec


def gate_policy(stated: GateModel) -> GatePolicy:
    """The record of the gate's limits, as exact fractions."""
    calibration = stated.calibration_tolerance
    return GatePolicy(
        tolerance=stated.tolerance,
        max_errors=stated.max_errors,
        disagreement=Fraction(stated.disagreement),
        min_runs=stated.min_runs,
        calibration_tolerance=None if calibration is None else Fraction(calibration),
    )


def schema_digest(specs: Iterable[FieldSpec], base: SourceConvention) -> str:
    """The SHA-256 over the fields and how they compare, without tolerances and weights."""
    convention = [base.locale, base.currency, base.formats]
    return digest_of([[_comparison(spec) for spec in specs], convention])


def _comparison(spec: FieldSpec) -> dict[str, object]:
    stated: dict[str, object] = {}
    for parameter in fields(spec):
        if parameter.name not in _BESIDE_COMPARISON:
            stated[parameter.name] = getattr(spec, parameter.name)
    stated["item"] = None if spec.item is None else _comparison(spec.item)
    stated["columns"] = [_comparison(column) for column in spec.columns]
    return stated

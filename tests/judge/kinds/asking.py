"""Asks the judge about one pair of values."""

from decimal import Decimal
from typing import Any

from evals_pipeline.core.outcomes import Presence
from evals_pipeline.core.records import FieldSpec, JsonValue, SourceConvention
from evals_pipeline.core.run_records import FieldValue
from evals_pipeline.judge.fields import FieldComparison, FieldJudge

_OF_SOURCE = ("locale", "currency", "formats")


def compared(kind: str, want: JsonValue, got: JsonValue, **settings: Any) -> FieldComparison:
    """The comparison of two values; ``locale``, ``currency`` and ``formats`` are the source's."""
    convention = SourceConvention(
        **{name: settings.pop(name) for name in _OF_SOURCE if name in settings}
    )
    spec = FieldSpec(name="value", kind=kind, **settings)
    value = FieldValue(value=got, presence=Presence.VALUE)
    return FieldJudge().compare(spec, (want,), value, convention=convention)


def outcome(kind: str, want: JsonValue, got: JsonValue, **settings: Any) -> str:
    """What became of ``got``, as a word."""
    return compared(kind, want, got, **settings).outcome.value


ODD_VALUES: list[Any] = [
    True, False, 0, -1, 10**400, 1.5, float("nan"), float("-inf"),
    Decimal("NaN"), Decimal("1E+300"), "", " ", "\u200b", "\x00", "-", "(", "()", ".", ",", "%",
    "€", "1" * 5000, "9e99999", "1e-400", "12,34,5", "\u0661\u0662", "½", "10²", "\ud7ff",
    "a" * 200_000, "2024-02-30", "31/31/31",
    [], [[]], {}, {"a": [None]}, [None], [{"a": 1}, 2], None,
]  # fmt: skip
"""What no kind may stumble over."""

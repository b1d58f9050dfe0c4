"""How far a field may drop, as people write it: ``1 docs`` or a fraction such as ``0.02``."""

import re
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, InstanceOf, WithJsonSchema

from evals_pipeline.core.edges import complete_refusal
from evals_pipeline.core.records import Tolerance

_DOCUMENTS = re.compile(r"(\d{1,9})\s*(?:docs?|documents?)", re.ASCII)
_FRACTION = re.compile(r"\d*\.?\d+(?:[eE]-?\d{1,2})?", re.ASCII)


def read_tolerance(raw: object) -> object:
    """A tolerance from its text; exact, so that a drop that equals it passes.

    >>> str(read_tolerance("2 docs")), str(read_tolerance("0.02"))
    ('2 docs', '0.02')
    """
    text = str(raw).strip() if raw is not None and not isinstance(raw, bool | list | dict) else ""
    if documents := _DOCUMENTS.fullmatch(text):
        return Tolerance(documents=int(documents.group(1)))
    if _FRACTION.fullmatch(text) and (fraction := Fraction(text)) < 1:
        return Tolerance(fraction=fraction)
    raise complete_refusal(
        f"cannot be read as a tolerance, got {text[:40]!r}",
        remedy='Write a count of documents, such as "1 docs", or a fraction from 0 to below 1.',
    )


ToleranceText = Annotated[
    InstanceOf[Tolerance],
    BeforeValidator(read_tolerance),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": "^[0-9]+ *(docs?|documents?)$"},
                {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            ]
        }
    ),
]

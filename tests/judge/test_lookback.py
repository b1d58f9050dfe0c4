"""Looking a value up in a document's text, in whatever notation it stands there."""

from typing import Any

import pytest

from evals_pipeline.core.records import FieldSpec, SourceConvention
from evals_pipeline.judge.kinds.protocol import Side
from evals_pipeline.judge.kinds.reader import make_reader
from evals_pipeline.judge.lookback import LONGEST_SEARCHED, DocumentText

TEXT = """
QUAY & SONS LTD.            Invoice no. QY-2026 / 0042
Issued the 9th day of July, 2026.   Due 08/08/2026
2 Ropes      1 250,00    2 500,00
Anchor “Ann”  VAT 19.5 %   (310.75)
30 JUN 26 14:10   ref 12- 24/07/2026
"""


def holds(kind: str, value: Any, text: str = TEXT, **settings: Any) -> bool | None:
    locale = settings.pop("locale", "en_GB")
    spec = FieldSpec(name="value", kind=kind, **settings)
    reader = make_reader(spec, SourceConvention(locale=locale), Side.EXTRACTED)
    return DocumentText(text).holds(reader.read(value), reader)


@pytest.mark.parametrize(
    ("kind", "value", "settings"),
    [
        ("text", "Quay & sons Ltd", {}),
        ("text", 'anchor "ann"', {}),
        ("identifier", "qy20260042", {}),
        ("money", "310.75", {}),
        ("money", "-310.75", {}),
        ("money", "£1,250.00", {"locale": "fr_FR"}),
        ("money", "2500", {"locale": "fr_FR"}),
        ("number", 2, {}),
        ("percent", "19.5%", {}),
        ("date", "2026-07-09", {}),
        ("date", "2026-08-08", {}),
        ("date", "2026-07-24", {}),
        ("date", "2026-06-30", {"pivot": 2000}),
        ("list", ["Ropes", "Anchor"], {}),
    ],
)
def test_what_stands_there_is_found(kind: str, value: Any, settings: dict[str, Any]):
    assert holds(kind, value, **settings) is True


@pytest.mark.parametrize(
    ("kind", "value", "settings"),
    [
        ("text", "Rope", {}),
        ("text", "Quay and Sons", {}),
        ("identifier", "QY-2026/004", {}),
        ("identifier", "Y-2026/0042", {}),
        ("money", "1250.01", {"locale": "fr_FR"}),
        ("date", "2026-09-07", {}),
        ("list", ["Ropes", "Sail"], {}),
    ],
)
def test_what_does_not_is_not(kind: str, value: Any, settings: dict[str, Any]):
    assert holds(kind, value, **settings) is False


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("boolean", True),
        ("enum", "Ropes"),
        ("table", [{"a": 1}]),
        ("money", "soon"),
        ("text", None),
        ("identifier", "A" * 300),
    ],
)
def test_what_cannot_be_said_is_left_open(kind: str, value: Any):
    assert holds(kind, value) is None


def test_a_document_that_is_too_long_to_search_never_denies():
    long = TEXT + "." * LONGEST_SEARCHED
    assert holds("text", "Anchor", long) is True
    assert holds("text", "Sail", long) is None


def test_a_document_full_of_numbers_is_searched_in_bounds():
    numbers = " ".join(str(number) for number in range(1_000, 17_000))
    assert holds("number", 1_234, numbers) is True
    assert holds("number", 99_999_999, numbers) is None

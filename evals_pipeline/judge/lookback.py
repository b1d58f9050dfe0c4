"""Is a value in the document's text at all? Looked up by its canonical form, without a model.

Information only, never a verdict: a value that stands in the document may still be the wrong one,
and one that does not (a scan, a total that was worked out) may be right. It tells an invention from
a mix-up, and a suspicious label from a bad extraction.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from itertools import islice

from evals_pipeline.judge.kinds.characters import fold_numeric, fold_text
from evals_pipeline.judge.kinds.date import DateKind
from evals_pipeline.judge.kinds.identifier import IdentifierKind
from evals_pipeline.judge.kinds.list import Items
from evals_pipeline.judge.kinds.money import Amount, MoneyKind
from evals_pipeline.judge.kinds.notation import plain_text
from evals_pipeline.judge.kinds.number import NumberKind
from evals_pipeline.judge.kinds.numerals import read_numeral
from evals_pipeline.judge.kinds.percent import PercentKind
from evals_pipeline.judge.kinds.protocol import KindContext, Reading
from evals_pipeline.judge.kinds.reader import ITEM, ValueReader
from evals_pipeline.judge.kinds.text import TextKind

LONGEST_SEARCHED = 2_000_000
"""Characters of a document that are searched; a value beyond them counts as not looked for."""

_LONGEST_PATTERN = 200
_MOST_GROUPS = 4  # 1 234 567 890
_MOST_RUNS = 60_000  # under a second
NUMBER_RUN = re.compile(r"(?<![\d.,])[(+\-]?\d(?:[\d.,' ٫]*\d)?[)\-]?(?![\d])")
# Looked for at every position, because what stands before a date may be a number too.
NUMERIC_DATE = re.compile(
    r"(?<!\d)(?=((?:\d{1,4} ?[./\-年년] ?\d{1,2} ?[./\-月월] ?\d{1,4}(?: ?[日일])?|\d{8})(?!\d)))"
)
# A month's name between or before the numbers, with what may stand between them.
NAMED_DATE = re.compile(
    r"(?<!\w)(?=(\d{1,2}(?!\d)[^\W\d]{0,2}[.,\- ]{0,2}(?:[^\W\d]{1,4} ){0,3}[^\W\d]{3,12}"
    r"[.,\- ]{1,2}(?:[^\W\d]{1,4} )?\d{2,4}(?!\d)"
    r"|[^\W\d]{3,12}[.,\- ]{1,2}\d{1,2}[^\W\d]{0,2}[.,\- ]{1,2}\d{2,4}(?!\d)))"
)


class DocumentText:
    """A document's text, folded and searched for values; what was worked out is kept."""

    def __init__(self, text: str) -> None:
        self._text = text[:LONGEST_SEARCHED]
        self._is_cut = len(text) > LONGEST_SEARCHED
        self._found: dict[str | ValueReader | None, frozenset[str]] = {}

    @cached_property
    def _folded(self) -> str:
        return fold_text(self._text)

    @cached_property
    def _upper(self) -> str:
        return self._numeric.upper()

    @cached_property
    def _numeric(self) -> str:
        return fold_numeric(self._text)

    def holds(self, reading: Reading, reader: ValueReader) -> bool | None:
        """Whether the value stands in the text, in any notation that its kind reads.

        Returns:
            None where it cannot be said: no canonical form, a kind whose values need not stand in
            the text (enum, boolean, table), or a text that is too long.
        """
        found = self._holds(reading, reader)
        return None if found is False and self._is_cut else found

    def _holds(self, reading: Reading, reader: ValueReader) -> bool | None:
        if reading.form is None or reading.form.text is None:
            return None
        value = reading.form.text
        match reader.kind:
            case TextKind():
                return _stands_in(value, self._folded)
            case IdentifierKind():
                return self._holds_identifier(value)
            case MoneyKind() | NumberKind() | PercentKind():
                return _number_of(reading) in self._numbers(reader.context)
            case DateKind():
                return value in self._dates(reader)
            case _:
                return self._holds_items(reading, reader)

    def _holds_items(self, reading: Reading, reader: ValueReader) -> bool | None:
        items = reading.form.payload if reading.form else None
        part = reader.context.parts.get(ITEM)
        if not isinstance(items, Items) or not isinstance(part, ValueReader):
            return None
        found = [self._holds(item, part) for item in items.readings]
        return None if None in found else all(found)

    def _holds_identifier(self, value: str) -> bool | None:
        if len(value) > _LONGEST_PATTERN:
            return None
        between = r"[\W_]{0,3}"
        pattern = between.join(re.escape(char) for char in value)
        return re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", self._upper) is not None

    def _numbers(self, context: KindContext) -> frozenset[str]:
        key = context.locale
        if key not in self._found:
            runs = self._bounded(self._number_runs())
            read = (read_numeral(run, context).value for run in runs)
            self._found[key] = frozenset(_magnitude(value) for value in read if value is not None)
        return self._found[key]

    def _bounded(self, runs: Iterator[str]) -> set[str]:
        """The distinct ones of the first ``_MOST_RUNS``; past that nothing is denied any more."""
        first = list(islice(runs, _MOST_RUNS + 1))
        self._is_cut = self._is_cut or len(first) > _MOST_RUNS
        return set(first)

    def _number_runs(self) -> Iterator[str]:
        """Every run of digits; where spaces are in it also its parts, which columns may be."""
        for run in NUMBER_RUN.findall(self._numeric):
            parts = run.split(" ")
            for start in range(len(parts)):
                for end in range(start + 1, min(start + _MOST_GROUPS, len(parts)) + 1):
                    yield " ".join(parts[start:end])

    def _dates(self, reader: ValueReader) -> frozenset[str]:
        if reader not in self._found:
            runs = self._bounded(self._date_runs())
            forms = (reader.kind.canonical(run, reader.context) for run in runs)
            self._found[reader] = frozenset(form.text for form in forms if form.text is not None)
        return self._found[reader]

    def _date_runs(self) -> Iterator[str]:
        yield from NUMERIC_DATE.findall(self._numeric)
        yield from NAMED_DATE.findall(self._numeric)


def _stands_in(value: str, text: str) -> bool:
    """Whether ``value`` stands in ``text`` as whole words."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before, after = text[max(start - 1, 0) : start], text[end : end + 1]
        if not _joins(before, value[0]) and not _joins(value[-1], after):
            return True
        start = text.find(value, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return left.isalnum() and right.isalnum()


def _number_of(reading: Reading) -> str | None:
    payload = reading.form.payload if reading.form else None
    value = payload.value if isinstance(payload, Amount) else payload
    return _magnitude(value) if isinstance(value, Decimal) else None


def _magnitude(value: Decimal) -> str:
    return plain_text(abs(value))

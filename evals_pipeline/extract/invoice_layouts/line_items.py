"""Line items: rows of description, quantity, unit price and amount.

A row is read by its columns where they survived, else from its right end, where the reading counts
that multiplies out (a space may group thousands or part two columns). Two-line items keep their
description on the line above.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.extract.invoice_layouts.labels import labels_on
from evals_pipeline.extract.invoice_layouts.notation import Notation
from evals_pipeline.extract.invoice_layouts.page import Line

_SURE, _UNPROVEN, _UNFRAMED = 0.9, 0.6, 0.1
_UNIT = r"(?:\s?[^\W\d_]{1,4}\.?)?"
_MARK = r"(?:[$€£]|kr|[A-Z]{3})?"
_POSITION = re.compile(r"^\s*\d{1,3}[.)]?\s+(?=\S)")
_TAIL_LIMIT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One row, each cell as it stands; ``is_proven``: quantity times price gives the amount."""

    description: str
    quantity: str
    unit_price: str
    amount: str
    is_proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTable:
    """The items of a document, the numbers of the lines they take up, and the confidence."""

    items: tuple[Item, ...]
    lines: frozenset[int]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The head of a table: what its columns hold, from left to right."""

    line: int
    columns: tuple[str, ...]


def find_items(lines: Sequence[Line], notation: Notation) -> ItemTable:
    """The line items of a document; empty with confidence 0 where none was recognised."""
    heads = [head for line in lines if (head := _head_on(line, notation.language)) is not None]
    items: list[Item] = []
    taken: set[int] = set()
    for number, head in enumerate(heads):
        stop = heads[number + 1].line if number + 1 < len(heads) else len(lines)
        taken.add(head.line)
        for line, item in _rows(lines[head.line + 1 : stop], head, notation):
            items.append(item)
            taken.add(line)
    framed = bool(items)
    if not framed:
        for line, item in _rows(lines, None, notation):
            items.append(item)
            taken.add(line)
    if not items:
        return ItemTable(items=(), lines=frozenset(taken), confidence=0.0)
    proven = all(item.is_proven for item in items)
    confidence = (
        (_SURE if framed else _SURE - 0.1) if proven else _UNPROVEN if framed else _UNFRAMED
    )
    return ItemTable(items=tuple(items), lines=frozenset(taken), confidence=confidence)


def _head_on(line: Line, language: str | None) -> _Head | None:
    """The head of a table on this line: two kinds of columns or more, and no figures."""
    if re.search(r"\d", line.text):
        return None
    columns = []
    for label in labels_on(line, language, columns=True):
        kind = min(label.names).removeprefix("column_")
        if kind not in columns:
            columns.append(kind)
    numeric = {"quantity", "price", "amount"} & set(columns)
    is_head = len(numeric) >= 2 or (bool(numeric) and "description" in columns)
    return _Head(line=line.number, columns=tuple(columns)) if is_head else None


def _rows(
    lines: Sequence[Line], head: _Head | None, notation: Notation
) -> Iterator[tuple[int, Item]]:
    """The rows below a head until its sums begin; without a head, rows that prove themselves."""
    above: Line | None = None
    seen = False
    for line in lines:
        if seen and head is not None and _begins_sums(line, notation.language):
            return
        item = _item_on(line, head, notation)
        if item is not None and not item.description and above is not None:
            item = _named(item, above.text)
        if item is not None and item.description and (item.is_proven or _is_framed(line, head)):
            seen = True
            yield line.number, item
        above = None if line.is_blank or item is not None else line


def _begins_sums(line: Line, language: str | None) -> bool:
    sums = {"net_total", "tax_total", "total", "payable"}
    return any(label.is_leading and label.names & sums for label in labels_on(line, language))


def _is_framed(line: Line, head: _Head | None) -> bool:
    """Whether a row that does not multiply out is one all the same: its cells stand apart.

    Prices are rounded in print, and discounts have no column, so that many honest rows do not.
    """
    cells = line.segments[1:]
    apart = len(cells) >= 3 and all(re.search(r"\d", cell.text) for cell in cells[-3:])
    return apart and (head is not None or len(cells) == 3)


def _named(item: Item, description: str) -> Item:
    return Item(
        description=description.strip(" .:|~_"),
        quantity=item.quantity,
        unit_price=item.unit_price,
        amount=item.amount,
        is_proven=item.is_proven,
    )


def _item_on(line: Line, head: _Head | None, notation: Notation) -> Item | None:
    if not re.search(r"\d", line.text):
        return None
    text = line.text
    lead = ""
    if head is not None and head.columns[0] == "quantity":
        match = re.match(rf"\s*[-−]?{notation.number}{_UNIT}\s+(?=\S)", text)
        if match is None:
            return None
        lead, text = match.group().strip(), text[match.end() :]
    elif head is not None and "position" in head.columns[:1]:
        text = _POSITION.sub("", text)
    readings = (_by_tail(text, lead, notation), _spelt_out(text, notation))
    return next((one for one in readings if one is not None and one.is_proven), readings[0])


def _spelt_out(text: str, notation: Notation) -> Item | None:
    """A row with its multiplication written out: "4 x £25.00 = £100.00", "16 × 96,50  1.544,00"."""
    number = notation.number
    match = re.search(
        rf"(?<![\w.,])(?P<quantity>[-−]?{number}){_UNIT}\s?[x×@*]\s?(?P<price>{_MARK}\s?{number})"
        rf"\s*=?\s*(?P<amount>[-−]?{_MARK}\s?[-−]?{number})",
        text,
    )
    if match is None:
        return None
    cells = match.group("quantity"), match.group("price").strip(), match.group("amount").strip()
    return _item(text[: match.start()], cells, notation)


def _by_tail(text: str, lead: str, notation: Notation) -> Item | None:
    """A row read from its right end; ``lead`` is a quantity that stood before the description."""
    wanted = 2 if lead else 3
    gapped = [part for part in re.split(r"\s{2,}", text.strip()) if part]
    if len(gapped) == wanted + 1 and all(_is_number(one, notation) for one in gapped[1:]):
        cells = ([lead] if lead else []) + gapped[1:]
        return _item(gapped[0], (cells[0], cells[1], cells[2]), notation)
    readings = []
    for start, tail in _tails(text, wanted, notation):
        cells = ([lead] if lead else []) + list(tail)
        readings.append(_item(text[:start], (cells[0], cells[1], cells[2]), notation))
    return next((one for one in readings if one.is_proven), readings[-1] if readings else None)


def _tails(text: str, wanted: int, notation: Notation) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every way to read the last ``wanted`` cells of a row as numbers, words of it grouped."""
    words = [(one.start(), one.end()) for one in re.finditer(r"\S+", text)][-_TAIL_LIMIT:]

    def split(last: int, left: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        for first in range(max(0, last - 2), last + 1):
            cell = text[words[first][0] : words[last][1]]
            if not _is_number(cell, notation):
                continue
            if left == 1:
                yield words[first][0], (cell,)
            elif first > 0:
                for start, cells in split(first - 1, left - 1):
                    yield start, (*cells, cell)

    if words:
        yield from split(len(words) - 1, wanted)


def _is_number(cell: str, notation: Notation) -> bool:
    shape = rf"[-−(]?\s?{_MARK}\s?[-−]?{notation.number}\)?(?:\s?{_MARK}|{_UNIT})"
    return re.fullmatch(shape, cell.strip()) is not None


def _item(description: str, cells: tuple[str, str, str], notation: Notation) -> Item:
    quantity, price, amount = cells
    values = [notation.value(cell) for cell in cells]
    return Item(
        description=description.strip(" \u00a0:|~_"),
        quantity=_bare(quantity, notation),
        unit_price=_bare(price, notation),
        amount=amount,
        is_proven=_multiplies_out(values),
    )


def _bare(cell: str, notation: Notation) -> str:
    """A quantity without its unit, a price without its currency; a sign set apart keeps both."""
    match = re.search(rf"[-−]?{notation.number}", cell)
    if match is None or re.search(r"[-−(]", cell.replace(match.group(), "", 1)):
        return cell
    return match.group()


def _multiplies_out(values: Sequence[Decimal | None]) -> bool:
    quantity, price, amount = values
    if quantity is None or price is None or amount is None:
        return False
    return abs(quantity * price - amount) <= Decimal("0.01")

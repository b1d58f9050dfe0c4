"""A coin's record from a catalogue's API (Numista's response shape), read tolerantly.

Every property is optional. What is there in another shape than expected is as good as absent: a
catalogue is filled in by many hands, and one odd entry must not cost the other twenty.
"""

import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.records import JsonValue

MAX_TEXT = 2000
_TAG = re.compile(r"<[^<>]{0,200}>")
_PLAIN_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinSide:
    """What the record says of the obverse, the reverse or the edge."""

    description: str | None = None
    lettering: str | None = None
    translation: str | None = None
    engravers: tuple[str, ...] = ()
    designers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruler:
    """Who ruled when the coin was issued; ``wikidata`` is an item such as ``Q36161``."""

    name: str
    wikidata: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinRecord:
    """A coin as its catalogue describes it; lengths in millimetres, weight in grams."""

    title: str | None
    category: str | None
    kind: str | None
    issuer: str | None
    first_year: int | None
    last_year: int | None
    face_value: str | None
    currency: str | None
    composition: str | None
    weight_g: Decimal | None
    size_mm: Decimal | None
    second_size_mm: Decimal | None
    thickness_mm: Decimal | None
    shape: str | None
    technique: str | None
    orientation: str | None
    is_demonetised: bool | None
    demonetised_on: str | None
    obverse: CoinSide
    reverse: CoinSide
    edge: CoinSide
    rulers: tuple[Ruler, ...]
    mints: tuple[str, ...]
    references: tuple[str, ...]
    series: str | None
    topic: str | None


def coin_record(record: Mapping[str, JsonValue]) -> CoinRecord:
    """The record with every property that could be read, None or empty for the others."""
    value = _object(record.get("value"))
    demonetisation = _object(record.get("demonetization"))
    is_demonetised = demonetisation.get("is_demonetized")
    currency = _object(value.get("currency"))
    return CoinRecord(
        title=_text(record.get("title")),
        category=_text(record.get("category")),
        kind=_text(record.get("type")),
        issuer=_named(record.get("issuer")),
        first_year=_year(record.get("min_year")),
        last_year=_year(record.get("max_year")),
        face_value=_named(record.get("value")),
        currency=_text(currency.get("full_name")) or _text(currency.get("name")),
        composition=_named(record.get("composition")),
        weight_g=_measure(record.get("weight")),
        size_mm=_measure(record.get("size")),
        second_size_mm=_measure(record.get("size2")),
        thickness_mm=_measure(record.get("thickness")),
        shape=_named(record.get("shape")),
        technique=_named(record.get("technique")),
        orientation=_named(record.get("orientation")),
        is_demonetised=is_demonetised if isinstance(is_demonetised, bool) else None,
        demonetised_on=_date(demonetisation.get("demonetization_date")),
        obverse=_side(record.get("obverse")),
        reverse=_side(record.get("reverse")),
        edge=_side(record.get("edge")),
        rulers=_rulers(record.get("ruler")),
        mints=_names(record.get("mints")),
        references=_references(record.get("references")),
        series=_named(record.get("series")),
        topic=_named(record.get("commemorated_topic")),
    )


def _text(value: JsonValue) -> str | None:
    """A text without markup, control characters and surplus space; None when nothing is left."""
    if not isinstance(value, str):
        return None
    plain = html.unescape(_TAG.sub(" ", value[: 2 * MAX_TEXT]))
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in plain)
    words = " ".join(shown.split())
    return (words if len(words) <= MAX_TEXT else f"{words[:MAX_TEXT]}…") or None


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _entries(value: JsonValue) -> list[JsonValue]:
    """A list's entries; a single entry that stands outside a list counts as one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _named(value: JsonValue) -> str | None:
    """A text, or the text or name of an object."""
    if isinstance(value, dict):
        return _text(value.get("text")) or _text(value.get("name"))
    return _text(value)


def _names(value: JsonValue) -> tuple[str, ...]:
    """The names of a list's entries, each once, in their order."""
    names = (_named(entry) for entry in _entries(value))
    return tuple(dict.fromkeys(name for name in names if name))


def _measure(value: JsonValue) -> Decimal | None:
    """A length or weight above zero; None for what no coin measures."""
    if isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        value = Decimal(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not 0 < value < 1_000_000:
        return None
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _year(value: JsonValue) -> int | None:
    """A year; negative ones are before Christ, and there is no year 0."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        return None
    if not -3000 <= value <= 3000 or value != int(value) or value == 0:
        return None
    return int(value)


def _date(value: JsonValue) -> str | None:
    """A date in ISO form as far as the record knows it: a year, a month or a day."""
    text = _text(value)
    return text if text and _DATE.fullmatch(text) else None


def _side(value: JsonValue) -> CoinSide:
    side = _object(value)
    lettering = _lines(side.get("lettering")) or _lines(side.get("unabridged_legend"))
    return CoinSide(
        description=_text(side.get("description")),
        lettering=lettering,
        translation=_lines(side.get("lettering_translation")),
        engravers=_names(side.get("engravers")),
        designers=_names(side.get("designers")),
    )


def _lines(value: JsonValue) -> str | None:
    """A legend on one line, its lines parted by a stroke."""
    if not isinstance(value, str):
        return None
    lines = (_text(line) for line in value[: 2 * MAX_TEXT].splitlines())
    return " / ".join(line for line in lines if line) or None


def _rulers(value: JsonValue) -> tuple[Ruler, ...]:
    rulers: dict[str, Ruler] = {}
    for entry in _entries(value):
        name = _named(entry)
        if name:
            wikidata = _text(_object(entry).get("wikidata_id"))
            rulers.setdefault(name, Ruler(name=name, wikidata=wikidata))
    return tuple(rulers.values())


def _references(value: JsonValue) -> tuple[str, ...]:
    """Catalogue numbers as collectors write them: ``KM# 12``."""
    found: dict[str, None] = {}
    for entry in _entries(value):
        reference = _object(entry)
        catalogue = reference.get("catalogue")
        code = _text(_object(catalogue).get("code")) or _named(catalogue)
        number = reference.get("number")
        written = str(number) if isinstance(number, int) and number is not True else _text(number)
        if code and written:
            found[f"{code}# {written}"] = None
    return tuple(found)

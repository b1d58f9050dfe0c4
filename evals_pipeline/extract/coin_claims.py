"""How a coin's record is worded as claims.

Each claim names the coin by title, issuer and years, so that it can be read alone, and carries
under ``properties`` what it was made from, which is what conformance looks at.

The confidences say how the catalogue came by a statement: measured and structured entries are
firmer than descriptions, those firmer than transcribed legends and translations; one of several
mints or rulers is less sure for any one piece than the only one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.run_records import Claim
from evals_pipeline.extract.coin_record import CoinRecord, CoinSide

MEASURED = 0.97
LISTED = 0.96
ATTRIBUTED = 0.95
DESCRIBED = 0.93
TRANSCRIBED = 0.90
ONE_OF_SEVERAL = 0.88
TRANSLATED = 0.82

# Issuers whose full name is longer than what people call them; any other keeps its own name.
_SHORT_ISSUERS = {
    "German Democratic Republic": "GDR",
    "Soviet Union": "USSR",
    "United Kingdom": "UK",
    "United States": "USA",
    "United States of America": "USA",
}
_TAKES_ARTICLE = re.compile(
    r"^United |\b(Republic|Union|Kingdom|Empire|Federation|Confederation|Dynasty|Islands)\b", re.I
)
_ADJECTIVE_ENDS = ("round", "oval", "square", "al", "ar", "ed", "ic")


@dataclass(frozen=True, slots=True)
class _Wording:
    """Puts the coin's name before what is said of it."""

    label: str
    subject: tuple[str, ...]

    def says(
        self,
        predicate: str,
        confidence: float,
        *subjects: str,
        properties: Mapping[str, JsonValue],
    ) -> Claim:
        """``<coin> <predicate>.``"""
        return self.claim(f"{self.label} {predicate}", confidence, *subjects, properties=properties)

    def claim(
        self,
        sentence: str,
        confidence: float,
        *subjects: str,
        properties: Mapping[str, JsonValue],
    ) -> Claim:
        """``<sentence>.``"""
        return Claim(
            content=sentence.rstrip(".") + ".",
            confidence=confidence,
            subjects=tuple(dict.fromkeys((*self.subject, *subjects))),
            properties=properties,
        )


def coin_claims(coin: CoinRecord) -> Iterator[Claim]:
    """Every claim that a record supports, in a fixed order; none for an empty record."""
    wording = _Wording(label=_label(coin), subject=(coin.title,) if coin.title else ())
    yield from _physical(coin, wording)
    yield from _issue(coin, wording)
    yield from _attributions(coin, wording)
    for name, side in (("obverse", coin.obverse), ("reverse", coin.reverse)):
        yield from _side(name, side, wording)
    yield from _edge(coin.edge, wording)
    for reference in coin.references:
        yield wording.says(
            f"is listed in catalogues as {reference}", LISTED, properties={"reference": reference}
        )


def _label(coin: CoinRecord) -> str:
    """``5 Kroner (Norway, 1963–1973)``, with what of it the record has."""
    issuer = _SHORT_ISSUERS.get(coin.issuer, coin.issuer) if coin.issuer else None
    inside = ", ".join(part for part in (issuer, _years(coin)) if part)
    title = coin.title or "This coin"
    return f"{title} ({inside})" if inside else title


def _years(coin: CoinRecord) -> str | None:
    years = [year for year in (coin.first_year, coin.last_year) if year is not None]
    if years and max(years) < 0:
        return "–".join(dict.fromkeys(str(-year) for year in years)) + " BC"
    written = (f"{-year} BC" if year < 0 else str(year) for year in years)
    return "–".join(dict.fromkeys(written)) or None


def _physical(coin: CoinRecord, wording: _Wording) -> Iterator[Claim]:
    """One line of all that can be measured or looked up, the heart of a catalogue's entry."""
    parts: list[str] = []
    stated: dict[str, JsonValue] = {}
    if coin.composition:
        parts.append(f"is made of {_uncapitalised(coin.composition)}")
        stated["composition"] = coin.composition
    if coin.weight_g:
        parts.append(f"weighs {_plain(coin.weight_g)} g")
        stated["weight_g"] = coin.weight_g
    if coin.size_mm:
        parts.append(_size(coin))
        stated["size_mm"] = coin.size_mm
    if coin.thickness_mm:
        parts.append(f"is {_plain(coin.thickness_mm)} mm thick")
        stated["thickness_mm"] = coin.thickness_mm
    if coin.shape:
        parts.append(_shape(coin.shape))
        stated["shape"] = coin.shape
    if coin.technique:
        parts.append(_technique(coin.technique))
        stated["technique"] = coin.technique
    if coin.orientation:
        parts.append(_alignment(coin.orientation))
        stated["orientation"] = coin.orientation
    if coin.is_demonetised is not None:
        parts.append(_demonetisation(coin))
        stated["demonetised"] = coin.demonetised_on or coin.is_demonetised
    if parts:
        yield wording.says(_joined(parts), MEASURED, properties=stated)


def _size(coin: CoinRecord) -> str:
    assert coin.size_mm is not None
    first = _plain(coin.size_mm)
    if coin.second_size_mm:
        return f"measures {first} mm by {_plain(coin.second_size_mm)} mm"
    is_round = coin.shape is None or coin.shape.lower().startswith(("round", "circular"))
    return f"measures {first} mm in diameter" if is_round else f"measures {first} mm across"


def _shape(shape: str) -> str:
    word = _uncapitalised(shape)
    first = re.split(r"[\s,(]", word)[0]
    is_adjective = first.endswith(_ADJECTIVE_ENDS) and not re.search(r"gon\b", word)
    return f"is {word}" if is_adjective else f"has the shape {word}"


def _technique(technique: str) -> str:
    word = _uncapitalised(technique)
    is_adjective = word.isalpha() and (word.endswith("ed") or word == "cast")
    return f"is {word}" if is_adjective else f"was produced as {word}"


def _alignment(orientation: str) -> str:
    word = _uncapitalised(orientation)
    return f"has {word} o'clock alignment" if word in ("three", "nine") else f"has {word} alignment"


def _demonetisation(coin: CoinRecord) -> str:
    if not coin.is_demonetised:
        return "has not been demonetised"
    if coin.demonetised_on is None:
        return "was demonetised"
    is_day = len(coin.demonetised_on) == len("1990-12-31")
    return f"was demonetised {'on' if is_day else 'in'} {coin.demonetised_on}"


def _issue(coin: CoinRecord, wording: _Wording) -> Iterator[Claim]:
    """Who issued it, as what, and worth how much."""
    parts: list[str] = []
    stated: dict[str, JsonValue] = {}
    if coin.issuer:
        article = "the " if _TAKES_ARTICLE.search(coin.issuer) else ""
        parts.append(f"was issued by {article}{coin.issuer}")
        stated["issuer"] = coin.issuer
    if coin.kind:
        parts.append(_kind(coin.kind))
        stated["type"] = coin.kind
    if coin.face_value:
        parts.append(f"has the face value {coin.face_value}")
        stated["face_value"] = coin.face_value
    if coin.currency:
        parts.append(f"belongs to the currency {coin.currency}")
        stated["currency"] = coin.currency
    if parts:
        if coin.title:
            stated["title"] = coin.title
        years = _years(coin)
        if years:
            stated["years"] = years
        subjects = (coin.issuer,) if coin.issuer else ()
        yield wording.says(_joined(parts), LISTED, *subjects, properties=stated)


def _kind(kind: str) -> str:
    word = _uncapitalised(kind)
    if word.endswith(("coin", "coins")):
        word = word.removesuffix("s")
        return f"is {'an' if word[0] in 'aeiou' else 'a'} {word}"
    return f"is of the type {word}"


def _attributions(coin: CoinRecord, wording: _Wording) -> Iterator[Claim]:
    """Rulers, mints, series and occasion."""
    for ruler in coin.rulers:
        confidence = ATTRIBUTED if len(coin.rulers) == 1 else ONE_OF_SEVERAL
        stated: dict[str, JsonValue] = {"ruler": ruler.name}
        if ruler.wikidata:
            stated["refs"] = {ruler.name: f"wikidata:{ruler.wikidata}"}
        yield wording.says(
            f"was issued under {ruler.name}", confidence, ruler.name, properties=stated
        )
    for mint in coin.mints:
        confidence = ATTRIBUTED if len(coin.mints) == 1 else ONE_OF_SEVERAL
        place = mint if "mint" in mint.lower() else f"the {mint} mint"
        yield wording.says(f"was struck at {place}", confidence, mint, properties={"mint": mint})
    if coin.series:
        yield wording.says(
            f"belongs to the series {coin.series}",
            LISTED,
            coin.series,
            properties={"series": coin.series},
        )
    if coin.topic:
        yield wording.says(
            f"commemorates {coin.topic}", ATTRIBUTED, coin.topic, properties={"topic": coin.topic}
        )


def _side(name: str, side: CoinSide, wording: _Wording) -> Iterator[Claim]:
    """What the obverse or the reverse shows, reads and who made it."""
    of_side = f"The {name} of {wording.label}"
    if side.description:
        sentence = f"{of_side} shows: {side.description}"
        yield wording.claim(sentence, DESCRIBED, properties={name: side.description})
    if side.lettering:
        sentence = f"{of_side} bears the legend: {side.lettering}"
        stated = {f"{name}_lettering": side.lettering}
        yield wording.claim(sentence, TRANSCRIBED, properties=stated)
    if side.translation:
        sentence = f"The legend on the {name} of {wording.label} means: {side.translation}"
        stated = {f"{name}_translation": side.translation}
        yield wording.claim(sentence, TRANSLATED, properties=stated)
    for role, verb, people in (
        ("engraver", "engraved", side.engravers),
        ("designer", "designed", side.designers),
    ):
        if people:
            sentence = f"{of_side} was {verb} by {_joined(people)}"
            made_by: dict[str, JsonValue] = {f"{name}_{role}": list(people)}
            yield wording.claim(sentence, ATTRIBUTED, *people, properties=made_by)


def _edge(edge: CoinSide, wording: _Wording) -> Iterator[Claim]:
    of_edge = f"The edge of {wording.label}"
    if edge.description:
        is_adjective = len(edge.description.split()) == 1
        described = (
            f"{of_edge} is {_uncapitalised(edge.description)}"
            if is_adjective
            else f"{of_edge} is described as: {edge.description}"
        )
        yield wording.claim(described, DESCRIBED, properties={"edge": edge.description})
    if edge.lettering:
        sentence = f"{of_edge} bears the legend: {edge.lettering}"
        stated: dict[str, JsonValue] = {"edge_lettering": edge.lettering}
        yield wording.claim(sentence, TRANSCRIBED, properties=stated)


def _joined(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)


def _uncapitalised(text: str) -> str:
    """The text as it stands inside a sentence; ``USB`` and ``X`` keep their capitals."""
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def _plain(number: Decimal) -> str:
    """``19`` for 19.0, ``1.1`` for 1.10."""
    return f"{number.normalize():f}"

"""Identifiers that stand in the mention right behind the name: they say themselves what is meant.

Only one that belongs to the name counts: "Harrow Mutual (LEI 5493…)" says what Harrow Mutual is and
nothing of whatever else the sentence names. Numbers that carry a check digit are checked.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from stdnum import isbn, isin, isni, lei
from stdnum.exceptions import ValidationError

from evals_pipeline.core.resolution_records import ExternalRef
from evals_pipeline.resolve.protocol import Finding, LookUp, SubjectQuery

MENTION = "identifier in the mention"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How an identifier is written; ``read`` gives its plain form, None when it is none."""

    namespace: str
    pattern: re.Pattern[str]
    read: Callable[[str], str | None]


def _checked(validate: Callable[[str], str]) -> Callable[[str], str | None]:
    def read(text: str) -> str | None:
        try:
            return str(validate(text))
        except ValidationError:
            return None

    return read


def _orcid(text: str) -> str | None:
    compact = _checked(isni.validate)(text.replace("-", " "))
    return None if compact is None else "-".join(compact[i : i + 4] for i in range(0, 16, 4))


def _shape(namespace: str, pattern: str, read: Callable[[str], str | None]) -> _Shape:
    return _Shape(namespace=namespace, pattern=re.compile(pattern, re.IGNORECASE), read=read)


_SHAPES = (
    _shape(
        "wikidata",
        r"(?:https?://(?:www\.)?wikidata\.org/(?:wiki|entity)/|wikidata:\s?)(Q[1-9]\d{0,11})\b",
        str.upper,
    ),
    _shape("numista", r"(?:numista:\s?|N#\s?)(\d{1,9})\b", str),
    _shape("doi", r"(?:https?://doi\.org/|doi:\s?)(10\.\d{4,9}/[^\s,;()]+)", str.lower),
    _shape(
        "orcid",
        r"(?:https?://orcid\.org/|orcid:?\s?)(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b",
        _orcid,
    ),
    _shape("isbn", r"isbn(?:-1[03])?:?\s?([\d][\d -]{8,16}[\dX])\b", _checked(isbn.validate)),
    _shape("lei", r"lei:?\s?([A-Z0-9]{18}\d{2})\b", _checked(lei.validate)),
    _shape("isin", r"isin:?\s?([A-Z]{2}[A-Z0-9]{9}\d)\b", _checked(isin.validate)),
)


class MentionedIdentifiers:
    """The identifiers that a mention gives for a name, as an authority."""

    name = MENTION

    def look_up(self, query: SubjectQuery) -> LookUp:
        """The first recognised identifier behind the name, or in place of it."""
        for text in (query.name, *_behind(query.name, query.mention)):
            for shape in _SHAPES:
                found = shape.pattern.match(text)
                identifier = shape.read(found[1]) if found else None
                if identifier is None:
                    continue
                ref = ExternalRef(
                    namespace=shape.namespace, id=identifier, confidence=1.0, authority=MENTION
                )
                return LookUp(
                    finding=Finding(ref=ref, canonical_name=query.name), step=f"states {ref}"
                )
        return LookUp(finding=None, step="none stands behind the name")


def _behind(name: str, mention: str) -> list[str]:
    """What stands right behind each place where the mention names the name, opened of brackets."""
    pattern = rf"(?<!\w){re.escape(name.strip())}(?!\w)\s*[,(\[<–-]*\s*"
    return [mention[found.end() :] for found in re.finditer(pattern, mention, re.IGNORECASE)]

"""Finds the labels of an invoice in its lines, in the language of the document and in English.

The vocabulary is ``labels.json``: language, then what a label names, then its phrases. A phrase
that ends in "?" is weak: it names its value only at the start of a segment, since it is part of
many longer labels ("date" of "ship date").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice

from evals_pipeline.core import strict_json
from evals_pipeline.core.errors import InputError
from evals_pipeline.extract.invoice_layouts.page import Line

_VOCABULARY = "labels.json"
_MOST_ON_LINE = 40  # more is no form but a text without breaks, and pairing them would take ages
_SEPARATORS = ":;|·,(["


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label found on a line; ``names`` says of what, ``end`` is behind its punctuation.

    ``is_leading``: a segment, or what a colon opens, starts with it. ``has_colon``: one follows.
    """

    names: frozenset[str]
    line: int
    start: int
    end: int
    is_weak: bool
    is_leading: bool
    has_colon: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrases:
    pattern: re.Pattern[str]
    names: Mapping[str, frozenset[str]]
    weak: frozenset[tuple[str, str]]


def labels_on(line: Line, language: str | None, *, columns: bool = False) -> list[Label]:
    """The labels on a line from left to right, the longest phrase where several fit.

    Args:
        line: The line.
        language: The document's language; None searches all languages.
        columns: Search the heads of line items instead of the labels of values.
    """
    phrases = _phrases(language, columns)
    found = []
    for match in islice(phrases.pattern.finditer(line.text), _MOST_ON_LINE):
        phrase = _key(match.group("phrase"))
        is_leading = _is_leading(line, match.start("phrase"))
        names = frozenset(
            name
            for name in phrases.names[phrase]
            if is_leading or (phrase, name) not in phrases.weak
        )
        if names:
            found.append(
                Label(
                    names=names,
                    line=line.number,
                    start=match.start("phrase"),
                    end=match.end(),
                    is_weak=any((phrase, name) in phrases.weak for name in names),
                    is_leading=is_leading,
                    has_colon=":" in match.group("tail"),
                )
            )
    return found


def is_title(text: str, language: str | None) -> bool:
    """Whether a segment is nothing but the kind of the document ("Invoice", "Gutschrift")."""
    return _key(text).strip(" .:") in _titles(language)


def _is_leading(line: Line, column: int) -> bool:
    before = line.text[:column].rstrip()
    segment = line.segment_at(column)
    starts_segment = segment is not None and not any(
        char.isalnum() for char in line.text[segment.start : column]
    )
    return starts_segment or before.endswith(tuple(_SEPARATORS))


@lru_cache(maxsize=32)
def _phrases(language: str | None, columns: bool) -> _Phrases:
    names: dict[str, set[str]] = {}
    weak: set[tuple[str, str]] = set()
    for tongue in _tongues(language):
        for name, phrases in _vocabulary()[tongue].items():
            if name == "title" or name.startswith("column_") is not columns:
                continue
            for phrase in phrases:
                key = _key(phrase.removesuffix("?"))
                names.setdefault(key, set()).add(name)
                if phrase.endswith("?"):
                    weak.add((key, name))
    longest_first = sorted(names, key=lambda key: (-len(key), key))
    spelt = "|".join(re.escape(key).replace(r"\ ", r"\s+") for key in longest_first)
    return _Phrases(
        pattern=re.compile(
            rf"(?<!\w)(?P<phrase>{spelt})(?!\w)(?P<tail>\s?\.?(?:\s?[:#°º])?)", re.IGNORECASE
        ),
        names={key: frozenset(value) for key, value in names.items()},
        weak=frozenset(weak),
    )


@lru_cache(maxsize=32)
def _titles(language: str | None) -> frozenset[str]:
    return frozenset(
        title for tongue in _tongues(language) for title in _vocabulary()[tongue].get("title", ())
    )


def _tongues(language: str | None) -> tuple[str, ...]:
    """The vocabularies to search: the document's and English, or all where it states none."""
    known = _vocabulary()
    wanted = "nb" if language == "nn" else language or ""
    if wanted not in known:
        return tuple(known)
    return (wanted,) if wanted == "en" else (wanted, "en")


@lru_cache(maxsize=1)
def _vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = files(__package__).joinpath(_VOCABULARY).read_text(encoding="utf-8")
    read = strict_json.loads(text, where=_VOCABULARY)
    if not isinstance(read, dict):
        raise InputError.one(_VOCABULARY, "not an object; expected languages")
    return {tongue: _entries(tongue, entries) for tongue, entries in read.items()}


def _entries(tongue: str, entries: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(entries, dict):
        raise InputError.one(f"{_VOCABULARY}: {tongue}", "not an object; expected names of values")
    return {name: tuple(str(one) for one in phrases) for name, phrases in entries.items()}


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().split())

"""The passage of a document that a claim seems to speak of, by the words that they share."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from evals_pipeline.core.figures import ClaimFigures
from evals_pipeline.core.outcomes import ClaimOutcome, GoldOutcome
from evals_pipeline.core.records import Suite
from evals_pipeline.pipeline.places import text_in
from evals_pipeline.report.html.page import Excerpt, Side, TextMark

_LEAST_SHARED = 0.5
_FEWEST_SHARED = 2
_PASSAGE = re.compile(r"[^\n.!?]+(?:[.!?](?=\S)[^\n.!?]*)*[.!?]*")
_WORD = re.compile(r"\w+")
_LONGEST_PASSAGE = 400
_FEW = 8


def passages_of_claims(suite: Suite, figures: ClaimFigures) -> dict[tuple[str, str], Excerpt]:
    """For claims that did not match, or are suspect, the passage that shares most words with them.

    Half of a claim's words, and two at least, have to stand there. It points a reader somewhere
    and decides nothing.
    """
    wanted: dict[str, dict[str, None]] = {}
    for case in figures.cases:
        texts = wanted.setdefault(case.case_id, {})
        for claim in case.claims:
            if claim.outcome is not ClaimOutcome.MATCHED or claim.suspect:
                texts[claim.claim.content] = None
        for gold in case.gold:
            if gold.outcome is not GoldOutcome.MATCHED:
                texts[gold.gold.content] = None
    found: dict[tuple[str, str], Excerpt] = {}
    for one in suite.cases:
        text = text_in(one.fixture) if wanted.get(one.case_id) else None
        if text is None:
            continue
        passages = _telling(list(_passages(text)))
        for claim_text in wanted[one.case_id]:
            excerpt = _closest(claim_text, text, passages)
            if excerpt is not None:
                found[one.case_id, claim_text] = excerpt
    return found


def _telling(passages: Sequence["_Passage"]) -> list["_Passage"]:
    """The passages without the words that stand in every fourth of them and tell none apart."""
    n_with = Counter(word for passage in passages for word in passage.words)
    if len(passages) < _FEW:
        return list(passages)
    common = {word for word, n in n_with.items() if n * 4 > len(passages)}
    return [replace(passage, words=passage.words - common) for passage in passages]


@dataclass(frozen=True, slots=True)
class _Passage:
    start: int
    end: int
    words: frozenset[str]


def _passages(text: str) -> Iterator[_Passage]:
    for found in _PASSAGE.finditer(text):
        words = frozenset(_words(found[0]))
        if words:
            yield _Passage(found.start(), min(found.end(), found.start() + _LONGEST_PASSAGE), words)


def _words(text: str) -> Iterable[str]:
    """Words that carry something: of three letters or more, or with a digit."""
    for word in _WORD.findall(text.casefold()):
        if len(word) > 2 or any(char.isdigit() for char in word):
            yield word


def _closest(claim: str, text: str, passages: Sequence[_Passage]) -> Excerpt | None:
    words = dict.fromkeys(_words(claim))
    if not words or not passages:
        return None
    best = max(passages, key=lambda passage: (len(passage.words & words.keys()), -passage.start))
    shared = best.words & words.keys()
    if len(shared) < max(_FEWEST_SHARED, _LEAST_SHARED * len(words)):
        return None
    passage = text[best.start : best.end]
    start = best.start + len(passage) - len(passage.lstrip())
    found = (word for word in _WORD.finditer(passage.lstrip()) if word[0].casefold() in shared)
    return Excerpt(
        text=passage.lstrip(),
        line=text.count("\n", 0, start) + 1,
        marks=tuple(_neighbours_joined(found)),
    )


def _neighbours_joined(words: Iterable[re.Match[str]]) -> Iterator[TextMark]:
    """Marks of words; those that one space or sign parts become one."""
    open_from = open_to = -1
    for word in words:
        if open_to >= 0 and word.start() - open_to <= 1:
            open_to = word.end()
            continue
        if open_to >= 0:
            yield TextMark(start=open_from, end=open_to, side=Side.BOTH)
        open_from, open_to = word.span()
    if open_to >= 0:
        yield TextMark(start=open_from, end=open_to, side=Side.BOTH)
